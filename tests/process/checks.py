"""Compares the ledger with a running service."""

from tests.process.ledger import Ledger
from tests.process.service import Service


def check_cycle(service: Service, ledger: Ledger, cycle: int) -> int:
    """Check the events that one cycle sent; return how many are found."""
    rows = list(service.export(f"cycle:{cycle}"))
    ledger.judge(rows, cycle).assert_clean()
    return len(rows)


def check_everything(service: Service, ledger: Ledger) -> None:
    """Check the events that every cycle sent, and that there are no others."""
    service.flush()
    cycles = {batch.cycle for batch in ledger.batches}
    found = sum(check_cycle(service, ledger, cycle) for cycle in sorted(cycles))
    (row,) = service.search("| stats count")["rows"]
    assert row == {"count": found}

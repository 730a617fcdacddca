"""kill -9 at random moments under load, again and again on the same data."""

import time
from random import Random

import pytest
from tests.process.checks import check_cycle, check_everything
from tests.process.conftest import MakeService
from tests.process.ledger import Ledger
from tests.process.load import Load, send_again

pytestmark = [pytest.mark.process, pytest.mark.crash]

LONGEST_LOAD_S = 0.8


@pytest.mark.parametrize(
    "cycles",
    [
        8,
        pytest.param(1000, marks=[pytest.mark.soak, pytest.mark.timeout(4 * 3600)]),
    ],
)
def test_what_was_acked_survives_kill_9(
    services: MakeService, ledger: Ledger, seed: str, cycles: int
) -> None:
    service = services(
        SERVICE_BLOCK_FLUSH_SECS=1, SERVICE_BLOCK_FLUSH_ROWS=500, SERVICE_CHECKPOINT_COMMITS=5
    )
    random = Random(seed)
    unchecked: list[int] = []
    for cycle in range(cycles):
        ledger.cycle = cycle
        service.start()
        send_again(service, ledger)
        # Not after every start, so that some crashes meet a log that was replayed but never flushed.
        if random.random() < 0.5:
            service.flush()
            for earlier in unchecked:
                check_cycle(service, ledger, earlier)
            unchecked.clear()
        with Load(service, ledger):
            # The moment of death is what is random here; there is nothing to wait for.
            time.sleep(random.uniform(0, LONGEST_LOAD_S))
            service.kill9()
        unchecked.append(cycle)
    service.start()
    send_again(service, ledger)
    assert service.stop() == 0
    service.start()
    check_everything(service, ledger)

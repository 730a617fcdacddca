"""Disk errors under the write-ahead log: no false promise while they last, no restart needed after."""

from pathlib import Path

import httpx
import pytest
from tests.process.checks import check_everything
from tests.process.conftest import MakeService
from tests.process.ledger import Batch, Ledger, Outcome
from tests.process.load import send
from tests.process.service import Service
from tests.process.tracing import attached, inject, require_strace
from tests.waiting import poll_until

pytestmark = [pytest.mark.process, pytest.mark.crash]

WRITES = "write,writev,pwrite64,pwritev"
SYNCS = "fsync,fdatasync"
UNAVAILABLE = int(httpx.codes.SERVICE_UNAVAILABLE)


def ingest_one(service: Service, ledger: Ledger) -> Batch:
    """Send a small batch over a connection that must hold."""
    batch = ledger.make_batch(20)
    assert send(service, ledger, batch)
    return batch


def check_recovery(service: Service, ledger: Ledger) -> None:
    """Ingest works again without a restart, and all that was acked is found before and after one."""
    poll_until(lambda: ingest_one(service, ledger).outcome is Outcome.ACKED, "ingest to work again")
    check_everything(service, ledger)
    service.kill9()
    service.start()
    assert ingest_one(service, ledger).outcome is Outcome.ACKED
    check_everything(service, ledger)


@pytest.mark.parametrize("error", ["EIO", "ENOSPC"])
@pytest.mark.parametrize("calls", [WRITES, SYNCS])
def test_a_failing_log_segment_refuses_the_batch_and_is_left_behind(
    services: MakeService, ledger: Ledger, tmp_path: Path, calls: str, error: str
) -> None:
    require_strace()
    service = services(SERVICE_BLOCK_FLUSH_SECS=3600)
    service.start()
    assert ingest_one(service, ledger).outcome is Outcome.ACKED

    def is_refused() -> bool:
        """Fail the newest segment; what fails may be the self-log, which the service writes once a second."""
        segment = max((service.data / "wal").glob("*.wal"))
        options = ["-P", str(segment), *inject(tmp_path / "trace", calls, f"error={error}")]
        with attached(service.pid, options):
            return ingest_one(service, ledger).outcome is Outcome.UNKNOWN

    poll_until(is_refused, "a batch to be refused")
    assert ledger.statuses[UNAVAILABLE] == 1
    check_recovery(service, ledger)


@pytest.mark.parametrize("error", ["EIO", "ENOSPC"])
def test_nothing_is_acked_while_no_fsync_succeeds(
    services: MakeService, ledger: Ledger, tmp_path: Path, error: str
) -> None:
    require_strace()
    service = services(SERVICE_BLOCK_FLUSH_SECS=1)
    service.start()
    assert ingest_one(service, ledger).outcome is Outcome.ACKED
    with attached(service.pid, inject(tmp_path / "trace", SYNCS, f"error={error}")):
        outcomes = [ingest_one(service, ledger).outcome for _ in range(8)]
    assert outcomes == [Outcome.UNKNOWN] * 8
    assert ledger.statuses == {200: 1, UNAVAILABLE: 8}
    check_recovery(service, ledger)


def test_some_failed_fsyncs_are_never_answered_with_a_promise(
    services: MakeService, ledger: Ledger, tmp_path: Path
) -> None:
    require_strace()
    service = services(SERVICE_BLOCK_FLUSH_SECS=1)
    service.start()
    # A new segment takes two calls and its first batch a third, so with four good ones in a row a batch succeeds.
    with attached(service.pid, inject(tmp_path / "trace", SYNCS, "error=EIO:when=2..40+5")):
        for _ in range(20):
            ingest_one(service, ledger)
    assert set(ledger.statuses) == {200, UNAVAILABLE}
    check_recovery(service, ledger)


@pytest.mark.parametrize("error", ["EIO", "ENOSPC"])
def test_a_bulk_load_is_refused_whole(
    services: MakeService, ledger: Ledger, tmp_path: Path, error: str
) -> None:
    require_strace()
    service = services(SERVICE_BLOCK_FLUSH_SECS=3600)
    service.start()
    batch = ledger.make_bulk()
    with attached(service.pid, inject(tmp_path / "trace", SYNCS, f"error={error}")):
        assert send(service, ledger, batch)
    assert ledger.statuses == {UNAVAILABLE: 1}
    assert send(service, ledger, batch)
    assert batch.outcome is Outcome.ACKED
    check_recovery(service, ledger)


def test_a_refused_batch_that_reached_the_disk_is_not_there_beside_its_repetition(
    services: MakeService, ledger: Ledger, tmp_path: Path
) -> None:
    require_strace()
    service = services(SERVICE_BLOCK_FLUSH_SECS=3600)
    service.start()
    batch = ledger.make_batch(20, keyed=True)
    with attached(service.pid, inject(tmp_path / "trace", SYNCS, "error=EIO")):
        assert send(service, ledger, batch)
    assert batch.outcome is Outcome.UNKNOWN
    # A bulk load takes numbers of the log without writing to it.
    for repetition in (ledger.make_bulk(), batch):
        assert send(service, ledger, repetition)
        assert repetition.outcome is Outcome.ACKED
    service.kill9()
    service.start()
    check_everything(service, ledger)

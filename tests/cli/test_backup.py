"""`logboom backup` beside a service that is being written to, and `logboom restore` on another machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.buckets import S3Server
from tests.cli.conftest import Logboom
from tests.process.checks import check_everything
from tests.process.ledger import Ledger, Outcome
from tests.process.load import Load
from tests.process.service import Service
from tests.waiting import poll_until

pytestmark = [pytest.mark.process]

SENT = 20


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    running = Service(tmp_path / "data", tmp_path / "log", {"SERVICE_BLOCK_FLUSH_SECS": "0.2"})
    running.start()
    yield running
    running.close()


@pytest.fixture(params=["directory", "bucket"])
def destination(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    if request.param == "directory":
        return str(tmp_path / "backup")
    server: S3Server = request.getfixturevalue("s3_server")
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return server.make_url()


def count_acked(ledger: Ledger) -> int:
    return sum(batch.outcome is Outcome.ACKED for batch in ledger.batches)


def back_up_under_load(
    logboom: Logboom, service: Service, ledger: Ledger, destination: str
) -> None:
    """Whatever is acknowledged later may be in the backup or not."""
    ledger.cycle += 1
    before = count_acked(ledger)
    with Load(service, ledger):
        poll_until(lambda: count_acked(ledger) > before + SENT, "events to be acknowledged")
        promised = {batch.number for batch in ledger.batches if batch.outcome is Outcome.ACKED}
        done = logboom("backup", destination, "--data", service.data)
    assert (done.status, done.errors) == (0, "")
    assert "events; " in done.output
    for batch in ledger.batches:
        if batch.number not in promised and batch.outcome is Outcome.ACKED:
            batch.outcome = Outcome.UNKNOWN


def test_a_backup_of_a_busy_service_has_all_that_was_acknowledged(
    logboom: Logboom, service: Service, destination: str, tmp_path: Path
) -> None:
    ledger = Ledger("backup")
    for _ in range(2):
        back_up_under_load(logboom, service, ledger, destination)
    service.kill9()
    again = tmp_path / "another machine"
    restored = logboom("restore", destination, "--data", again)
    assert (restored.status, restored.errors) == (0, "")
    copy = Service(again, tmp_path / "log-2", {})
    try:
        copy.start()
        check_everything(copy, ledger)
    finally:
        copy.close()


def test_what_is_not_empty_is_left_alone(
    logboom: Logboom, service: Service, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    assert service.ingest(b'{"message":"kept"}').status_code == 200
    assert logboom("backup", backup, "--data", service.data).status == 0
    before = list(service.data.rglob("*.parquet"))
    refused = logboom("restore", backup, "--data", service.data)
    assert refused.status == 1
    assert "is not empty" in refused.errors
    (tmp_path / "store").mkdir()
    (tmp_path / "store/mine").touch()
    store = f"file://{tmp_path}/store"
    refused = logboom("restore", backup, "--data", tmp_path / "new", "--store", store)
    assert (refused.status, "expected an empty place" in refused.errors) == (1, True)
    assert not (tmp_path / "new").exists()
    # The service goes on and writes blocks of its own log.
    assert set(before) <= set(service.data.rglob("*.parquet"))
    for command in (
        ("restore", tmp_path / "nowhere", "--data", tmp_path / "new"),
        ("restore", "ftp://somewhere", "--data", tmp_path / "new"),
        ("backup", backup, "--data", tmp_path / "nowhere"),
        ("backup", service.data, "--data", service.data),
        ("backup", service.data / "store/new", "--data", service.data),
    ):
        refused = logboom(*command)
        assert (refused.status, refused.errors.count("\n")) == (1, 1), refused
    assert not (tmp_path / "nowhere").exists()

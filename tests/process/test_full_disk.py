"""A disk that is really full: refusals a shipper can wait out, searches go on, space brings ingest back."""

from contextlib import suppress
from pathlib import Path
from random import Random

import httpx
import pytest
from tests.process.checks import check_everything
from tests.process.conftest import MakeDisk, MakeService
from tests.process.disk import LoopDisk
from tests.process.ledger import Batch, Ledger, Outcome
from tests.process.load import send
from tests.process.service import Service
from tests.waiting import poll_until

pytestmark = [pytest.mark.process, pytest.mark.crash]

DISK_MIB = 64
EVENT_BYTES = 10_000
REFUSALS = 20
ANSWERS = {int(httpx.codes.OK), int(httpx.codes.SERVICE_UNAVAILABLE)}


def put_ballast(disk: LoopDisk, size_mib: int) -> Path:
    """Take space away; unlink the file to give it back."""
    ballast = disk.path / "ballast"
    ballast.write_bytes(bytes(size_mib << 20))
    return ballast


def ingest(service: Service, ledger: Ledger, events: int) -> Batch:
    """Send a batch of so many times 10 kB that hardly compress."""
    batch = ledger.make_batch(events, padding_bytes=EVENT_BYTES)
    assert send(service, ledger, batch)
    return batch


def fill(service: Service, ledger: Ledger, seed: str) -> None:
    """Send batches of many sizes, up to 4 MB, until a number of them were refused."""
    random = Random(seed)
    refused = 0
    while refused < REFUSALS:
        refused += ingest(service, ledger, random.randint(1, 400)).outcome is Outcome.UNKNOWN


def check_resumed(service: Service, ledger: Ledger) -> None:
    """Ingest comes back by itself and nothing that was acked is missing."""
    poll_until(lambda: ingest(service, ledger, 10).outcome is Outcome.ACKED, "ingest to work again")
    check_everything(service, ledger)
    assert set(ledger.statuses) == ANSWERS


def test_a_full_disk_refuses_and_recovers_by_itself(
    services: MakeService, disks: MakeDisk, ledger: Ledger, seed: str
) -> None:
    disk = disks(DISK_MIB)
    ballast = put_ballast(disk, 24)
    service = services(disk.path / "data", SERVICE_BLOCK_FLUSH_SECS=1)
    service.start()
    assert ingest(service, ledger, 10).outcome is Outcome.ACKED
    service.flush()
    fill(service, ledger, seed)
    response = service.try_flush()
    assert response.status_code == httpx.codes.SERVICE_UNAVAILABLE, response.text
    assert "Retry-After" in response.headers
    assert len(service.search("", limit=10)["rows"]) == 10
    refused = service.get("/ready")
    assert refused.status_code == httpx.codes.SERVICE_UNAVAILABLE
    assert "cannot be written" in refused.text or "disk is full" in refused.text
    assert service.get("/health").status_code == httpx.codes.OK
    ballast.unlink()
    poll_until(lambda: service.get("/ready").is_success, "the service to be ready again")
    check_resumed(service, ledger)
    assert service.stop() == 0
    service.start()
    check_everything(service, ledger)


def test_a_crash_on_a_full_disk_loses_nothing(
    services: MakeService, disks: MakeDisk, ledger: Ledger, seed: str
) -> None:
    disk = disks(DISK_MIB)
    ballast = put_ballast(disk, 24)
    service = services(disk.path / "data", SERVICE_BLOCK_FLUSH_SECS=1)
    service.start()
    fill(service, ledger, seed)
    service.kill9()
    ballast.unlink()
    service.start()
    check_resumed(service, ledger)


def fill_to_the_brim(disk: LoopDisk) -> Path:
    """Take away every byte that is left."""
    ballast = disk.path / "brim"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(1024)):
            pass
    return ballast


def test_a_start_on_a_full_disk_searches_and_goes_on_when_there_is_room(
    services: MakeService, disks: MakeDisk, ledger: Ledger
) -> None:
    disk = disks(DISK_MIB)
    service = services(disk.path / "data", SERVICE_BLOCK_FLUSH_SECS=3600)
    service.start()
    assert ingest(service, ledger, 10).outcome is Outcome.ACKED
    service.flush()
    for _ in range(5):
        assert ingest(service, ledger, 50).outcome is Outcome.ACKED
    service.kill9()
    brim = fill_to_the_brim(disk)
    service.spawn()
    poll_until(lambda: is_serving(service), "the service to answer")
    refused = service.get("/ready")
    assert refused.status_code == httpx.codes.SERVICE_UNAVAILABLE
    assert "No space left" in refused.text
    assert "Retry-After" in refused.headers
    service.sign_in()
    assert len(service.search("", limit=100)["rows"]) == 10
    assert ingest(service, ledger, 10).outcome is Outcome.UNKNOWN
    brim.unlink()
    service.await_ready()
    check_resumed(service, ledger)
    assert service.stop() == 0
    service.start()
    check_everything(service, ledger)


def is_serving(service: Service) -> bool:
    """Whether the service answers more than that it is starting."""
    assert service.is_running
    try:
        return "starting" not in service.get("/ready").text
    except httpx.TransportError:
        return False


def test_a_body_larger_than_the_free_space_leaves_nothing_behind(
    services: MakeService, disks: MakeDisk, ledger: Ledger
) -> None:
    disk = disks(DISK_MIB)
    ballast = put_ballast(disk, 40)
    service = services(disk.path / "data", SERVICE_BLOCK_FLUSH_SECS=1)
    service.start()
    for _ in range(4):
        assert ingest(service, ledger, 6_000).outcome is Outcome.UNKNOWN
    assert ingest(service, ledger, 100).outcome is Outcome.ACKED
    ballast.unlink()
    check_resumed(service, ledger)

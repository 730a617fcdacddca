"""The power fails: whatever the disk was not told to keep is gone. And the proof that this suite would see it."""

import signal
import time
from pathlib import Path
from random import Random

import pytest
from tests.process.checks import check_cycle, check_everything
from tests.process.conftest import MakeDisk, MakeService
from tests.process.disk import LoopDisk
from tests.process.ledger import Ledger
from tests.process.load import Load, send_again
from tests.process.service import Service, ServiceDiedError
from tests.process.tracing import attached, inject, require_strace

pytestmark = [pytest.mark.process, pytest.mark.crash]

DISK_MIB = 4096
SETTINGS = {
    "SERVICE_BLOCK_FLUSH_SECS": 1,
    "SERVICE_BLOCK_FLUSH_ROWS": 500,
    "SERVICE_CHECKPOINT_COMMITS": 5,
}
CONTROL_CYCLES = 5


def cut_power_under_load(service: Service, disk: LoopDisk, ledger: Ledger, random: Random) -> None:
    """Load a running service, freeze it, drop what the disk had not yet got, and plug it in again."""
    with Load(service, ledger):
        # The moment of the cut is what is random here; there is nothing to wait for.
        time.sleep(random.uniform(0.2, 1.8))
        service.signal(signal.SIGSTOP)
        disk.cut_power()
        service.kill9()
    disk.unmount()
    disk.mount()


@pytest.mark.parametrize(
    "cycles",
    [
        4,
        pytest.param(1000, marks=[pytest.mark.soak, pytest.mark.timeout(4 * 3600)]),
    ],
)
def test_what_was_acked_survives_power_cuts(
    services: MakeService, disks: MakeDisk, ledger: Ledger, seed: str, cycles: int
) -> None:
    disk = disks(DISK_MIB)
    service = services(disk.path / "data", **SETTINGS)
    random = Random(seed)
    service.start()
    for cycle in range(cycles):
        ledger.cycle = cycle
        cut_power_under_load(service, disk, ledger, random)
        service.start()
        send_again(service, ledger)
        service.flush()
        check_cycle(service, ledger, cycle)
    check_everything(service, ledger)


def test_without_fsync_the_same_cuts_lose_acked_events(
    services: MakeService, disks: MakeDisk, ledger: Ledger, seed: str, tmp_path: Path
) -> None:
    """Every sync is answered with a success and not done."""
    require_strace()
    disk = disks(DISK_MIB)
    service = services(disk.path / "data", **SETTINGS)
    service.start()
    assert service.stop() == 0
    disk.unmount()
    disk.mount()
    pretend = inject(tmp_path / "trace", "fsync,fdatasync", "retval=0")
    random = Random(seed)
    for cycle in range(CONTROL_CYCLES):
        ledger.cycle = cycle
        service.start()
        with attached(service.pid, pretend):
            cut_power_under_load(service, disk, ledger, random)
        try:
            service.start()
        except ServiceDiedError:
            return
        service.flush()
        if ledger.judge(service.export(f"cycle:{cycle}"), cycle).lost:
            return
        service.kill9()
    pytest.fail(
        f"{CONTROL_CYCLES} power cuts without fsync lost nothing: this suite proves nothing"
    )

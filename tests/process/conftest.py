"""Fixtures of the process tests: servers, disks and ledgers that clean up after themselves."""

import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.process.disk import LoopDisk, make_disk
from tests.process.ledger import Ledger
from tests.process.service import Service

LOG_TAIL_BYTES = 8_000

MakeService = Callable[..., Service]
MakeDisk = Callable[[int], LoopDisk]


def print_log_tail(log: Path) -> None:
    """Show what a server said last; pytest prints it with a failure only."""
    if log.exists():
        tail = log.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace")
        sys.stdout.write(f"--- the server's output ({log.name}) ---\n{tail}\n")


@pytest.fixture
def seed() -> str:
    """Return the seed of everything random in a test; LOGBOOM_TEST_SEED repeats a run."""
    value = os.environ.get("LOGBOOM_TEST_SEED") or f"{random.getrandbits(48):012x}"
    sys.stdout.write(f"LOGBOOM_TEST_SEED={value}\n")
    return value


@pytest.fixture
def ledger(seed: str) -> Ledger:
    return Ledger(f"run-{seed}")


@pytest.fixture
def disks(tmp_path: Path) -> Iterator[MakeDisk]:
    """Return a function that mounts a disk of this many MiB, unmounted at the end, after the servers."""
    made: list[LoopDisk] = []

    def make(size_mib: int) -> LoopDisk:
        made.append(make_disk(tmp_path, size_mib))
        return made[-1]

    yield make
    for disk in made:
        disk.unmount()


@pytest.fixture
def services(tmp_path: Path, disks: MakeDisk) -> Iterator[MakeService]:
    """Return a function that makes servers, not yet started, on a data directory with `SERVICE_*` settings."""
    made: list[Service] = []

    def make(data: Path | None = None, **settings: object) -> Service:
        log = tmp_path / f"server-{len(made)}.log"
        texts = {name: str(value) for name, value in settings.items()}
        made.append(Service(data or tmp_path / "data", log, texts))
        return made[-1]

    yield make
    for service in made:
        service.close()
        print_log_tail(service.log)

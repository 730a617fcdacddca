"""A real cluster: a scheduler and workers in processes of their own, stopped and killed from outside."""

import itertools
import os
import signal
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.engine.stored import CACHE_BYTES, Stored
from tests.ports import choose_port
from tests.process.forks import start_forked
from tests.process.service import build_environment
from tests.waiting import poll_until

from logboom.engine.answers.engine import Engine
from logboom.engine.cluster import chunks, dask, job
from logboom.engine.cluster.certificates import Certificates
from logboom.engine.cluster.dask import DaskCluster
from logboom.engine.cluster.scheduler import make_security
from logboom.engine.execution.gate import Gate
from logboom.engine.terms.limits import Limits

STOP_WITHIN_S = 60.0
PATIENCE_S = 60.0


class Machine:
    """One process of the cluster."""

    def __init__(self, log: Path, *arguments: str, settings: Mapping[str, str]) -> None:
        self.log = log
        log.touch()
        self.process = start_forked(arguments, build_environment(settings), log, has_dask=True)

    def pause(self) -> None:
        """Pause the process; return when it has really stopped."""
        self._signal(signal.SIGSTOP)
        state = Path(f"/proc/{self.process.pid}/stat")
        poll_until(lambda: state.read_text().rpartition(") ")[2][0] == "T", "the process to stop")

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        return self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> int:
        if self.process.poll() is None:
            self._signal(number)
        return self.process.wait(STOP_WITHIN_S)

    def _signal(self, number: signal.Signals) -> None:
        os.kill(self.process.pid, number)

    def has_logged(self, text: str) -> bool:
        return text in self.log.read_text()


class Machines:
    """A scheduler, and any number of workers with one thread each."""

    def __init__(self, root: Path, settings: Mapping[str, str] | None = None) -> None:
        self.root = root
        self.settings = dict(settings or {})
        self.is_closed_off = any(name.startswith("SERVICE_DASK_") for name in self.settings)
        self.port = choose_port()
        self.scheduler: Machine | None = None
        self.workers: list[Machine] = []
        self._numbers = itertools.count()

    @property
    def address(self) -> str:
        return f"{'tls' if self.is_closed_off else 'tcp'}://127.0.0.1:{self.port}"

    def start_scheduler(self) -> Machine:
        log = self.root / "scheduler.log"
        log.unlink(missing_ok=True)
        self.scheduler = Machine(log, "scheduler", "--port", str(self.port), settings=self.settings)
        poll_until(lambda: log.exists() and "scheduling" in log.read_text(), "the scheduler")
        return self.scheduler

    def start_worker(self, settings: Mapping[str, str] | None = None) -> Machine:
        """Start a worker, without waiting for it."""
        name = f"worker-{next(self._numbers)}"
        worker = Machine(
            self.root / f"{name}.log",
            *("worker", "--scheduler", self.address, "--threads", "1"),
            *("--data", str(self.root / name)),
            settings=self.settings | dict(settings or {}),
        )
        self.workers.append(worker)
        return worker

    def add_workers(self, count: int, settings: Mapping[str, str] | None = None) -> list[Machine]:
        """Start workers, and wait until they work."""
        added = [self.start_worker(settings) for _ in range(count)]
        for worker in added:
            poll_until(lambda worker=worker: worker.has_logged('"working"'), "a worker")  # type: ignore[misc]
        return added

    def repair(self, workers: int) -> None:
        """Restore this many working workers, whatever was done to them."""
        if self.scheduler is None or self.scheduler.process.poll() is not None:
            self.start_scheduler()
        alive = [worker for worker in self.workers if worker.process.poll() is None]
        for machine in filter(None, (*alive, self.scheduler)):
            machine.go_on()
        for worker in alive[workers:]:
            worker.stop()
        self.add_workers(workers - len(alive))
        self.workers = [worker for worker in self.workers if worker.process.poll() is None]

    def close(self) -> None:
        for machine in filter(None, (*self.workers, self.scheduler)):
            if machine.process.poll() is None:
                machine.kill()


@contextmanager
def machines(
    root: Path, workers: int, settings: Mapping[str, str] | None = None
) -> Iterator[Machines]:
    started = Machines(root, settings)
    try:
        started.start_scheduler()
        started.add_workers(workers)
        yield started
    finally:
        started.close()


@contextmanager
def connected(
    address: str,
    stored: Stored,
    certificates: Certificates | None = None,
    place: Path | None = None,
) -> Iterator[DaskCluster]:
    """Connect a node that sends even the smallest work to the cluster; does not wait for the connection.

    `place` is where workers look for the store.
    """
    place = place or Path(stored.store.objects.locate(""))
    cluster = DaskCluster(address, make_security(certificates), place, least_bytes=0)
    cluster.open()
    try:
        yield cluster
    finally:
        cluster.close()


@contextmanager
def dividing_blocks() -> Iterator[None]:
    """Make tasks so small that even blocks of a few events are divided."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "SMALLEST_TASK_BYTES", 1)
        patch.setattr(chunks, "PART_BYTES", 1000)
        patch.setattr(chunks, "ROW_GROUP_ROWS", 5)
        patch.setattr(dask, "OPENING_BYTES", 0)
        yield


@contextmanager
def asking(
    running: Machines,
    stored: Stored,
    workers: int,
    certificates: Certificates | None = None,
    silence_s: float = PATIENCE_S,
    patience_s: float = PATIENCE_S,
) -> Iterator[tuple[Engine, DaskCluster]]:
    """Yield an engine without caches on a cluster with this many workers, with the smallest tasks and divided blocks.

    It is more patient than a service, so that a busy machine looks no different from an idle one.
    """
    with (
        dividing_blocks(),
        pytest.MonkeyPatch.context() as patch,
        connected(running.address, stored, certificates) as cluster,
    ):
        patch.setattr(dask, "SILENCE_S", silence_s)
        patch.setattr(job, "PATIENCE_S", patience_s)
        patch.setattr(job, "FETCH_S", PATIENCE_S)
        poll_until(lambda: cluster.state.workers == workers, "the workers to be seen")
        with open_engine(stored, cluster) as engine:
            yield engine, cluster


@contextmanager
def open_engine(
    stored: Stored, cluster: DaskCluster, limits: Limits | None = None
) -> Iterator[Engine]:
    with ThreadPoolExecutor(2) as pool:
        gate = Gate(8, 8, STOP_WITHIN_S)
        yield Engine(stored.store, pool, limits or Limits(), gate, CACHE_BYTES, cluster)

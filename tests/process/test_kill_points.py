"""Death at each system call that makes something durable, from the first start to a graceful stop."""

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from tests.process.checks import check_cycle, check_everything
from tests.process.conftest import MakeService
from tests.process.ledger import Ledger
from tests.process.load import send, send_again
from tests.process.service import Service, ServiceDiedError
from tests.process.tracing import (
    attached,
    inject,
    read_highest_counts,
    require_strace,
    was_killed,
    watch,
)
from tests.waiting import poll_until

pytestmark = [pytest.mark.process, pytest.mark.crash]

SETTINGS = {
    "SERVICE_BLOCK_FLUSH_SECS": 3600,
    "SERVICE_CHECKPOINT_COMMITS": 2,
    "SERVICE_COMPACTION": "off",
}
ALL_POINTS = 1_000_000
SOAK = [pytest.mark.soak, pytest.mark.timeout(2 * 3600)]
SWEEPS = [
    10,
    pytest.param(ALL_POINTS, marks=SOAK),
]


class KillPoint(NamedTuple):
    """Die in `stage` when a thread makes `call` for the `number`-th time."""

    stage: str
    call: str
    number: int

    def list_tries(self, trace: Path) -> Iterator[list[str]]:
        """Options that kill here, and then ever earlier: timing decides how many calls a stage needs."""
        number = self.number
        while number:
            yield inject(trace, self.call, f"signal=SIGKILL:when={number}")
            number //= 2


def ingest_batches(service: Service, ledger: Ledger) -> None:
    """Three batches, one of which will be repeated if its answer is lost."""
    for keyed in (False, True, False):
        send(service, ledger, ledger.make_batch(20, keyed=keyed))


def load_bulk(service: Service, ledger: Ledger) -> None:
    """A body so large that it goes past the log."""
    send(service, ledger, ledger.make_bulk())


def flush_to_a_checkpoint(service: Service, ledger: Ledger) -> None:
    """Two flushes and the checkpoint of the catalog that follows, or the end."""
    checkpoints = count_checkpoints(service)
    for _ in range(2):
        ingest_batches(service, ledger)
        service.flush()
    poll_until(
        lambda: not service.is_running or count_checkpoints(service) > checkpoints, "a checkpoint"
    )


def count_checkpoints(service: Service) -> int:
    """How many checkpoints the service says it has written."""
    return service.log.read_bytes().count(b"checkpoint written")


def merge_blocks(service: Service, ledger: Ledger) -> None:
    """Some new blocks, merged with each other and with what earlier cycles have left."""
    for _ in range(2):
        ingest_batches(service, ledger)
        service.flush()
    response = service.post("/api/admin/compact", {})
    assert response.status_code == httpx.codes.OK, response.text


def stop_with_work_left(service: Service, ledger: Ledger) -> None:
    """A graceful stop that has something to flush."""
    ingest_batches(service, ledger)
    service.stop()


REPLAY = "replay"
STAGES: dict[str, Callable[[Service, Ledger], None]] = {
    "ingest": ingest_batches,
    "bulk": load_bulk,
    "flush": flush_to_a_checkpoint,
    "compact": merge_blocks,
    "stop": stop_with_work_left,
}


def run_stage(stage: str, service: Service, ledger: Ledger, options: list[str]) -> None:
    """Bring a running service through one stage below strace; it ends dead or alive."""
    if stage == REPLAY:
        ingest_batches(service, ledger)
        service.kill9()
        with suppress(ServiceDiedError, httpx.TransportError):
            service.start_watched(partial(attached, options=options))
    else:
        with attached(service.pid, options), suppress(httpx.TransportError):
            STAGES[stage](service, ledger)


def list_points(stage: str, trace: Path) -> list[KillPoint]:
    """Each call of the trace of a stage that went well."""
    counts = sorted(read_highest_counts(trace).items())
    return [KillPoint(stage, call, number + 1) for call, count in counts for number in range(count)]


def list_kill_points(
    service: Service, ledger: Ledger, folder: Path, stages: Iterable[str]
) -> list[KillPoint]:
    """Go through stages once without harm and note each call that could be the last one."""
    points: list[KillPoint] = []
    for stage in stages:
        trace = folder / f"{stage}.trace"
        run_stage(stage, service, ledger, watch(trace))
        points += list_points(stage, trace)
        service.kill9()
        service.start()
    return points


def die_at(point: KillPoint, service: Service, ledger: Ledger, trace: Path) -> bool:
    """Run the stage of a point until it kills the service, or return False with the service alive."""
    for options in point.list_tries(trace):
        run_stage(point.stage, service, ledger, options)
        died = was_killed(trace)
        service.kill9()
        if died:
            return True
        service.start()
    return False


def choose_evenly(points: list[KillPoint], most: int) -> list[KillPoint]:
    """At most `most` of the points, spread over all of them."""
    return points[:: -(-len(points) // most)]


@pytest.mark.parametrize(
    ("stages", "most"),
    [
        pytest.param((REPLAY, *STAGES), 14, id="all"),
        pytest.param(("compact",), 6, id="compact"),
        pytest.param((REPLAY, *STAGES), ALL_POINTS, marks=SOAK, id="every point"),
    ],
)
def test_death_at_any_durable_step_loses_nothing(
    services: MakeService, ledger: Ledger, tmp_path: Path, stages: tuple[str, ...], most: int
) -> None:
    require_strace()
    service = services(**SETTINGS)
    service.start()
    chosen = choose_evenly(list_kill_points(service, ledger, tmp_path, stages), most)
    deaths = 0
    for cycle, point in enumerate(chosen, 1):
        ledger.cycle = cycle
        if die_at(point, service, ledger, tmp_path / "kill.trace"):
            deaths += 1
            service.start()
        send_again(service, ledger)
        assert send(service, ledger, ledger.make_batch(5))
        service.flush()
        check_cycle(service, ledger, cycle)
    check_everything(service, ledger)
    # Not even the first call of its kind is certain: a restart may have nothing left to sync.
    assert deaths > len(chosen) // 2


def make_half_begun(service: Service) -> None:
    """The directory of a service that died after its secrets were made and before its catalog was."""
    service.start()
    service.kill9()
    shutil.rmtree(service.data / "store" / "_delta_log")
    shutil.rmtree(service.data / "wal")


@pytest.mark.parametrize("most", SWEEPS)
@pytest.mark.parametrize("half_begun", [False, True], ids=["empty", "half begun"])
def test_death_during_the_first_start_leaves_a_directory_that_starts(
    services: MakeService, ledger: Ledger, tmp_path: Path, most: int, half_begun: bool
) -> None:
    require_strace()
    template = tmp_path / "template"
    template.mkdir()
    if half_begun:
        make_half_begun(services(template))
    trace = tmp_path / "first.trace"

    def start(name: str, options: list[str]) -> Service:
        service = services(shutil.copytree(template, tmp_path / name), **SETTINGS)
        with suppress(ServiceDiedError, httpx.TransportError):
            service.start_watched(partial(attached, options=options))
        service.kill9()
        return service

    start("unharmed", watch(trace))
    chosen = choose_evenly(list_points("first start", trace), most // 4)
    deaths = 0
    for number, point in enumerate(chosen):
        for earlier, options in enumerate(point.list_tries(trace)):
            service = start(f"{number}-{earlier}", options)
            service.start()
            batch = ledger.make_batch(5)
            assert send(service, ledger, batch)
            service.flush()
            assert len(list(service.export())) == batch.count
            service.kill9()
            if was_killed(trace):
                deaths += 1
                break
    assert deaths > len(chosen) // 2

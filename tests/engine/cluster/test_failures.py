"""Whatever happens to a cluster, the answer is that of one node; it says when the node had to do the work."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.engine.cluster.running import (
    Machine,
    Machines,
    asking,
    connected,
    machines,
    open_engine,
)
from tests.engine.execution.test_executors import EVENTS
from tests.engine.stored import Stored
from tests.ports import choose_port
from tests.waiting import poll_until

from logboom.base.errors import DeadlineExceeded
from logboom.base.process.deadline import Deadline
from logboom.engine.answers.engine import Engine
from logboom.engine.answers.search import SearchAnswer
from logboom.engine.cluster import counts, job
from logboom.engine.cluster.dask import DaskCluster
from logboom.engine.terms.limits import Limits
from logboom.engine.terms.request import Request
from logboom.lang.parse import parse
from logboom.status.service import count

BLOCKS = 12
QUERY = "* | eval m=n*2 | stats count, sum(m), values(level) by host"


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    env = wide.make_env()
    for start in range(BLOCKS):
        wide.keep(env, EVENTS[start::BLOCKS])
    return env


@pytest.fixture(scope="module")
def all_machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with machines(tmp_path_factory.mktemp("cluster"), workers=2) as started:
        yield started


@pytest.fixture
def running(all_machines: Machines) -> Machines:
    all_machines.repair(workers=2)
    return all_machines


@pytest.fixture
def expected(wide: Stored, env: str) -> SearchAnswer:
    return wide.search(env, QUERY)


def ask(engine: Engine, env: str, cancelled: Deadline | None = None) -> SearchAnswer:
    return engine.search(Request(parse(QUERY), (env,)), cancelled)


@contextmanager
def held_up(
    engine: Engine, env: str, paused: list[Machine], cancelled: Deadline | None = None
) -> "Iterator[Future[SearchAnswer]]":
    """A query whose tasks were sent, and of which none can be done as long as the workers do nothing."""
    for machine in paused:
        machine.pause()
    sent = count(counts.tasks_sent)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask, engine, env, cancelled)
        poll_until(lambda: count(counts.tasks_sent) > sent, "tasks to be sent")
        yield answer


def check(found: SearchAnswer, expected: SearchAnswer, *warned: str) -> None:
    """The same but for warnings of the cluster, each of which must have one of the texts."""
    assert (found.rows, found.columns, found.complete) == (
        expected.rows,
        expected.columns,
        expected.complete,
    )
    assert [warning for warning in found.warnings if warning["code"] != "cluster"] == (
        expected.warnings
    )
    messages = [str(warning["message"]) for warning in found.warnings]
    assert len(messages) == len(warned)
    for message, text in zip(messages, warned, strict=True):
        assert text in message


def test_a_worker_that_is_killed_in_the_middle_of_a_query(
    running: Machines, wide: Stored, env: str, expected: SearchAnswer
) -> None:
    with asking(running, wide, workers=2) as (engine, cluster):
        one, other = running.workers
        with held_up(engine, env, [one, other]) as answer:
            one.kill()
            other.go_on()
        check(answer.result(), expected)
        poll_until(lambda: cluster.state.workers == 1, "the worker to be missed")
        engine.forget()
        check(ask(engine, env), expected)


def test_all_workers_are_killed_and_others_come(
    running: Machines, wide: Stored, env: str, expected: SearchAnswer
) -> None:
    with asking(running, wide, workers=2) as (engine, cluster):
        with held_up(engine, env, running.workers) as answer:
            for worker in list(running.workers):
                worker.kill()
        # Either there are no workers any more, or a task was on both when they died.
        check(answer.result(), expected, "worker")
        engine.forget()
        check(ask(engine, env), expected, "has no workers")
        running.add_workers(1)
        poll_until(lambda: cluster.state.workers == 1, "the new worker")
        engine.forget()
        check(ask(engine, env), expected)


def test_the_scheduler_is_killed_in_the_middle_of_a_query_and_comes_back(
    running: Machines, wide: Stored, env: str, expected: SearchAnswer
) -> None:
    assert running.scheduler
    with asking(running, wide, workers=2) as (engine, cluster):
        with held_up(engine, env, running.workers) as answer:
            running.scheduler.kill()
        check(answer.result(), expected, "")
        for worker in running.workers:
            worker.go_on()
        poll_until(lambda: cluster.state.problem, "the scheduler to be missed")
        engine.forget()
        check(ask(engine, env), expected, f"the scheduler {running.address}")
        running.start_scheduler()
        poll_until(lambda: cluster.state.workers == 2, "the workers to come back")
        engine.forget()
        check(ask(engine, env), expected)


def test_a_scheduler_that_is_silent(
    running: Machines, wide: Stored, env: str, expected: SearchAnswer
) -> None:
    assert running.scheduler
    with asking(running, wide, workers=2, silence_s=2.0) as (engine, cluster):
        running.scheduler.pause()
        check(ask(engine, env), expected, "does not answer")
        running.scheduler.go_on()
        poll_until(lambda: cluster.state.workers == 2, "the scheduler to be heard again")


def test_a_worker_that_is_silent(
    running: Machines, wide: Stored, env: str, expected: SearchAnswer
) -> None:
    with asking(running, wide, workers=2, patience_s=0.5) as (engine, _):
        running.workers[0].pause()
        check(ask(engine, env), expected, "no result for")


def test_a_scheduler_that_was_never_there(wide: Stored, env: str, expected: SearchAnswer) -> None:
    address = f"tcp://127.0.0.1:{choose_port()}"
    with connected(address, wide) as cluster, open_engine(wide, cluster) as engine:
        check(ask(engine, env), expected, f"the scheduler {address}")
        poll_until(lambda: "does not answer" in str(cluster.state.problem), "it to be missed")
        engine.forget()
        check(ask(engine, env), expected, "does not answer")


def test_a_query_that_nobody_waits_for_leaves_nothing_behind(
    running: Machines, wide: Stored, env: str
) -> None:
    with asking(running, wide, workers=2) as (engine, cluster):
        cancelled = Deadline()
        with held_up(engine, env, running.workers, cancelled) as answer:
            cancelled.set()
        with pytest.raises(DeadlineExceeded, match="the client went away"):
            answer.result()
        for worker in running.workers:
            worker.go_on()
        poll_until(lambda: count_tasks(cluster) == 0, "the tasks to be dropped")


def count_tasks(cluster: DaskCluster) -> int:
    client: Any = cluster._client
    return int(client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


def test_a_worker_whose_memory_suffices_for_nothing(
    running: Machines, wide: Stored, env: str
) -> None:
    for worker in running.workers:
        assert worker.stop() == 0
    running.add_workers(1, {"SERVICE_QUERY_MEMORY_MB": "1"})
    doubled = " | ".join(["eval message=concat(message, message)"] * 14)
    request = Request(parse(f"* | {doubled} | stats count(message) by host"), (env,))
    with asking(running, wide, workers=1) as (engine, _):
        taken_back = count(counts.blocks_taken_back)
        check(engine.search(request), wide.engine.search(request))
        assert count(counts.blocks_taken_back) > taken_back


def test_a_worker_of_another_version_is_named(
    running: Machines,
    wide: Stored,
    env: str,
    expected: SearchAnswer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(job, "describe_build", lambda: ("Logboom 9", "Python 3", "Polars 1"))
    with asking(running, wide, workers=2) as (engine, _):
        check(ask(engine, env), expected, "and this node has Logboom 9, Python 3, Polars 1")


def test_a_damaged_block_is_found_by_a_worker_and_set_aside_by_the_node(
    running: Machines, wide: Stored
) -> None:
    env = wide.make_env()
    for start in range(4):
        wide.keep(env, EVENTS[start::4])
    info = next(iter(wide.store.snapshot().list_blocks(env)))
    file = Path(wide.store.objects.locate(info.path))
    file.write_bytes(file.read_bytes()[:-200] + bytes(200))
    with asking(running, wide, workers=2) as (engine, _):
        found = ask(engine, env)
    assert [(warning["code"], warning["block"]) for warning in found.warnings] == [
        ("damaged_block", info.path)
    ]
    assert not found.complete
    assert sum(int(str(row["count"])) for row in found.rows) == len(EVENTS) - info.rows
    assert [damage.block for damage in wide.store.damaged.list()] == [info.path]


def test_workers_that_do_not_see_the_store(
    running: Machines, wide: Stored, env: str, expected: SearchAnswer, tmp_path: Path
) -> None:
    with connected(running.address, wide, place=tmp_path) as cluster:
        poll_until(lambda: cluster.state.workers == 2, "the workers to be seen")
        with open_engine(wide, cluster) as engine:
            check(ask(engine, env), expected)
    assert not [damage for damage in wide.store.damaged.list() if damage.env == env]


def test_a_query_that_takes_too_long(running: Machines, wide: Stored, env: str) -> None:
    with asking(running, wide, workers=2) as (_, cluster):
        limits = Limits(timeout_s=1.0)
        with open_engine(wide, cluster, limits) as engine:
            with held_up(engine, env, running.workers) as answer:
                found = answer.result()
            assert [warning["code"] for warning in found.warnings] == ["timeout"]
            for worker in running.workers:
                worker.go_on()
            poll_until(lambda: count_tasks(cluster) == 0, "the tasks to be dropped")

"""Whatever happens to a cluster, the answer is that of one node; it says when the node had to do the work."""

import threading
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
from tests.engine.execution.test_executors import EVENTS, describe
from tests.engine.stored import Stored
from tests.process.service import choose_port
from tests.waiting import poll_until

from logboom.engine.answers.engine import Engine
from logboom.engine.answers.search import SearchAnswer
from logboom.engine.cluster import counts, errand
from logboom.engine.cluster.dask import DaskCluster
from logboom.engine.terms.limits import Limits
from logboom.engine.terms.request import Request
from logboom.lang.parse import parse
from logboom.status import count

BLOCKS = 12
QUERY = "* | eval m=n*2 | stats count, sum(m), values(level) by host"


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    env = wide.make_env()
    for start in range(BLOCKS):
        wide.keep(env, EVENTS[start::BLOCKS])
    return env


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Machines]:
    with machines(tmp_path, workers=2) as started:
        yield started


@pytest.fixture
def expected(wide: Stored, env: str) -> SearchAnswer:
    return wide.search(env, QUERY)


def ask(engine: Engine, env: str, cancelled: threading.Event | None = None) -> SearchAnswer:
    return engine.search(Request(parse(QUERY), (env,)), cancelled)


@contextmanager
def held_up(
    engine: Engine, env: str, paused: list[Machine], cancelled: threading.Event | None = None
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
        check(answer.result(), expected, "has no workers")
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
    with asking(running, wide, workers=2) as (engine, cluster):
        running.scheduler.pause()
        check(ask(engine, env), expected, "does not answer")
        running.scheduler.go_on()
        poll_until(lambda: cluster.state.workers == 2, "the scheduler to be heard again")
        engine.forget()
        check(ask(engine, env), expected)


def test_a_worker_that_is_silent(
    running: Machines,
    wide: Stored,
    env: str,
    expected: SearchAnswer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(errand, "PATIENCE_S", 0.5)
    with asking(running, wide, workers=2) as (engine, _):
        running.workers[0].pause()
        check(ask(engine, env), expected, "no result for")


def test_a_scheduler_that_was_never_there(wide: Stored, env: str, expected: SearchAnswer) -> None:
    address = f"tcp://127.0.0.1:{choose_port()}"
    with connected(address, wide) as cluster, open_engine(wide, cluster) as engine:
        check(ask(engine, env), expected, f"no connection to the scheduler {address} yet")
        poll_until(lambda: "does not answer" in str(cluster.state.problem), "it to be missed")
        engine.forget()
        check(ask(engine, env), expected, "does not answer")


def test_a_query_that_nobody_waits_for_leaves_nothing_behind(
    running: Machines, wide: Stored, env: str
) -> None:
    with asking(running, wide, workers=2) as (engine, cluster):
        cancelled = threading.Event()
        with held_up(engine, env, running.workers, cancelled) as answer:
            cancelled.set()
        assert [warning["code"] for warning in answer.result().warnings] == ["cancelled"]
        for worker in running.workers:
            worker.go_on()
        poll_until(lambda: count_tasks(cluster) == 0, "the tasks to be dropped")


def count_tasks(cluster: DaskCluster) -> int:
    client: Any = cluster._client
    return int(client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


def test_workers_of_other_settings_or_none(tmp_path: Path, wide: Stored, env: str) -> None:
    """A budget of a worker that suffices for nothing is no reason to fail."""
    expected = wide.search(env, QUERY)
    with machines(tmp_path, workers=0) as running:
        running.add_workers(1, {"SERVICE_QUERY_MEMORY_MB": "1"})
        with asking(running, wide, workers=1) as (engine, _):
            check(ask(engine, env), expected)


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

"""Workers: called again and again, restarted after a failure, stopped newest first."""

import asyncio

import pytest
from tests.logged import list_said_by

from logboom.base.process import tasks
from logboom.base.process.tasks import Workers, worker_failures

PATIENCE_S = 20.0


async def reach(event: asyncio.Event) -> None:
    await asyncio.wait_for(event.wait(), PATIENCE_S)


def test_a_worker_is_called_again_and_again() -> None:
    async def run() -> None:
        calls = 0
        enough = asyncio.Event()

        async def job() -> None:
            nonlocal calls
            calls += 1
            if calls == 5:
                enough.set()

        workers = Workers()
        workers.every(0.0, "counter", job)
        await reach(enough)
        await workers.stop()

    asyncio.run(run())


def test_a_failing_worker_is_logged_counted_and_called_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tasks, "FIRST_BACKOFF_S", 0.001)
    before = worker_failures.labels("fragile")._value.get()

    async def run() -> None:
        calls = 0
        recovered = asyncio.Event()

        async def job() -> None:
            nonlocal calls
            calls += 1
            if calls <= 3:
                raise ValueError(f"failure {calls}")
            recovered.set()

        workers = Workers()
        workers.every(0.001, "fragile", job)
        await reach(recovered)
        await workers.stop()

    asyncio.run(run())
    assert worker_failures.labels("fragile")._value.get() - before == 3
    said = list_said_by("logboom.base.process.tasks", caplog)
    waits = [each.retry_s for each in said if each.worker == "fragile"]
    assert waits == [0.001, 0.002, 0.004]


def test_the_pause_after_failures_has_an_end(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tasks, "FIRST_BACKOFF_S", 0.001)
    monkeypatch.setattr(tasks, "LAST_BACKOFF_S", 0.002)

    async def run() -> None:
        calls = 0
        enough = asyncio.Event()

        async def job() -> None:
            nonlocal calls
            calls += 1
            if calls == 5:
                enough.set()
            raise ValueError("always")

        workers = Workers()
        workers.every(0.001, "hopeless", job)
        await reach(enough)
        await workers.stop()

    asyncio.run(run())
    said = list_said_by("logboom.base.process.tasks", caplog)
    waits = [each.retry_s for each in said if each.worker == "hopeless"]
    assert waits[:4] == [0.001, 0.002, 0.002, 0.002]


def test_workers_stop_newest_first() -> None:
    stopped: list[str] = []

    async def run() -> None:
        started = [asyncio.Event(), asyncio.Event()]

        async def job(name: str, event: asyncio.Event) -> None:
            event.set()
            try:
                await asyncio.sleep(PATIENCE_S)
            finally:
                stopped.append(name)

        workers = Workers()
        workers.every(0.0, "older", lambda: job("older", started[0]))
        workers.every(0.0, "newer", lambda: job("newer", started[1]))
        for event in started:
            await reach(event)
        await workers.stop()
        await workers.stop()

    asyncio.run(run())
    assert stopped == ["newer", "older"]

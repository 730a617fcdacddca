"""Synchronous work beside the event loop."""

import asyncio
import threading

import pytest

from logboom.base.process.offload import Offload


def test_work_runs_on_another_thread_with_its_arguments() -> None:
    async def run() -> tuple[str, str]:
        offload = Offload(1, "beside")
        result = await offload.run(work, "a", suffix="b")
        offload.close()
        return result

    def work(text: str, *, suffix: str) -> tuple[str, str]:
        return text + suffix, threading.current_thread().name

    text, thread = asyncio.run(run())
    assert text == "ab"
    assert thread.startswith("beside")


def test_an_error_comes_back_to_whoever_waits() -> None:
    async def run() -> None:
        offload = Offload(1, "beside")
        try:
            await offload.run(int, "not a number")
        finally:
            offload.close()

    with pytest.raises(ValueError, match="not a number"):
        asyncio.run(run())


def test_closing_waits_for_work_under_way_even_when_nobody_else_does() -> None:
    done: list[bool] = []
    go_on = threading.Event()

    async def run() -> None:
        loop, started = asyncio.get_running_loop(), asyncio.Event()

        def work() -> None:
            loop.call_soon_threadsafe(started.set)
            assert go_on.wait(20)
            done.append(True)

        offload = Offload(1, "beside")
        waiting = asyncio.ensure_future(offload.run(work))
        await started.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        go_on.set()
        offload.close()

    asyncio.run(run())
    assert done == [True]

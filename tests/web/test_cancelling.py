"""Work for a client that may go away before it is done."""

import asyncio
import gc
import logging
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, cast

import pytest
from tests.running import RUNNING, RunningService
from tests.waiting import poll_until

from logboom.base.process.deadline import Deadline
from logboom.base.process.offload import Offload
from logboom.web.asgi import ClientGone
from logboom.web.cancelling import run_cancellable


@contextmanager
def open_offload() -> Iterator[Offload]:
    offload = Offload(1, "test")
    yield offload
    offload.close()


async def run(messages: list[str], work: Any) -> Any:
    """Work for a client from whom these messages come, and then none."""

    async def receive() -> dict[str, str]:
        if not messages:
            await asyncio.Event().wait()
        return {"type": messages.pop(0)}

    with open_offload() as offload:
        return await run_cancellable(cast("Any", receive), offload, work)


def test_the_result_comes_while_the_client_waits() -> None:
    assert asyncio.run(run(["http.request"], lambda cancelled: 5)) == 5


def test_work_is_told_when_the_client_goes() -> None:
    told: list[bool] = []

    def wait(cancelled: Deadline) -> None:
        told.append(cancelled.wait(20))

    with pytest.raises(ClientGone):
        asyncio.run(run(["http.request", "http.disconnect"], wait))
    assert told == [True]


def test_an_error_after_the_client_has_gone_is_not_logged() -> None:
    logged: list[dict[str, Any]] = []

    def wait(cancelled: Deadline) -> None:
        cancelled.wait(20)
        raise RuntimeError("too late")

    async def watch() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: logged.append(context))
        with pytest.raises(ClientGone):
            await run(["http.request", "http.disconnect"], wait)
        gc.collect()

    asyncio.run(watch())
    assert logged == []


def test_what_work_raises_is_raised() -> None:
    def fail(cancelled: Deadline) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(run([], fail))


def test_a_client_that_goes_is_no_failure_of_the_service(
    service: RunningService, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "logboom")
    head = f"Host: test\r\nAuthorization: {service.client.headers['Authorization']}\r\n\r\n"
    with ExitStack() as holding:
        for _ in range(RUNNING):
            holding.enter_context(service.gate.enter())
        with socket.create_connection(("127.0.0.1", service.port)) as connection:
            connection.sendall(f"GET /api/histogram HTTP/1.1\r\n{head}".encode())
            poll_until(lambda: service.gate.waiting > 0, "the query to wait for its turn")
        # Before there is a turn for it, which would be the end of it too.
        poll_until(lambda: "client went away" in caplog.messages, "the service to see it")
    assert "request failed" not in caplog.messages

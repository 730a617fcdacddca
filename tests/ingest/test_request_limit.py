"""The limit of concurrent requests: who is in, who waits, and that nobody is forgotten."""

import asyncio

import pytest

from logboom.ingest.request_limit import RequestLimit


def test_those_inside_and_those_who_wait_are_present() -> None:
    async def visit() -> list[tuple[int, bool]]:
        limit = RequestLimit(1)
        seen = [(limit.present, limit.is_full)]
        async with limit:
            waiting = asyncio.ensure_future(limit.__aenter__())
            await asyncio.sleep(0)
            seen.append((limit.present, limit.is_full))
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            seen.append((limit.present, limit.is_full))
        seen.append((limit.present, limit.is_full))
        return seen

    assert asyncio.run(visit()) == [(0, False), (2, True), (1, True), (0, False)]


def test_a_failure_inside_gives_the_place_back() -> None:
    async def fail(limit: RequestLimit) -> None:
        async with limit:
            raise ZeroDivisionError

    async def visit() -> None:
        limit = RequestLimit(1)
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                await fail(limit)
        assert (limit.present, limit.is_full) == (0, False)

    asyncio.run(visit())

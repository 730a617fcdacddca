"""Room for requests: who is in, who waits, and that nobody is forgotten."""

import asyncio

import pytest

from logboom.ingest.room import Room


def test_those_inside_and_those_who_wait_are_present() -> None:
    async def visit() -> list[tuple[int, bool]]:
        room = Room(1)
        seen = [(room.present, room.is_full)]
        async with room:
            waiting = asyncio.ensure_future(room.__aenter__())
            await asyncio.sleep(0)
            seen.append((room.present, room.is_full))
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            seen.append((room.present, room.is_full))
        seen.append((room.present, room.is_full))
        return seen

    assert asyncio.run(visit()) == [(0, False), (2, True), (1, True), (0, False)]


def test_a_failure_inside_gives_the_place_back() -> None:
    async def fail(room: Room) -> None:
        async with room:
            raise ZeroDivisionError

    async def visit() -> None:
        room = Room(1)
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                await fail(room)
        assert (room.present, room.is_full) == (0, False)

    asyncio.run(visit())

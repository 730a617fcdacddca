"""The memory budget: requests wait for each other, and one of them can always go on."""

import asyncio

from logboom.ingest.memory import MemoryBudget

CAPACITY = 100


def test_a_share_is_given_back_at_its_end() -> None:
    async def scenario() -> None:
        budget = MemoryBudget(CAPACITY)
        for _ in range(3):
            with budget.share() as share:
                await share.take(CAPACITY)

    asyncio.run(scenario())


def test_a_request_waits_until_another_gives_back() -> None:
    async def scenario() -> list[str]:
        budget = MemoryBudget(CAPACITY)
        order: list[str] = []

        async def wait_for_room() -> None:
            with budget.share() as share:
                await share.take(60)
                order.append("second has room")

        with budget.share() as first:
            await first.take(60)
            waiting = asyncio.ensure_future(wait_for_room())
            for _ in range(10):
                await asyncio.sleep(0)
            order.append("first is done")
        await waiting
        return order

    assert asyncio.run(scenario()) == ["first is done", "second has room"]


def test_small_requests_do_not_wait_for_large_ones() -> None:
    async def scenario() -> list[str]:
        budget = MemoryBudget(CAPACITY)
        order: list[str] = []

        async def take(name: str, size_bytes: int) -> None:
            with budget.share() as share:
                await share.take(size_bytes)
                order.append(name)

        with budget.share(), budget.share() as large:
            await large.take(80)
            others = [asyncio.ensure_future(take("large", 10)) for _ in range(5)]
            for number in range(30):
                await take(f"small {number}", 1)
            order.append("room")
        await asyncio.gather(*others)
        return order

    order = asyncio.run(scenario())
    assert order == [*(f"small {number}" for number in range(30)), "room", *["large"] * 5]


def test_the_oldest_request_never_waits() -> None:
    async def scenario() -> int:
        budget = MemoryBudget(CAPACITY)
        with budget.share() as oldest, budget.share() as other:
            await other.take(80)
            await oldest.take(10 * CAPACITY)
            return oldest.size_bytes

    assert asyncio.run(scenario()) == 10 * CAPACITY


def test_a_request_that_is_cancelled_while_it_waits_holds_nothing() -> None:
    async def scenario() -> None:
        budget = MemoryBudget(CAPACITY)

        async def ask() -> None:
            with budget.share() as share:
                await share.take(CAPACITY)

        with budget.share() as oldest:
            await oldest.take(CAPACITY)
            waiting = asyncio.ensure_future(ask())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        await asyncio.wait_for(ask(), 5)

    asyncio.run(scenario())

"""What the sink does with one delivery: routes, receipts, and refusals when there is no room."""

import asyncio
from array import array
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.stores import NOW_NS, HandClock, make_store, opened, read_rows

from logboom.base.errors import Overloaded
from logboom.base.process.offload import Offload
from logboom.ingest import visit
from logboom.ingest.receipt import Receipt
from logboom.ingest.sink import Delivery, Pieces, Sink
from logboom.ingest.visit import cut
from logboom.model.batch import Lines, Routes, Target
from logboom.store.store import Store

T = TypeVar("T")
TARGET = Target(index="app-{{app}}")


async def give(*pieces: Lines) -> Pieces:
    for lines in pieces:
        yield lines


def with_sink(root: Path, scenario: Callable[[Sink, Store], Awaitable[T]], queue_cap: int = 8) -> T:
    offload = Offload(2, "test")
    with opened(make_store(root)) as store:

        async def run() -> T:
            return await scenario(Sink(store, offload, queue_cap, HandClock()), store)

        try:
            return asyncio.run(run())
        finally:
            offload.close()


def list_indexes(store: Store) -> list[str]:
    store.flush().result()
    return sorted(read_rows(store)["_index"])


def test_each_line_goes_where_it_is_routed(tmp_path: Path) -> None:
    lines = Lines(b'{"app":"x"}\n{"app":"y"}', Routes(["named"], array("i", [0, -1])))

    async def scenario(sink: Sink, store: Store) -> tuple[Receipt, list[str]]:
        receipt = await sink.ingest(Delivery(TARGET), give(lines))
        return receipt, list_indexes(store)

    receipt, indexes = with_sink(tmp_path, scenario)
    assert indexes == ["app-y", "named"]
    assert receipt == Receipt(2, 0, ["app-y/2023-11-14", "named/2023-11-14"])


def test_a_receipt_numbers_what_was_refused_and_what_was_no_event(tmp_path: Path) -> None:
    first = Lines(b'{"n":0}\nno event\n{"n":2}\n', Routes(["a", "closed"], array("i", [0, 0, 1])))
    second = Lines(b'{"n":3}\n\nbad\nbad too', Routes(["closed", "a"], array("i", [1, 0, 1])))
    delivery = Delivery(TARGET, lambda index: index != "closed", is_itemised=True)

    async def scenario(sink: Sink, store: Store) -> tuple[Receipt, list[str]]:
        receipt = await sink.ingest(delivery, give(first, second))
        return receipt, list_indexes(store)

    receipt, indexes = with_sink(tmp_path, scenario)
    assert indexes == ["a", "a", "a", "a"]
    assert (receipt.ingested, receipt.errors) == (2, 4)
    assert receipt.refused == [2, 4]
    assert receipt.unparsed == [1, 5]


@pytest.mark.parametrize("batch_bytes", [10, 1 << 20])
def test_a_repeated_key_gets_the_same_receipt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch_bytes: int
) -> None:
    monkeypatch.setattr("logboom.ingest.sink.BATCH_BYTES", batch_bytes)
    lines = Lines(b'{"n":0}\nno event\n{"n":2}', Routes(["a", "closed"], array("i", [0, 0, 1])))
    delivery = Delivery(TARGET, lambda index: index != "closed", "key", is_itemised=True)

    async def scenario(sink: Sink, store: Store) -> tuple[Receipt, Receipt, list[str]]:
        first = await sink.ingest(delivery, give(lines))
        second = await sink.ingest(delivery, give(lines))
        return first, second, list_indexes(store)

    first, second, indexes = with_sink(tmp_path, scenario)
    assert first == second
    assert first.refused == [2]
    assert first.unparsed == [1]
    assert indexes == ["a", "a"]


def test_without_room_the_impatient_are_refused_and_the_patient_wait(tmp_path: Path) -> None:
    async def send(sink: Sink, is_patient: bool) -> Receipt | Overloaded:
        try:
            return await sink.ingest(
                Delivery(TARGET, is_patient=is_patient), give(Lines(b'{"app":"x"}'))
            )
        except Overloaded as error:
            return error

    async def scenario(sink: Sink, store: Store) -> tuple[list[Receipt | Overloaded], list[str]]:
        waiting = (send(sink, is_patient) for is_patient in (True, False, True, False))
        outcomes = await asyncio.gather(*waiting)
        return outcomes, list_indexes(store)

    outcomes, indexes = with_sink(tmp_path, scenario, queue_cap=1)
    assert [type(outcome) for outcome in outcomes] == [Receipt, Overloaded, Receipt, Overloaded]
    assert indexes == ["app-x", "app-x"]


@given(st.lists(st.tuples(st.text("xyz", min_size=1, max_size=20), st.integers(-1, 2))))
def test_lines_are_cut_into_pieces_that_join_to_the_same(
    several: list[tuple[str, int]],
) -> None:
    data = "\n".join(text for text, _ in several).encode()
    routes = Routes(["a", "b", "c"], array("i", [place for _, place in several]))

    async def gather() -> list[Lines]:
        return [piece async for piece in cut(Lines(data, routes))]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(visit, "PIECE_BYTES", 16)
        pieces = asyncio.run(gather())
    joined = Lines.join(pieces)
    assert joined.data.split() == data.split()
    assert joined.routes is not None
    assert list(joined.routes.ids) == list(routes.ids)
    assert all(len(piece.data) <= 16 + 21 for piece in pieces)


def test_the_time_of_arrival_is_the_sinks(tmp_path: Path) -> None:
    async def scenario(sink: Sink, store: Store) -> list[int]:
        await sink.ingest(Delivery(TARGET), give(Lines(b"{}")))
        store.flush().result()
        return list(read_rows(store)["_time"])

    assert with_sink(tmp_path, scenario) == [NOW_NS]

"""What is read of a block at once stays within the memory of a query, however small its file is."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.engine.stored import Stored

from logboom.engine.answers.engine import Engine
from logboom.engine.answers.export import FORMATS
from logboom.engine.answers.tail import Tail
from logboom.engine.blocks import columns
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.footprint import bound_rows, bound_texts, cut_large
from logboom.engine.execution.gate import Gate
from logboom.engine.rows.size import measure
from logboom.engine.terms.limits import Limits
from logboom.engine.terms.request import Request
from logboom.lang.parse import parse
from logboom.store.compaction import merge, rows

ENV = "prod"
MB = 1 << 20
MEMORY_BYTES = 4 * MB
LONG = 20_000
SMALL, LARGE = 3000, 600


def make_events() -> Iterator[list[dict[str, Any]]]:
    """Yield small events, and after them large ones, which compress to almost nothing."""
    for first in range(0, SMALL, 500):
        yield [make_event(first + number, str(number)) for number in range(500)]
    for first in range(SMALL, SMALL + LARGE, 100):
        yield [
            make_event(first + number, f"{first + number} {'x' * LONG}") for number in range(100)
        ]


def make_event(number: int, text: str) -> dict[str, Any]:
    return {"timestamp": 1_700_000_000 + number, "message": "m", "text": text, "n": number % 7}


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stored]:
    """Blocks with many zones, whose files are much smaller than their rows."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (merge, rows):
            patch.setattr(module, "ZONE_BYTES", MB // 2)
        stored = Stored(tmp_path_factory.mktemp("merged"))
        for events in make_events():
            stored.keep(ENV, events)
        stored.store.compactor.compact(ENV.__eq__)
    yield stored
    stored.close()


@pytest.fixture
def engine(merged: Stored) -> Engine:
    gate = Gate(8, 8, 60)
    return Engine(merged.store, merged._pool, Limits(memory_bytes=MEMORY_BYTES), gate, 0)


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The memory of everything that is decoded."""
    found: list[int] = []

    def note(read: Callable[..., pl.DataFrame]) -> Callable[..., pl.DataFrame]:
        def read_noted(*arguments: Any) -> pl.DataFrame:
            frame = read(*arguments)
            found.append(measure(frame))
            return frame

        return read_noted

    monkeypatch.setattr(columns, "read_columns", note(columns.read_columns))
    for name in ("read_slice", "read_scattered"):
        monkeypatch.setattr(Block, name, note(getattr(Block, name)))
    return found


def open_block(merged: Stored) -> Block:
    """Return the block with the large rows, and a few of the small ones."""
    block = max(merged.open_blocks(ENV), key=bound_texts)
    assert len(block.zones) > 10
    assert LARGE <= block.rows < SMALL
    return block


def test_the_memory_of_a_merged_block_is_that_of_its_zones(merged: Stored) -> None:
    block = open_block(merged)
    assert LARGE * LONG < bound_texts(block) < 1.1 * LARGE * LONG
    assert 100 * LONG < bound_rows(block, (100, 100)) < 110 * LONG
    assert bound_rows(block, (0, block.rows)) == bound_texts(block)


def test_ranges_of_large_rows_are_cut(merged: Stored) -> None:
    block = open_block(merged)
    stretches = list(cut_large(block, (0, block.rows), 2 * MB))
    assert [number for first, count in stretches for number in range(first, first + count)] == [
        *range(block.rows)
    ]
    assert all(bound_rows(block, stretch) <= 2 * MB for stretch in stretches)
    assert list(cut_large(block, (50, 1), 10)) == [(50, 1)]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("text:*y*", []),
        ("text:*x* | stats count as n", [{"n": LARGE}]),
        ("* | eval l=len(text) | stats max(l) as l", [{"l": LONG + 5}]),
        ("NOT text:*x* | stats count as n", [{"n": SMALL}]),
        ("* | stats dc(text) as d", None),
    ],
)
def test_a_query_reads_no_more_than_half_of_its_memory_at_once(
    engine: Engine, sizes: list[int], query: str, rows: list[dict[str, Any]] | None
) -> None:
    answer = engine.search(Request(parse(query), (ENV,), limit=10))
    assert max(sizes) <= MEMORY_BYTES // 2
    if rows is not None:
        assert (answer.complete, answer.rows) == (True, rows)


def test_events_that_do_not_fit_are_not_even_read(engine: Engine, sizes: list[int]) -> None:
    answer = engine.search(Request(parse("* | sort n"), (ENV,), limit=10_000))
    assert 0 < len(answer.rows) < SMALL + LARGE
    assert max(sizes) <= MEMORY_BYTES // 2


def test_exports_and_tails_read_what_fits_and_go_on(
    merged: Stored, engine: Engine, sizes: list[int]
) -> None:
    exported = FORMATS["ndjson"].write(engine.make_finder(Request(parse("*"), (ENV,))), None)
    assert b"".join(exported).count(b"\n") == SMALL + LARGE
    tail = Tail(engine.make_finder(Request(parse("*"), (ENV,))), "0" * 26)
    taken = 0
    while found := tail.take(merged.store.snapshot()):
        taken += len(found)
    assert taken == SMALL + LARGE
    assert max(sizes) <= MEMORY_BYTES // 2


def test_the_memory_of_a_block_without_zones_is_known(tmp_path: Path) -> None:
    stored = Stored(tmp_path)
    stored.keep(ENV, [make_event(number, "x" * LONG) for number in range(10)])
    (block,) = stored.open_blocks(ENV)
    assert 10 * LONG <= bound_texts(block) < 20 * LONG
    stored.close()

"""Damaged blocks: every kind of answer has all that can be read, and says what is missing."""

import io
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.engine.stored import NOW_NS, Stored
from tests.store.integrity.damaging import flip

from logboom.base.clock import NS_PER_DAY
from logboom.base.errors import Corrupt, NotFound, Unavailable
from logboom.control.access.globs import IndexBounds
from logboom.engine.answers.context import find_surroundings
from logboom.engine.answers.export import FORMATS
from logboom.engine.answers.fields.listing import WantedFields, list_fields, list_names
from logboom.engine.answers.fields.tally import count_values
from logboom.engine.answers.histogram import Bars, compute_histogram
from logboom.engine.answers.indexes import list_indexes
from logboom.engine.answers.tail import Tail
from logboom.engine.blocks.losses import MAX_NAMED
from logboom.engine.execution.find import Finder
from logboom.engine.terms.request import Request
from logboom.lang import ast
from logboom.lang.parse import parse
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import name_index

ENV = "env"
ROWS = 10


@dataclass
class Damaged:
    """A store of three days, whose middle one has lost its block."""

    stored: Stored
    infos: list[BlockInfo]

    @property
    def middle(self) -> BlockInfo:
        return self.infos[1]

    def warn(self, events: int = ROWS) -> dict[str, object]:
        return {
            "code": "damaged_block",
            "block": self.middle.path,
            "events": events,
            "message": f"{events} events of {self.middle.path} cannot be read, "
            "the block is damaged: its checksum is wrong",
        }


def make_events(day: int) -> list[dict[str, object]]:
    return [
        {
            "timestamp": NOW_NS + day * NS_PER_DAY + row,
            "message": f"day {day} row {row}",
            "day": day,
            "row": row,
            "only": f"only-{day}",
        }
        for row in range(ROWS)
    ]


@pytest.fixture
def damaged(tmp_path: Path) -> Iterator[Damaged]:
    stored = Stored(tmp_path)
    for day in range(3):
        stored.add(ENV, make_events(day)[:4], "secret")
        stored.add(ENV, make_events(day)[4:], "web")
        stored.flush()
    infos = sorted(stored.store.snapshot().list_blocks(), key=lambda info: info.first_ns)
    assert [info.rows for info in infos] == [ROWS] * 3
    flip(Path(stored.store.objects.locate(infos[1].path)), 100)
    yield Damaged(stored, infos)
    stored.close()


def test_a_search_has_all_other_events_and_says_what_is_missing(damaged: Damaged) -> None:
    answer = damaged.stored.search(ENV, "day:*", count=True)
    assert [row["day"] for row in answer.rows] == [2] * ROWS + [0] * ROWS
    assert not answer.complete
    assert answer.warnings == [damaged.warn()]
    again = damaged.stored.search(ENV, "day:*")
    assert not again.complete
    assert again.warnings == [damaged.warn()]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("row>=3 | stats count", [{"count": 2 * 7}]),
        ("row:* | stats sum(day) as days", [{"days": 2 * ROWS}]),
        ("row<2 | sort row, day | fields day", [{"day": 0}, {"day": 2}, {"day": 0}, {"day": 2}]),
        ("row:9 day:in(row:9 | fields day) | stats count by day", None),
        ("row:9 | join day (row:9) | stats count by day", None),
    ],
)
def test_pipes_work_on_what_is_left(
    damaged: Damaged, query: str, rows: list[dict[str, object]] | None
) -> None:
    for _ in range(2):
        answer = damaged.stored.search(ENV, query)
        assert not answer.complete
        assert answer.warnings == [damaged.warn()]
        found = [{name: row[name] for name in answer.columns} for row in answer.rows]
        assert found == (rows or [{"day": 0, "count": 1}, {"day": 2, "count": 1}])


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("only:only-2", {}),
        ("only:only-2 | stats count", {}),
        ("day:2", {}),
        ("", {"from_ns": NOW_NS + 2 * NS_PER_DAY}),
        ("", {"limit": 5}),
        ("| stats count", {}),
        ("| stats count by only", {}),
    ],
)
def test_what_does_not_need_the_block_says_nothing(
    damaged: Damaged, query: str, options: dict[str, Any]
) -> None:
    answer = damaged.stored.search(ENV, query, **options)
    assert answer.complete
    assert answer.warnings == []


def test_pages_go_on_over_a_damaged_block(damaged: Damaged) -> None:
    first = damaged.stored.search(ENV, "day:*", limit=ROWS + 1)
    assert [row["day"] for row in first.rows] == [2] * ROWS + [0]
    assert first.cursor is not None


def test_rows_found_before_the_damage_are_left_out(tmp_path: Path) -> None:
    stored = Stored(tmp_path)
    stored.keep(ENV, make_events(0))
    query = "row:3 | fields row"
    assert len(stored.search(ENV, query).rows) == 1
    (info,) = stored.store.snapshot().list_blocks()
    file = Path(stored.store.objects.locate(info.path))
    file.unlink()
    for _ in range(2):
        stored.engine.resources.reader.events.clear()
        answer = stored.search(ENV, query)
        assert answer.rows == []
        assert [warning["code"] for warning in answer.warnings] == ["damaged_block"]
        assert not answer.complete
    stored.close()


def test_a_block_and_its_index_may_both_be_lost(damaged: Damaged) -> None:
    flip(Path(damaged.stored.store.objects.locate(name_index(damaged.middle.path))), 20)
    damaged.stored.reopen_engine()
    for query in ("| stats count", "only:only-2 | stats count", "| explain", "day:*"):
        answer = damaged.stored.search(ENV, query)
        assert not answer.complete, query
        assert answer.warnings == [damaged.warn()]


def test_it_is_not_known_whether_a_lost_block_has_the_words(damaged: Damaged) -> None:
    flip(Path(damaged.stored.store.objects.locate(name_index(damaged.middle.path))), 20)
    damaged.stored.reopen_engine()
    request = Request(parse("nowhere"), (ENV,))
    found = damaged.stored.engine.search(request, explains=True).explanation
    assert found is not None
    assert found.any_field is None


LIMITED = IndexBounds(("web",))


def test_the_limited_learn_only_of_their_own_events(damaged: Damaged) -> None:
    answer = damaged.stored.search(ENV, "row:*", allowed=LIMITED)
    assert len(answer.rows) == 2 * 6
    assert answer.warnings == [damaged.warn(events=6)]
    other = IndexBounds(("other",))
    answer = damaged.stored.search(ENV, "row:*", allowed=other)
    assert answer.complete
    assert answer.warnings == []


def test_the_limited_learn_no_names_of_blocks_nobody_knows_the_indexes_of(damaged: Damaged) -> None:
    flip(Path(damaged.stored.store.objects.locate(name_index(damaged.middle.path))), 20)
    damaged.stored.reopen_engine()
    answer = damaged.stored.search(ENV, "row:*", allowed=LIMITED)
    (warning,) = answer.warnings
    assert (warning["block"], warning["events"]) == (None, None)
    assert damaged.middle.path not in str(warning)


def test_a_histogram_says_so(damaged: Damaged) -> None:
    finder = damaged.stored.make_finder(ENV, "row:*")
    histogram = compute_histogram(finder, Bars())
    assert sum(bucket.count for bucket in histogram.buckets) == 2 * ROWS
    assert not histogram.complete
    assert histogram.warnings == [damaged.warn()]


@pytest.mark.parametrize(
    "work",
    [
        lambda finder: list_fields(finder, WantedFields()),
        lambda finder: list_names(finder, WantedFields()),
        lambda finder: count_values(finder, "day", "", 10),
    ],
)
def test_lists_say_so(damaged: Damaged, work: Callable[[Finder], object]) -> None:
    finder = damaged.stored.make_finder(ENV, "row>=0 | eval twice=row*2")
    work(finder)
    assert finder.losses.list_warnings() == [damaged.warn()]


def test_indexes_are_listed_by_what_is_left(damaged: Damaged) -> None:
    finder = damaged.stored.make_finder(ENV)
    assert [(each.index, each.events) for each in list_indexes(finder)] == [
        ("secret", 12),
        ("web", 18),
    ]
    assert finder.is_complete, "the index of the block is good"


def test_context_says_so_and_knows_what_it_does_not_know(damaged: Damaged) -> None:
    stored = damaged.stored
    first, *_ = stored.search(ENV, "day:2 row:4").rows
    finder = stored.make_finder(ENV)
    around = find_surroundings(finder, str(first["_id"]), ast.Context(3, 1))
    assert not around.complete
    assert around.warnings == [damaged.warn(events=6)]
    assert [row["day"] for row in around.rows] == [0, 0, 0, 2, 2]
    lost = str(first["_id"]).replace(f"{NOW_NS + 2 * NS_PER_DAY + 4:016x}", "")
    lost = f"{NOW_NS + NS_PER_DAY + 4:016x}" + lost
    with pytest.raises(NotFound, match="it may be in a damaged block"):
        find_surroundings(stored.make_finder(ENV), lost, ast.Context(1, 1))


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_exports_give_everything_else_and_end_with_an_error(damaged: Damaged, format: str) -> None:
    pieces = FORMATS[format].write(damaged.stored.make_finder(ENV, "row:*"), None)
    written = io.BytesIO()
    with pytest.raises(Unavailable, match="some are in damaged blocks") as raised:
        written.writelines(pieces)
    assert raised.value.data["warnings"] == [damaged.warn()]
    written.seek(0)
    if format == "parquet":
        assert pl.read_parquet(written).height == 2 * ROWS
    else:
        rows = written.getvalue()
        assert rows.count(b"day 0 row") == rows.count(b"day 2 row") == ROWS


def test_a_tail_goes_on_after_a_damaged_block(damaged: Damaged) -> None:
    stored = damaged.stored
    tail = Tail(stored.make_finder(ENV, "row:*"))
    stored.keep(ENV, make_events(5))
    newest = max(stored.store.snapshot().list_blocks(), key=lambda info: info.first_ns)
    file = Path(stored.store.objects.locate(newest.path))
    file.unlink()
    assert tail.take(stored.store.snapshot()) == []
    (warning,) = tail.take_warnings()
    assert (warning["code"], warning["block"]) == ("damaged_block", newest.path)
    stored.keep(ENV, make_events(6))
    assert len(tail.take(stored.store.snapshot())) == ROWS
    assert tail.take_warnings() == []


def test_many_damaged_blocks_are_named_up_to_a_number(tmp_path: Path) -> None:
    stored = Stored(tmp_path)
    for day in range(MAX_NAMED + 3):
        stored.keep(ENV, make_events(day)[:2])
    for info in stored.store.snapshot().list_blocks():
        Path(stored.store.objects.locate(info.path)).unlink()
    answer = stored.search(ENV, "row:*")
    assert answer.rows == []
    assert len(answer.warnings) == MAX_NAMED + 1
    assert answer.warnings[-1]["events"] == 6
    stored.close()


def test_damage_comes_back_from_other_processes() -> None:
    error = pickle.loads(pickle.dumps(Corrupt("a/block", 7, "torn")))
    assert (error.message, error.reason) == ("a/block is damaged at byte 7: torn", "torn")

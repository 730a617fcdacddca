"""Selections that are remembered give the rows that the tests themselves find, whatever else is asked of them."""

import itertools
from contextlib import suppress

import polars as pl
import pytest
from tests.engine.stored import NOW_NS, Stored

from logboom.base.errors import DeadlineExceeded
from logboom.base.process.deadline import Deadline
from logboom.engine.execution.run import Cost
from logboom.engine.filters import selecting
from logboom.engine.filters.skip import check_elsewhere, list_containing
from logboom.engine.rows.computed import compute_rows
from logboom.engine.terms.request import Request
from logboom.lang import ast
from logboom.lang.parse import parse

EVENTS = [
    {
        "timestamp": NOW_NS + number * 10**9,
        "id": number,
        "message": f"request {number} {('failed', 'answered', 'Failed badly')[number % 3]}",
        "service": ("web", "worker", "Web")[number % 3],
        "size": (number, str(number), "many")[number % 3],
        **({"level": ("info", "error")[number % 2]} if number % 5 else {}),
    }
    for number in range(60)
] + [{"timestamp": NOW_NS, "id": 60, "note": "failed without a message"}]
TERMS = ["failed", "service:=worker", "level:error", "size>20", 'message=~"t [0-9]*7 f"', "note:*"]
FILTERS = [
    *TERMS,
    *(f"{one} {other}" for one, other in itertools.permutations(TERMS, 2)),
    *(f"{one} OR NOT {other}" for one, other in itertools.permutations(TERMS, 2)),
    "NOT (failed OR level:error)",
    "* NOT *",
    "where id % 7 = 3 AND size > 10",
]


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    env = wide.make_env()
    for first in range(0, len(EVENTS), 20):
        wide.keep(env, EVENTS[first : first + 20])
    return env


@pytest.mark.parametrize("query", FILTERS)
def test_rows_counts_and_groups_agree_before_and_after_they_are_remembered(
    query: str, wide: Stored, env: str
) -> None:
    wide.engine.forget()
    found = wide.find(env, query)
    for name in ("one", "two"):
        assert wide.search(env, f"{query} | stats count as {name}").rows == [{name: len(found)}]
        groups = wide.search(env, f"{query} | stats count as n by service").rows
        assert sum(row["n"] for row in groups) == len(found)  # type: ignore[misc]
        assert wide.find(env, f"{query} | sort -_time, -id") == sorted(
            found, key=order, reverse=True
        )
    wide.engine.forget()
    assert wide.search(env, f"{query} | stats count as m").rows == [{"m": len(found)}]


def order(number: object) -> tuple[int, int]:
    """Events of the same time come by their id."""
    assert isinstance(number, int)
    return (0 if number == 60 else number), number


def test_what_a_test_found_is_not_looked_for_again(wide: Stored, env: str) -> None:
    wide.engine.forget()
    columns = wide.engine.resources.reader.columns
    count = wide.search(env, "failed | stats count as a").rows[0]["a"]
    for block in wide.open_blocks(env):
        for key in [key for key in columns._columns if key[2] == "message"]:
            columns._size_bytes -= columns._columns.pop(key)[1]
        assert not block.find(["message"])
    assert wide.search(env, "failed | stats count as b").rows == [{"b": count}]
    assert not any(block.find(["message"]) for block in wide.open_blocks(env))


def test_counts_of_what_is_remembered_scan_nothing(wide: Stored, env: str) -> None:
    wide.engine.forget()
    wide.search(env, "NOT answered NOT service:=worker | stats count as a")
    for query in ("answered OR service:=worker", "answered NOT service:=worker", "NOT answered"):
        answer = wide.search(env, f"{query} | stats count as b")
        assert isinstance(answer.stats, Cost)
        assert answer.stats.rows_scanned == 0
        assert answer.rows == [{"b": len(wide.find(env, query))}]


def test_a_test_that_takes_long_to_write_is_not_remembered(wide: Stored, env: str) -> None:
    wide.engine.forget()
    texts = " OR ".join(f"x{number}" for number in range(500))
    values = ", ".join(map(str, range(1000)))
    assert not wide.find(env, f"message:({texts})")
    assert len(wide.find(env, f"id in ({values})")) == len(EVENTS)
    names = [name for _, _, name in wide.engine.resources.reader.columns._columns]
    assert max(map(len, names)) <= 1000


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("*:badly", {"message"}),
        ("*:WORKER", {"service"}),
        ("*:without", {"message", "note"}),
        ("*:nowhere", set()),
    ],
)
def test_a_search_in_all_fields_reads_only_those_that_may_contain_it(
    query: str, read: set[str], wide: Stored, env: str
) -> None:
    parsed = parse(query).filter
    assert isinstance(parsed, ast.AnyField)
    fields = {field for block in wide.open_blocks(env) for field in list_containing(parsed, block)}
    assert fields <= read
    text = query.removeprefix("*:").lower()
    expected = [event["id"] for event in EVENTS if text in str(event.values()).lower()]
    assert sorted(map(str, wide.find(env, query))) == sorted(map(str, expected))


@pytest.mark.parametrize(("text", "is_elsewhere"), [("badly", False), ("WORKER", True)])
def test_blocks_tell_whether_a_text_may_be_in_another_field(
    text: str, is_elsewhere: bool, wide: Stored, env: str
) -> None:
    may_match = check_elsewhere(ast.AnyField(ast.Pattern.literal(text)), ast.MESSAGE)
    assert any(map(may_match, wide.open_blocks(env))) is is_elsewhere


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of rows that slow tests are tried on at once, which are at most four."""
    tried: list[int] = []

    def compute(frame: pl.DataFrame, expression: pl.Expr) -> pl.Series:
        tried.append(frame.height)
        return compute_rows(frame, expression)

    monkeypatch.setattr(selecting, "PIECE_ROWS", 4)
    monkeypatch.setattr(selecting, "compute_rows", compute)
    return tried


def test_a_slow_test_is_tried_on_a_few_rows_at_once(
    wide: Stored, env: str, pieces: list[int]
) -> None:
    wide.engine.forget()
    found = wide.find(env, "message=~'request [0-9]*7 '")
    assert sorted(map(str, found)) == sorted(
        str(number) for number in range(60) if number % 10 == 7
    )
    assert len(pieces) > 10
    assert max(pieces) == 4


def test_a_slow_test_ends_when_nobody_waits(
    wide: Stored, env: str, pieces: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    wide.engine.forget()
    gone = Deadline()

    def leave(frame: pl.DataFrame, expression: pl.Expr) -> pl.Series:
        pieces.append(frame.height)
        gone.set()
        return compute_rows(frame, expression)

    monkeypatch.setattr(selecting, "compute_rows", leave)
    with suppress(DeadlineExceeded):
        wide.engine.search(Request(parse("message=~'request [0-9]*7 '"), (env,)), gone)
    assert len(pieces) <= len(wide.open_blocks(env))

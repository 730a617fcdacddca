"""Neighbours of events in a real store: found in whatever block they are, and no more blocks are read."""

from typing import Any

import pytest
from tests.engine.stored import Stored, find_cost

from logboom.control.access.globs import IndexBounds

START_NS = 1_700_000_000_000_000_000


def make_events(numbers: range, **fields: object) -> list[dict[str, Any]]:
    return [{"id": number, "timestamp": START_NS + number, **fields} for number in numbers]


def find(stored: Stored, env: str, query: str, **options: Any) -> list[object]:
    return [row["id"] for row in stored.search(env, query, **options).rows]


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    """Blocks of ten events each; every other event is of host b."""
    env = wide.make_env()
    for first in range(0, 60, 10):
        events = make_events(range(first, first + 10))
        wide.keep(env, [{**event, "host": "ab"[event["id"] % 2]} for event in events])
    wide.keep(env, make_events(range(1000, 1010)), index="other")
    return env


def test_context_reaches_into_other_blocks(wide: Stored, env: str) -> None:
    found = find(wide, env, "id:30 | context before 2 after 1")
    assert found == [31, 30, 29, 28]


def test_context_is_of_the_same_values_where_asked_for(wide: Stored, env: str) -> None:
    assert find(wide, env, "id:31 | context before 2 after 1 same host") == [33, 31, 29, 27]


def test_context_is_of_the_same_index(wide: Stored, env: str) -> None:
    assert find(wide, env, "id:59 | context before 1 after 5") == [59, 58]
    assert find(wide, env, "id:1000 | context before 5") == [1000]


def test_context_is_not_bound_by_the_time_of_the_search(wide: Stored, env: str) -> None:
    options = {"from_ns": START_NS + 20, "to_ns": START_NS + 21}
    assert find(wide, env, "* | context before 1 after 1", **options) == [21, 20, 19]


def test_context_of_many_events_has_each_once(wide: Stored, env: str) -> None:
    found = find(wide, env, "id IN (5, 7, 40) | context before 1 after 1")
    assert found == [41, 40, 39, 8, 7, 6, 5, 4]


def test_far_away_blocks_are_not_read(wide: Stored, env: str) -> None:
    answer = wide.search(env, "id:25 | context before 1 after 1")
    assert [row["id"] for row in answer.rows] == [26, 25, 24]
    assert find_cost(answer).rows_scanned <= 40


def test_events_of_a_join_and_a_union_are_whole(wide: Stored, env: str) -> None:
    joined = wide.search(env, "id:7 | join host (id:9 | eval mark=1 | fields host, mark)").rows
    assert [(row["id"], row["host"], row["mark"]) for row in joined] == [(7, "b", 1)]
    assert find(wide, env, "id:7 | union (id:9)") == [9, 7]


def test_what_other_queries_were_run_for_has_no_pages(wide: Stored, env: str) -> None:
    answer = wide.search(env, "id IN (7, 9) | join host (id:9)", limit=1)
    assert [row["id"] for row in answer.rows] == [9]
    assert answer.cursor is None


def test_diff_looks_at_the_time_before_the_search(wide: Stored, env: str) -> None:
    query = "* | diff (previous 20ns) by host"
    for from_ns, counts in ((START_NS + 20, (5, 10)), (START_NS + 10, (10, 5))):
        options = {"from_ns": from_ns, "to_ns": START_NS + 30, "now_ns": START_NS + 10**9}
        rows = wide.search(env, query, **options).rows
        assert [(row["host"], row["current"], row["previous"]) for row in rows] == [
            ("a", *counts),
            ("b", *counts),
        ]


@pytest.mark.parametrize(
    "pipe", ["fields host", "drop _index, _env", "rename _index as place", "fields _env"]
)
def test_context_does_not_need_the_fields_that_say_where_events_are(
    wide: Stored, env: str, pipe: str
) -> None:
    found = wide.search(env, f"id:30 | {pipe} | eval kept=1 | context before 1 after 1").rows
    assert [row.get("kept") for row in found] == [None, 1, None]


@pytest.mark.parametrize(
    "options", [{}, {"allowed": IndexBounds(("none",))}, {"from_ns": 1, "to_ns": 2}]
)
def test_context_of_no_events_is_empty(wide: Stored, env: str, options: dict[str, Any]) -> None:
    query = "id:30 | context after 10" if options else "zzzz | context after 10"
    assert find(wide, env, query, **options) == []


def test_context_is_within_the_indexes_that_may_be_seen(wide: Stored) -> None:
    env = wide.make_env()
    wide.add(env, make_events(range(0, 9, 3)), index="open")
    wide.keep(env, make_events(range(1, 9, 3)), index="closed")
    options = {"allowed": IndexBounds(("open",))}
    assert find(wide, env, "id:3 | context before 5 after 5", **options) == [6, 3, 0]
    assert find(wide, env, "id:4 | context before 5 after 5", **options) == []


def test_an_event_may_be_on_both_sides_of_a_union(wide: Stored, env: str) -> None:
    for raw in (False, True):
        rows = wide.search(env, "id IN (7, 9) | union (id IN (9, 8))", raw=raw).rows
        assert [row["id"] for row in rows] == [9, 9, 8, 7]
        assert rows[0] == rows[1]
    assert find(wide, env, "id:9 | union (id:9) | context after 1") == [10, 9, 9]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("v:5 | context before 1 | stats count by lvl, v | sort v", [("info", 4), ("warn", 5)]),
        ("v:5 | context before 2 | where v<5 | fields v", [4, 3]),
        ("v:5 | context before 1 | where lvl:info | fields v", [4]),
        ("v:5 | context before 3 | stats max(v), min(v), sum(v), count", [(5, 2, 14, 4)]),
        ("v:5 | context before 2 | sort v | fields v", [3, 4, 5]),
        ("v:5 | context before 1 | stats count by only", [(2,), (None,)]),
        ("v:5 | fields v | context before 1 | stats count by lvl", [(None,)]),
        ("v:5 | drop lvl | context before 1 | stats count by lvl", [(None,)]),
    ],
)
def test_pipes_after_context_read_the_fields_of_all_events(
    wide: Stored, query: str, rows: list[object]
) -> None:
    env = wide.make_env()
    for number in range(6):
        event = {"timestamp": START_NS + number, "v": number, "lvl": ["info", "warn"][number % 2]}
        # What only a neighbour has counts as well.
        wide.keep(env, [event | ({"only": 2} if number == 4 else {})])
    answer = wide.search(env, query)
    if answer.type == "events":
        assert [row["v"] for row in answer.rows] == rows
    else:
        found = [tuple(row.values())[: len(rows[0])] for row in answer.rows]  # type: ignore[arg-type]
        assert sorted(map(str, found)) == sorted(map(str, rows))

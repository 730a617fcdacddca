"""The engine finds and counts what a naive row-by-row evaluator does, however the rows are spread."""

import itertools
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engine.generated import DAY_NS, START_NS, event_lists, filters, keys
from tests.engine.oracle import Row, count_groups, is_in_scope, make_row, matches
from tests.engine.stored import Stored

from logboom.engine.events import find_hits
from logboom.engine.pipes.stats import Stats
from logboom.engine.request import END_NS, MIN_NS, Request, decode_cursor
from logboom.lang import ast

INDEXES = ["web-1", "web-2", "db"]
cuts = st.lists(st.integers(0, 25), max_size=4)
globs = st.sampled_from([("*",), ("web-*",), ("db", "web-?"), ("web-2",), ("nothing",), ("*b*",)])
bounds = st.sampled_from(
    [START_NS, START_NS + 1, START_NS + 3, START_NS + DAY_NS, START_NS + 2 * DAY_NS]
)
from_times = st.one_of(st.just(MIN_NS), bounds)
to_times = st.one_of(st.just(END_NS), bounds)

against_the_oracle = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def keep_in_pieces(
    stored: Stored, events: list[dict[str, Any]], places: Sequence[int]
) -> tuple[str, list[Row]]:
    """Spread events over indexes, batches and flushes; returns the environment and the oracle's rows."""
    env = stored.make_env()
    edges = [0, *sorted(min(place, len(events)) for place in places), len(events)]
    rows = []
    for number, (start, end) in enumerate(itertools.pairwise(edges)):
        index = INDEXES[number % len(INDEXES)]
        stored.add(env, events[start:end], index)
        rows += [make_row(event, index) for event in events[start:end]]
        if number % 2:
            stored.flush()
    stored.flush()
    return env, rows


@against_the_oracle
@given(events=event_lists(), places=cuts, wanted=st.lists(filters, min_size=1, max_size=8))
def test_filters_find_what_the_oracle_finds_and_events_come_back_whole(
    stored: Stored, events: list[dict[str, Any]], places: list[int], wanted: list[ast.Filter]
) -> None:
    env, rows = keep_in_pieces(stored, events, places)
    for node in wanted:
        expected = [row.event for row in rows if matches(node, row)]
        answer = stored.search(env, ast.Query(node), limit=100, count=True, raw=True)
        found = [json.loads(str(row["_raw"])) for row in answer.rows]
        assert sorted(found, key=get_id) == expected, node
        assert answer.total == len(expected)
        assert answer.complete


def get_id(event: dict[str, Any]) -> int:
    number: int = event["id"]
    return number


@against_the_oracle
@given(events=event_lists(), places=cuts, wanted=st.lists(filters, min_size=1, max_size=8))
def test_skipping_never_loses_a_row(
    stored: Stored, events: list[dict[str, Any]], places: list[int], wanted: list[ast.Filter]
) -> None:
    env, _ = keep_in_pieces(stored, events, places)
    blocks = stored.open_blocks(env)
    for node in wanted:
        request = Request(ast.Query(node), env, count=True)
        without_skipping = sum(find_hits(request, block).total for block in blocks)
        assert stored.engine.search(request).total == without_skipping, node


@against_the_oracle
@given(
    events=event_lists(),
    places=cuts,
    node=filters,
    keys=keys,
    indexes=globs,
    from_ns=from_times,
    to_ns=to_times,
)
def test_scope_count_and_count_by_agree(
    stored: Stored,
    events: list[dict[str, Any]],
    places: list[int],
    node: ast.Filter,
    keys: tuple[str, ...],
    indexes: tuple[str, ...],
    from_ns: int,
    to_ns: int,
) -> None:
    env, rows = keep_in_pieces(stored, events, places)
    scope: dict[str, Any] = {"indexes": indexes, "from_ns": from_ns, "to_ns": to_ns}
    for each in (node, ast.Everything()):
        expected = [row for row in rows if matches(each, row) and is_in_scope(row, *scope.values())]
        found = stored.search(env, ast.Query(each), limit=5, count=True, **scope)
        assert found.total == len(expected)
        assert len(found.rows) == min(5, len(expected))
        pipe = ast.Stats((ast.Aggregate("count", None, "count"),), keys)
        table = stored.search(env, ast.Query(each, (pipe,)), **scope)
        groups = count_groups(expected, keys)
        if not keys:
            groups = Counter({(): len(expected)})
        assert read_groups(table.rows, keys) == groups
        sizes = [row["count"] for row in table.rows]
        assert sizes == sorted(sizes, reverse=True)  # type: ignore[type-var]


def read_groups(rows: list[dict[str, Any]], keys: tuple[str, ...]) -> Counter[Any]:
    return Counter(
        {
            tuple((isinstance(row[key], bool), row[key]) for key in keys): row["count"]
            for row in rows
        }
    )


@against_the_oracle
@given(events=event_lists(), places=cuts, key=st.sampled_from(["level", "http.status", "_index"]))
def test_counting_from_the_index_equals_counting_by_scan(
    stored: Stored, events: list[dict[str, Any]], places: list[int], key: str
) -> None:
    env, _ = keep_in_pieces(stored, events, places)
    stats = Stats(ast.Stats((ast.Aggregate("count", None, "count"),), (key,)))
    whole = Request(ast.Query(ast.Everything()), env)
    scanned = Request(ast.Query(ast.Or((ast.Everything(), ast.Everything()))), env)
    for block in stored.open_blocks(env):
        by_index = stats.compute_partial(whole, block)
        by_scan = stats.compute_partial(scanned, block)
        assert by_index.counts == by_scan.counts
        assert by_scan.rows_scanned == block.index.rows


@against_the_oracle
@given(events=event_lists(), places=cuts, node=filters, limit=st.integers(1, 6))
def test_pages_together_are_everything_once_and_newest_first(
    stored: Stored, events: list[dict[str, Any]], places: list[int], node: ast.Filter, limit: int
) -> None:
    env, rows = keep_in_pieces(stored, events, places)
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    late = ({"id": 1000 + number, "timestamp": START_NS + 9 * DAY_NS} for number in range(100))
    while True:
        after = decode_cursor(cursor) if cursor else None
        page = stored.search(env, ast.Query(node), limit=limit, after=after)
        assert len(page.rows) <= limit
        found += page.rows
        cursor = page.cursor
        if cursor is None:
            break
        stored.keep(env, [next(late)], "db")
    times = [events[row["id"]]["timestamp"] for row in found]
    assert times == sorted(times, reverse=True)
    assert sorted(row["id"] for row in found) == [
        row.event["id"] for row in rows if matches(node, row)
    ]

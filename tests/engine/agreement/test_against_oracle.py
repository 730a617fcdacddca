"""The engine finds and counts what a naive row-by-row evaluator does, however the rows are spread."""

import itertools
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engine.generated import DAY_NS, START_NS, bound_filters, event_lists, filters, keys
from tests.engine.oracle import Row, count_groups, is_in_scope, make_row, matches
from tests.engine.stored import Stored
from tests.properties import examples

from logboom.engine.blocks.block import Block
from logboom.engine.blocks.load import load_block
from logboom.engine.filters import build_filter
from logboom.engine.filters.skip import may_match
from logboom.engine.terms.bound import Filter
from logboom.engine.terms.needs import need, need_node
from logboom.engine.terms.request import END_NS, MIN_NS, decode_cursor
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
    max_examples=examples(40),
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
        rows += [make_row(event, env, index) for event in events[start:end]]
        if number % 2:
            stored.flush()
    stored.flush()
    return env, rows


@against_the_oracle
@given(events=event_lists(), places=cuts, wanted=st.lists(bound_filters, min_size=1, max_size=8))
def test_blocks_hold_what_the_oracle_finds_and_none_of_them_is_wrongly_skipped(
    stored: Stored, events: list[dict[str, Any]], places: list[int], wanted: list[Filter]
) -> None:
    env, rows = keep_in_pieces(stored, events, places)
    blocks = stored.open_blocks(env)
    for node in wanted:
        found = []
        for block in blocks:
            held = find_ids(block, node)
            assert not held or may_match(node, block), node
            found += held
        expected = [row.event["id"] for row in rows if matches(node, row)]
        assert sorted(found) == expected, node


def find_ids(block: Block, node: Filter) -> list[int]:
    table = load_block(block, need_node(node) | need("id"), identity=False)
    ids: list[int] = table.filter(build_filter(node, table)).read_column("id")
    return ids


@against_the_oracle
@given(events=event_lists(), places=cuts, wanted=st.lists(filters, min_size=1, max_size=8))
def test_searches_find_what_the_oracle_finds_and_events_come_back_whole(
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
        count = ast.Aggregate("count", name="count")
        pipe = ast.Stats((count,), tuple(ast.Key(key) for key in keys))
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

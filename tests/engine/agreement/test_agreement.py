"""Whoever counts the same events counts the same: bars, groups, fields, exports and pages."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engine.generated import event_lists, filters
from tests.engine.stored import Stored
from tests.properties import examples

from logboom.engine.answers.export import FORMATS
from logboom.engine.answers.fields.panel import Panel, read_panel
from logboom.engine.answers.fields.tally import count_values
from logboom.engine.answers.histogram import Bars, compute_histogram
from logboom.engine.terms.request import decode_cursor
from logboom.lang import ast

SETTINGS = settings(
    max_examples=examples(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
COUNT = ast.Stats((ast.Aggregate("count", name="count"),))
BARS = st.builds(
    Bars,
    st.integers(1, 50),
    st.sampled_from([None, ast.Quantity(1, "h"), ast.Quantity(7, "h"), ast.Quantity(1, "d")]),
    st.sampled_from([None, "level", "tags", "_index", "http.status", "nothing"]),
)


def keep_split(stored: Stored, events: list[dict[str, Any]], cut: int) -> str:
    """Two blocks, of two indexes."""
    env = stored.make_env()
    stored.keep(env, events[:cut], index="web-1")
    stored.add(env, events[cut::2], index="web-1")
    stored.keep(env, events[cut + 1 :: 2])
    return env


def count_pages(stored: Stored, env: str, query: ast.Query) -> int:
    answer = stored.search(env, query, limit=7)
    total = len(answer.rows)
    while answer.cursor:
        answer = stored.search(env, query, limit=7, after=decode_cursor(answer.cursor))
        total += len(answer.rows)
    return total


def find_panel(stored: Stored, env: str, query: ast.Query) -> dict[str, int]:
    finder = stored.make_finder(env, query)
    table = finder.find(finder.prepare(finder.request), Panel())
    return {each.name: each.count for each in read_panel(table)}


@SETTINGS
@given(event_lists(), filters, st.integers(0, 25), BARS)
def test_every_way_of_counting_agrees(
    stored: Stored, events: list[dict[str, Any]], filter_: ast.Filter, cut: int, bars: Bars
) -> None:
    env = keep_split(stored, events, cut)
    query = ast.Query(filter_)
    (row,) = stored.search(env, ast.Query(filter_, (COUNT,))).rows
    total = row["count"]
    histogram = compute_histogram(stored.make_finder(env, query), bars)
    assert sum(bucket.count for bucket in histogram.buckets) == total
    if bars.by is not None:
        assert all(sum((b.by or {}).values()) == b.count for b in histogram.buckets)
    assert find_panel(stored, env, query).get("_index", 0) == total
    assert count_pages(stored, env, query) == total
    assert stored.search(env, query, limit=0, count=True).total == total
    lines = b"".join(FORMATS["ndjson"].write(stored.make_finder(env, query), None)).splitlines()
    assert len({json.loads(line)["_id"] for line in lines}) == len(lines) == total
    csv_lines = b"".join(FORMATS["csv"].write(stored.make_finder(env, query), ("id",)))
    assert csv_lines.count(b"\r\n") == total + 1


@SETTINGS
@given(event_lists(), filters, st.integers(0, 25))
def test_a_field_is_on_as_many_events_as_its_filter_finds(
    stored: Stored, events: list[dict[str, Any]], filter_: ast.Filter, cut: int
) -> None:
    env = keep_split(stored, events, cut)
    panel = find_panel(stored, env, ast.Query(filter_))
    for name in ("level", "http.status", "tags", "message", "id"):
        query = ast.Query(ast.And((filter_, ast.Exists(name))), (COUNT,))
        (row,) = stored.search(env, query).rows
        assert panel.get(name, 0) == row["count"]
    counted = count_values(stored.make_finder(env, ast.Query(filter_)), "id", "", 1000)
    assert sum(each.count for each in counted) == panel.get("id", 0)

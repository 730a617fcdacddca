"""`mvexpand`: one row for each value of a list."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from tests.engine.pipes.tables import Row, apply_split, cut_lists, make_table, mixed_rows, read
from tests.engine.stored import Stored
from tests.properties import examples

from logboom.base.errors import Invalid, OverBudget, TooLarge
from logboom.engine.pipes.compute.mvexpand import make_mvexpand
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.rows.memory import Memory
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.limits import Limits
from logboom.lang import ast


def make(field: str = "a", limit: int | None = None, **limits: Any) -> RowPipe:
    return make_mvexpand(ast.MvExpand(field, limit), Conditions(limits=Limits(**limits)))


def expand(rows: list[Row], field: str, limit: int | None) -> list[Row]:
    """What `mvexpand` must give, row by row."""
    expanded = []
    for row in rows:
        values = row.get(field)
        listed = values if isinstance(values, list) else [values]
        for value in listed[:limit] or [None]:
            changed = {**row, field: value}
            expanded.append({name: each for name, each in changed.items() if each is not None})
    return expanded


@settings(max_examples=examples(100), deadline=None)
@given(mixed_rows, cut_lists)
def test_agrees_with_the_rows_one_by_one(rows: list[Row], cuts: list[int]) -> None:
    lists = [{**row, "list": [row.get("a"), "x"] if isinstance(row.get("a"), str) else row.get("a")}
             for row in rows]  # fmt: skip
    for limit in (None, 1):
        assert apply_split(make("list", limit), make_table(lists), cuts) == expand(
            lists, "list", limit
        )


def test_lists_of_several_types_and_single_values() -> None:
    rows: list[Row] = [{"a": ["x", "y"], "b": 1}, {"a": 5}, {"b": 2}, {"a": [1, 2]}, {"a": []}]
    assert read(make().apply(make_table(rows))) == expand(rows, "a", None)


def test_a_field_nobody_has_and_no_rows() -> None:
    assert read(make("zz").apply(make_table([{"a": 1}]))) == [{"a": 1}]
    assert make().apply(make_table([])).height == 0
    assert make().needs().fields == {"a"}


def test_rows_are_counted_before_they_are_made() -> None:
    table = make_table([{"a": list(range(10))}] * 10)
    with pytest.raises(TooLarge, match="would make 100 rows of 10, expected at most 99"):
        make(max_rows=99).apply(table)
    assert make(max_rows=100).apply(table).height == 100
    assert make(limit=2, max_rows=20).apply(table).height == 20
    with Memory(1000).working("mvexpand"), pytest.raises(OverBudget, match="mvexpand needs"):
        make().apply(table)


def test_what_says_which_event_it_is_cannot_be_expanded() -> None:
    with pytest.raises(Invalid, match="_time has one value"):
        make("_time").apply(make_table([{"a": 1}], events=True))


def test_events_are_answered_once_for_each_value(tmp_path: Path) -> None:
    stored = Stored(tmp_path)
    try:
        env = stored.make_env()
        stored.keep(env, [{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": ["b"]}, {"id": 3}])
        rows = stored.search(env, "* | mvexpand tags | fields id, tags", limit=10).rows
        assert sorted((row["id"], row.get("tags")) for row in rows if row["id"] != 3) == [
            *((1, "a"), (1, "b"), (2, "b"))
        ]
        counted = stored.search(env, "* | mvexpand tags | stats count by tags", limit=10).rows
        assert {row["tags"]: row["count"] for row in counted} == {"a": 1, "b": 2, None: 1}
        first = stored.search(env, "* | mvexpand tags", limit=2)
        assert len(first.rows) == 2
    finally:
        stored.close()


PIPES_THAT_SORT = (
    "",
    "| sort host",
    "| limit 5000",
    "| tail 5000",
    "| streamstats count as n",
    "| union (id:x)",
)


def test_the_values_of_an_event_stay_in_order(tmp_path: Path) -> None:
    stored = Stored(tmp_path)
    try:
        env = stored.make_env()
        numbers = [str(7 * number % 100) for number in range(100)]
        times = [1_700_000_000 + place * 7 % 12 for place in range(12)]
        stored.keep(env, [{"ts": time, "id": time, "tags": numbers} for time in times])
        for pipe in PIPES_THAT_SORT:
            rows = stored.search(
                env, f"* | mvexpand tags {pipe} | fields id, tags", limit=5000
            ).rows
            found = {time: [row["tags"] for row in rows if row["id"] == time] for time in times}
            assert found == dict.fromkeys(times, numbers), pipe
        listed = stored.search(env, "* | mvexpand tags | stats list(tags) as tags by id").rows
        assert [row["tags"] for row in listed] == [numbers] * 12
    finally:
        stored.close()

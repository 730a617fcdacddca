"""`lookup`: columns of a stored table."""

import polars as pl
import pytest
from hypothesis import given, settings
from tests.engine.expressions.evaluation import rows_of_values
from tests.engine.expressions.oracle import as_text
from tests.engine.pipes.tables import Row, apply_split, cut_lists, make_table, read
from tests.properties import examples

from logboom.base.errors import Invalid
from logboom.engine.pipes.combine.lookup import make_lookup
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast
from logboom.lang.parse import parse

OWNERS = pl.DataFrame(
    {
        "host": ["web-1", "DB", "db", "10", None],
        "team": ["front", "data", "late", "ten", "none"],
        "b": ["x", None, "y", "z", "none"],
    }
)
CONDITIONS = Conditions(tables={"owners": OWNERS})


def make(field: str = "host", key: str = "host", *outputs: str) -> RowPipe:
    pairs = tuple((name, name) for name in outputs)
    return make_lookup(ast.Lookup("owners", ((key, field),), pairs), CONDITIONS)


def test_the_first_row_with_the_key_gives_its_columns() -> None:
    table = make().apply(make_table([{"host": "WEB-1"}, {"host": "db"}, {"host": "other"}]))
    assert read(table) == [
        {"host": "WEB-1", "team": "front", "b": "x"},
        {"host": "db", "team": "data"},
        {"host": "other"},
    ]


def test_only_the_columns_asked_for_are_added() -> None:
    table = make("server", "host", "team").apply(make_table([{"server": 10}]))
    assert read(table) == [{"server": 10, "team": "ten"}]


@settings(max_examples=examples(100), deadline=None)
@given(rows_of_values, cut_lists)
def test_agrees_with_the_rows_one_by_one(rows: list[Row], cuts: list[int]) -> None:
    known = {"a": {"b": "first"}, "true": {"b": "yes"}, "10": {"b": "ten"}}
    stored = pl.DataFrame({"k": ["A", "a", "TRUE", "10"], "b": ["first", "second", "yes", "ten"]})
    pipe = make_lookup(ast.Lookup("t", (("k", "a"),)), Conditions(tables={"t": stored}))
    expected = []
    for row in rows:
        found = known.get((as_text(row.get("a")) or "").lower(), {})
        expected.append({k: v for k, v in {**row, **found}.items() if v is not None})
    assert apply_split(pipe, make_table(rows), cuts) == expected


def test_nothing_and_missing_fields() -> None:
    assert make().apply(make_table([])).height == 0
    assert read(make().apply(make_table([{"z": 1}]))) == [{"z": 1}]
    assert make().needs().fields == {"host", "team", "b"}


def test_events_show_the_new_columns() -> None:
    table = make().apply(
        make_table([{"host": "web-1", "b": 5}, {"host": "db", "b": 5}], events=True)
    )
    assert [row["b"] for row in read(table)] == ["x", 5]
    assert table.has_events


def test_what_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(Invalid, match="table 'zz', expected one of owners"):
        make_lookup(ast.Lookup("zz", (("a", "b"),)), CONDITIONS)
    with pytest.raises(Invalid, match="column 'zz', expected one of b, host, team"):
        make("host", "host", "zz")
    with pytest.raises(Invalid, match="table 'zz', but there are no tables yet"):
        make_lookup(ast.Lookup("zz", (("a", "b"),)), Conditions())


def look_up(text: str, rows: list[Row], tables: dict[str, pl.DataFrame]) -> list[Row]:
    (pipe,) = parse(f"* | lookup {text}").pipes
    assert isinstance(pipe, ast.Lookup)
    return read(make_lookup(pipe, Conditions(tables=tables)).apply(make_table(rows)))


def test_the_column_comes_before_the_field() -> None:
    both = pl.DataFrame({"a": ["1", "2"], "b": ["2", "1"], "name": ["one", "two"]})
    rows = [{"b": "1", "a": "9"}]
    assert look_up("t a as b output name", rows, {"t": both}) == [{**rows[0], "name": "one"}]
    only_b = both.drop("a")
    assert look_up("t a as b output name", [{"a": "1"}], {"t": only_b}) == [
        {"a": "1", "name": "two"}
    ]
    only_a = both.drop("b")
    assert look_up("t a as b output name", [{"b": "1"}], {"t": only_a}) == [
        {"b": "1", "name": "one"}
    ]


def test_several_keys_must_all_be_equal() -> None:
    table = pl.DataFrame({"host": ["a", "a"], "port": ["1", "2"], "name": ["one", "two"]})
    rows: list[Row] = [{"host": "A", "p": 2}, {"host": "a", "p": 3}, {"host": "a"}]
    found = look_up("t.csv host, port as p output name as service", rows, {"t": table})
    assert found == [{**rows[0], "service": "two"}, rows[1], rows[2]]


def test_new_values_replace_others_unless_these_are_kept() -> None:
    table = pl.DataFrame({"host": ["a"], "name": ["new"]})
    rows: list[Row] = [{"host": "a", "name": 1}, {"host": "a"}, {"host": "b", "name": 2}]
    replaced = look_up("t host output name", rows, {"t": table})
    kept = look_up("t host outputnew name", rows, {"t": table})
    assert [row.get("name") for row in replaced] == ["new", "new", 2]
    assert [row.get("name") for row in kept] == [1, "new", 2]

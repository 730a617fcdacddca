"""`unpack`: the fields inside a text, as fields of the row."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.pipes.tables import apply_split, cut_lists, make_table, read
from tests.properties import examples

from logboom.base.errors import TooLarge
from logboom.engine.pipes.compute.unpack import MAX_FIELDS, make_unpack
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def make(
    format_: ast.UnpackFormat = "json",
    field: str = "message",
    prefix: str = "",
    columns: tuple[str, ...] = (),
) -> RowPipe:
    return make_unpack(ast.Unpack(format_, field, prefix, columns), Conditions())


def test_members_become_fields_of_their_types() -> None:
    table = make_table([{"message": '{"a":1,"B":{"c":"x"},"l":[1,2]}'}, {"message": "plain"}])
    unpacked = make().apply(table)
    assert [{k: v for k, v in row.items() if k != "message"} for row in read(unpacked)] == [
        {"a": 1, "B.c": "x", "l": [1, 2]},
        {},
    ]
    assert unpacked.columns == ("message", "a", "B.c", "l")


def test_other_formats_fields_and_names() -> None:
    (row,) = read(make("logfmt", "line", "p.").apply(make_table([{"line": "a=1 b"}])))
    assert row == {"line": "a=1 b", "p.a": "1", "p.b": True}
    (row,) = read(make("csv", columns=("x", "y")).apply(make_table([{"message": "1,2"}])))
    assert (row["x"], row["y"]) == ("1", "2")


def test_fields_are_replaced_only_where_something_was_found() -> None:
    table = make_table([{"message": '{"a":"new"}', "a": 1}, {"message": "-", "a": 2}, {"a": 3}])
    assert [row["a"] for row in read(make().apply(table))] == ["new", 2, 3]


cells = st.one_of(st.none(), st.integers(-5, 5), st.sampled_from(["x", "1"]), st.booleans())
objects = st.dictionaries(st.sampled_from(["a", "b", "c.d"]), cells)
rows = st.lists(
    st.fixed_dictionaries(
        {}, optional={"m": st.one_of(objects.map(json.dumps), st.just("no")), "a": cells}
    ),
    max_size=8,
)


@settings(max_examples=examples(100), deadline=None)
@given(rows, cut_lists)
def test_agrees_with_the_rows_one_by_one(rows: list[dict[str, Any]], cuts: list[int]) -> None:
    expected = []
    for row in rows:
        text = row.get("m", "no")
        found = {} if text == "no" else {k: v for k, v in json.loads(text).items() if v is not None}
        expected.append({k: v for k, v in {**row, **found}.items() if v is not None})
    assert apply_split(make(field="m"), make_table(rows), cuts) == expected


def test_nothing_and_missing_fields() -> None:
    assert make().apply(make_table([])).height == 0
    assert read(make().apply(make_table([{"z": 1}]))) == [{"z": 1}]
    assert make().needs().fields == {"message"}


def test_events_keep_their_own_fields_and_what_says_which_they_are() -> None:
    text = '{"_time":5,"_id":7,"a":"new"}'
    table = make_table([{"message": text, "a": 1}, {"message": "x", "a": 2}], events=True)
    unpacked = make().apply(table)
    assert unpacked.own == table.own
    assert [(row["a"], row["_time"]) for row in read(unpacked)] == [("new", 2), (2, 1)]
    assert unpacked.columns == ("a",)


def test_too_many_names_are_refused() -> None:
    text = json.dumps({f"f{place}": place for place in range(MAX_FIELDS + 1)})
    table = make_table([{"message": text}])
    with pytest.raises(TooLarge, match="10001 fields in message"):
        make_unpack(ast.Unpack("json"), Conditions()).apply(table)

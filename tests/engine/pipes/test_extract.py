"""`extract`: a template's fields."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.pipes.tables import apply_split, cut_lists, make_table, read
from tests.properties import examples

from logboom.base.errors import Invalid
from logboom.engine.pipes.compute.extract import make_extract
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def make(template: str, field: str = "message") -> RowPipe:
    return make_extract(ast.Extract(template, field), Conditions())


def test_text_between_the_fixed_parts_becomes_fields() -> None:
    table = make_table([{"m": "at 12:30 user=bob from 10.0.0.1: ok (done)"}])
    pipe = make("user=<user.name> from <_>: <result> (<rest>", "m")
    (row,) = read(pipe.apply(table))
    assert (row["user.name"], row["result"], row["rest"]) == ("bob", "ok", "done)")


def test_rows_that_do_not_fit_keep_what_they_had() -> None:
    table = make_table([{"message": "a=1;"}, {"message": "b", "x": 5}])
    assert [row["x"] for row in read(make("a=<x>;").apply(table))] == ["1", 5]


texts = st.text(alphabet="ab=;\n.*", max_size=12)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(texts, max_size=8), cut_lists)
def test_agrees_with_cutting_by_hand(messages: list[str], cuts: list[int]) -> None:
    expected = []
    for message in messages:
        _, equals, behind = message.partition("=")
        value, semicolon, rest = behind.partition(";")
        found = {"x": value, "y": rest} if equals and semicolon else {}
        expected.append({"message": message, **found})
    table = make_table([{"message": message} for message in messages])
    assert apply_split(make("=<x>;<y>"), table, cuts) == expected


def test_nothing_and_missing_fields() -> None:
    pipe = make("<x>=")
    assert pipe.apply(make_table([])).height == 0
    assert read(pipe.apply(make_table([{"z": "a="}]))) == [{"z": "a="}]
    assert pipe.needs().fields == {"message", "x"}


def test_events_show_the_new_field() -> None:
    table = make("<X>=").apply(make_table([{"message": "ab=c"}], events=True))
    assert table.read_rows() == [{"X": "ab"}]


@pytest.mark.parametrize("template", ["plain", "<_>", "<a><b>", "x" * 5000 + "<a>"])
def test_a_template_that_extracts_nothing_is_refused(template: str) -> None:
    with pytest.raises(Invalid, match=r"^extract: "):
        make(template)

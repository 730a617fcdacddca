"""Pairs: what is written as logfmt is read back, and what is none is left alone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.feeding import read

from logboom.formats.logfmt import parse_event, parse_logfmt, parse_pairs

NAMES = st.text(
    st.characters(exclude_characters='="', exclude_categories=["Cs"]), min_size=1
).filter(lambda name: name.split() == [name])
VALUES = st.text(st.characters(exclude_categories=["Cs"]))
ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def format_logfmt(fields: dict[str, Any]) -> str:
    return " ".join(
        name if value is True else f'{name}="{value.translate(ESCAPES)}"'
        for name, value in fields.items()
    )


@given(st.dictionaries(NAMES, VALUES | st.just(True), min_size=1))
def test_what_is_written_as_logfmt_is_read_back(fields: dict[str, Any]) -> None:
    expected = None if all(value is True for value in fields.values()) else fields
    assert parse_logfmt(format_logfmt(fields)) == expected
    assert parse_event(format_logfmt(fields)) == expected


@given(st.text())
def test_the_pipe_and_the_reader_agree_on_what_is_logfmt(text: str) -> None:
    assert (parse_logfmt(text) is None) == (parse_event(text) is None)


def test_a_number_is_one_unless_it_is_quoted() -> None:
    assert parse_event('a=5 b="5" c=-1.25 d=05') == {"a": 5, "b": "5", "c": -1.25, "d": "05"}


def test_a_repeated_name_has_all_its_values() -> None:
    assert parse_event("a=1 b=x a=y a") == {"a": [1, "y", True], "b": "x"}


def test_a_line_without_pairs_is_a_message_and_a_fault() -> None:
    lines, faults = read("logfmt", [b"no pairs here\na=1\n"])
    assert (lines, faults) == ([b'{"message":"no pairs here"}', b'{"a":1}'], 1)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("a= b=2", {"b": "2"}),
        ('x= y=""', {"y": ""}),
        ("a = 1, b= 2", {"a": "1", "b": "2"}),
        ("a=b=c", {"a": "b=c"}),
        ("a= b", {"a": "b"}),
    ],
)
def test_a_pair_without_a_value_leaves_the_next_one_alone(
    text: str, fields: dict[str, str]
) -> None:
    assert parse_pairs(text) == fields

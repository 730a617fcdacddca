"""Queries that are asked again are read once, and what is remembered of them is bounded."""

import pytest

from logboom.lang.errors import InvalidQuery
from logboom.lang.parse import read
from logboom.lang.reading import LONGEST_REMEMBERED, REMEMBERED_QUERIES, read_query


def test_a_query_that_is_asked_again_is_not_read_again() -> None:
    first = read_query("level:error | stats count by host")
    assert read_query("level:error | stats count by host") is first
    assert first == read("level:error | stats count by host")


def test_a_canonical_text_is_not_taken_for_a_written_one() -> None:
    written, kept = read_query("grep -i error"), read_query("grep -i error", is_canonical=True)
    assert written.query != kept.query


def test_filters_beside_a_remembered_query_count() -> None:
    alone, narrowed = read_query("level:error"), read_query("level:error", "host:a")
    assert narrowed == read_query("level:error", "host:a")
    assert narrowed != alone == read_query("level:error")


def test_an_error_is_made_anew_each_time() -> None:
    errors = []
    for _ in range(2):
        with pytest.raises(InvalidQuery) as raised:
            read_query("level:(")
        errors.append(raised.value)
    assert errors[0] is not errors[1]
    assert errors[0].data == errors[1].data


def test_only_so_many_queries_are_remembered() -> None:
    first = read_query("number:0")
    for number in range(1, REMEMBERED_QUERIES + 1):
        read_query(f"number:{number}")
    assert read_query("number:0") is not first


def test_long_queries_are_not_remembered() -> None:
    text = "a" * (LONGEST_REMEMBERED + 1)
    assert read_query(text) is not read_query(text)

"""Folding: no line is lost, however the pattern and the chunks fall."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.feeding import chunked, read, read_events

from logboom.base.errors import Invalid
from logboom.formats import open_reader
from logboom.formats.multiline import open_fold
from logboom.formats.reader import Options

LINE = st.sampled_from(["start", "start again", " more", "", "  ", "x"])


@given(st.lists(LINE), st.integers(1, 5))
def test_the_lines_of_all_records_are_those_that_came_in(lines: list[str], max_lines: int) -> None:
    fold = open_fold("^start", max_lines)
    records = fold.feed(lines) + fold.finish()
    found = [line for record in records for line in record.split("\n") if line.strip()]
    assert found == [line for line in lines if line.strip()]
    assert all(len(record.split("\n")) <= max_lines for record in records)
    assert sum(record.startswith("start") for record in records) == sum(
        line.startswith("start") for line in lines
    )


@pytest.mark.parametrize("format", ["text", "ndjson", "logfmt", "syslog", "cef", "auto"])
@given(chunks=chunked(LINE.map(str.encode)), max_lines=st.integers(1, 4))
def test_it_does_not_matter_where_chunks_end(
    format: str, chunks: list[bytes], max_lines: int
) -> None:
    options = Options(multiline="^start", max_lines=max_lines)
    assert read(format, chunks, options) == read(format, [b"".join(chunks)], options)


@given(st.lists(LINE))
def test_blank_lines_are_no_events_where_every_line_begins_one(lines: list[str]) -> None:
    fold = open_fold("", 5)
    assert fold.feed(lines) + fold.finish() == [line for line in lines if line.strip()]


def test_a_folded_event_is_parsed_as_its_format() -> None:
    text = "<13>1 - h a - - - first\n  second\n<13>1 - h a - - - third\n"
    events = read_events("syslog", text, Options(multiline="^<"))
    assert [event["message"] for event in events] == ["first\n  second", "third"]


def test_a_logfmt_value_may_go_over_lines() -> None:
    text = 'a=1 trace="one\n two"\na=2 trace=x\n'
    assert read_events("logfmt", text, Options(multiline="^a=")) == [
        {"a": 1, "trace": "one\n two"},
        {"a": 2, "trace": "x"},
    ]


@pytest.mark.parametrize(
    ("pattern", "place"),
    [("ab[c", 2), ("ab**", 2), ("x(?=y)", 1), (r"a\1", 1)],
)
@pytest.mark.parametrize("format", ["text", "auto"])
def test_a_bad_pattern_is_refused_with_its_place(format: str, pattern: str, place: int) -> None:
    with pytest.raises(Invalid) as caught:
        open_reader(format, Options(multiline=pattern))
    assert caught.value.data["position"] == place
    assert pattern[place : place + 1] in caught.value.message


@pytest.mark.parametrize("pattern", ["(a*)*$", "(a|a)*b", "(.*)(.*)(.*)(.*)x", "(a+)+$"])
def test_evil_patterns_come_to_an_end(pattern: str) -> None:
    lines, _ = read("text", [b"a" * 100_000 + b"!\n"], Options(multiline=pattern))
    assert len(lines) == 1

"""Delimited columns: what a writer writes is read back, whatever it quotes."""

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.feeding import read, read_events

from logboom.formats import csv as format_csv
from logboom.formats import open_reader
from logboom.formats.csv import name_columns
from logboom.formats.reader import Options, read_cell

CELLS = st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=8)
NAMES = st.lists(st.text("abcdefgh", min_size=1, max_size=3), min_size=2, max_size=4, unique=True)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    names = draw(NAMES)
    row = st.lists(CELLS, min_size=len(names), max_size=len(names))
    return [names, *draw(st.lists(row, max_size=5))]


def format_rows(rows: list[list[str]], **dialect: Any) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n", **dialect).writerows(rows)
    return written.getvalue()


@given(tables(), st.sampled_from(",;\t|"), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_what_is_written_as_rows_is_read_back(
    rows: list[list[str]], delimiter: str, quoting: int
) -> None:
    text = format_rows(rows, delimiter=delimiter, quoting=quoting)
    names, *values = rows
    expected = [
        {name: read_cell(cell) for name, cell in zip(names, row, strict=True) if cell}
        for row in values
    ]
    for format in ("csv", "tsv"):
        assert read_events(format, text) == [event for event in expected if event]


def test_a_quoted_line_feed_may_fall_between_chunks() -> None:
    lines, faults = read("csv", [b"a,b\n", b'1,"x\n', b"\n", b'y"\n2,z\n'])
    assert (lines, faults) == ([b'{"a":1,"b":"x\\n\\ny"}', b'{"a":2,"b":"z"}'], 0)


def test_a_row_without_an_end_is_not_held_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(format_csv, "MAX_ROW_CHARACTERS", 20)
    reader = open_reader("csv", Options())
    assert reader.feed(b'a,b\n1,"x\n').data == b""
    lines = reader.feed(b"2,yyyyyyyyyyyyyyyyyyyyy\n")
    assert lines.data.split() == [b'{"message":"1,\\"x"}', b'{"a":2,"b":"yyyyyyyyyyyyyyyyyyyyy"}']
    assert lines.faults == 1


def test_blank_lines_before_the_header_are_skipped() -> None:
    assert read("csv", [b"\n", b"  \n\na;b\n", b'1;"x\n\ny"\n']) == (
        [b'{"a":1,"b":"x\\n\\ny"}'],
        0,
    )


def test_a_quote_that_never_closes_costs_only_its_own_line() -> None:
    good = [f"{number},fine" for number in range(2 * format_csv.MAX_ROW_LINES)]
    text = "\n".join(["a,b", '1,"open', *good]).encode()
    lines, faults = read("csv", text.splitlines(keepends=True))
    assert (len(lines), faults) == (1 + len(good), 1)
    assert lines[0] == b'{"message":"1,\\"open"}'
    assert (lines, faults) == read("csv", [text])


def test_lines_that_all_keep_a_quote_open_are_read_once() -> None:
    lines, faults = read("csv", [b"a,b,c\n" + b'a",b,"c\n' * 20_000])
    assert len(lines) == faults == 20_000


def test_a_row_of_too_many_cells_is_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(format_csv, "MAX_FIELDS_PER_EVENT", 3)
    assert read("csv", [b"a,b\n1,2,3,4\n1,2,3\n"]) == (
        [b'{"message":"1,2,3,4"}', b'{"a":1,"b":2,"column3":3}'],
        1,
    )


def test_a_long_cell_is_kept_whole() -> None:
    cell = "x" * 1_000_000
    assert read_events("csv", f"a,b\n1,{cell}\n") == [{"a": 1, "b": cell}]


@given(st.lists(st.sampled_from(["a", "a_2", "a_3", "", " ", "column2", "b"]), max_size=8))
def test_columns_have_names_that_differ(header: list[str]) -> None:
    names = name_columns(header)
    assert len(set(names)) == len(names) == len(header)
    assert all(names)
    first = {
        cell.strip(): place for place, cell in reversed(list(enumerate(header))) if cell.strip()
    }
    assert all(names[place] == cell for cell, place in first.items())


def test_many_columns_of_one_name_are_numbered() -> None:
    names = name_columns(["a"] * 20_000)
    assert names[:2] == ["a", "a_2"]
    assert names[-1] == "a_20000"

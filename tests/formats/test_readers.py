"""What holds for the readers of all formats."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.feeding import chunked, read, read_events
from tests.together import together

from logboom.base.errors import Invalid
from logboom.formats import FORMATS, open_reader
from logboom.formats.reader import Options, read_cell

OPTIONS = {"grok": Options(grok="combined")}
SNIPPETS = st.sampled_from(
    [b'"', b",", b'{"a":1}', b"{", b"}", b"[", b"]", b"a=1", b'a="', b"\\", b" ", b"#Fields: a b",
     b"<13>", b"CEF:0|a|b|c|d|e|5|", b"\xff\xfe", "ü".encode(), b"\t", b"-", b"\r", b"x", b"1.5"]
)  # fmt: skip
ANY_LINE = st.lists(SNIPPETS, max_size=6).map(b"".join)


@pytest.mark.parametrize("format", sorted(FORMATS))
@given(chunks=chunked(ANY_LINE))
def test_it_does_not_matter_how_a_text_is_cut(format: str, chunks: list[bytes]) -> None:
    options = OPTIONS.get(format, Options())
    assert read(format, chunks, options) == read(format, [b"".join(chunks)], options)


@pytest.mark.parametrize("format", sorted(set(FORMATS) - {"ndjson", "auto"}))
@given(chunks=chunked(ANY_LINE))
def test_every_line_is_one_json_object(format: str, chunks: list[bytes]) -> None:
    lines, faults = read(format, chunks, OPTIONS.get(format, Options()))
    events = [json.loads(line.decode(errors="replace")) for line in lines]
    assert all(isinstance(event, dict) for event in events)
    assert faults <= len(events)


@pytest.mark.parametrize("format", sorted(set(FORMATS) - {"auto"}))
@pytest.mark.parametrize("piece", ["[", "{", '"', "a ", "a=", '",', '"" ', "\\", "<1>", "|", "="])
def test_long_lines_are_read_in_one_pass(format: str, piece: str) -> None:
    text = f"#Fields: a b\n{piece * 100_000}\n{piece * 100_000}\n"
    lines, _ = read(format, [text.encode()], OPTIONS.get(format, Options()))
    assert lines


def test_text_that_is_not_utf8_stays_readable() -> None:
    assert read("text", [b"caf\xe9 \xf0\x9f\n"]) == ([rb'{"message":"caf\\xe9 \\xf0\\x9f"}'], 0)


@together("format", sorted(FORMATS))
def test_nothing_comes_of_nothing(format: str) -> None:
    options = OPTIONS.get(format, Options())
    assert read(format, [], options) == ([], 0)
    assert read(format, [b"", b"\n \n\r\n", b""], options) == ([], 0)


def test_an_unknown_format_is_refused_with_those_there_are() -> None:
    with pytest.raises(Invalid, match="unknown format 'xml', expected one of ndjson, json, text"):
        open_reader("xml", Options())


def test_a_fold_of_no_lines_is_refused() -> None:
    with pytest.raises(Invalid, match="max_lines is 0, expected at least 1"):
        open_reader("text", Options(max_lines=0))


@pytest.mark.parametrize("format", ["json", "csv", "tsv", "w3c"])
def test_formats_that_are_not_of_lines_refuse_multiline(format: str) -> None:
    with pytest.raises(Invalid, match=f"multiline does not work with format {format}"):
        open_reader(format, Options(multiline="^x"))


@given(st.integers(-(10**14), 10**14) | st.decimals(-(10**6), 10**6, places=5).map(float))
def test_a_number_that_json_would_write_so_is_a_number(number: int | float) -> None:
    text = json.dumps(number)
    cell = read_cell(text)
    assert cell == (text if "e" in text else number)


@given(st.text(alphabet="-+.0123456789eE_ x", min_size=1))
def test_a_cell_is_a_number_only_when_it_says_the_same(text: str) -> None:
    cell = read_cell(text)
    assert cell == text if isinstance(cell, str) else cell == json.loads(text)


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]))))
def test_every_line_of_a_text_is_a_message(lines: list[str]) -> None:
    events = read_events("text", "".join(f"{line}\n" for line in lines))
    expected = [line for line in lines if line.strip()]
    assert [event["message"] for event in events] == expected or lines[:1] == ["\ufeff"]

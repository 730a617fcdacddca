"""Common Event Format: what is written comes back."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logboom.formats.cef import HEADER, NUMBERS, TIMES, parse_cef

NOW_NS = 1_794_700_800_000_000_000
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
cells = st.lists(texts, min_size=len(HEADER) - 2, max_size=len(HEADER) - 2)
keys = st.from_regex(r"[a-z][A-Za-z0-9_.]{0,10}", fullmatch=True).filter(
    lambda key: key not in {*HEADER, *NUMBERS, *TIMES, "msg", "message", "timestamp", "extension"}
)
values = texts.map(lambda text: text.rstrip(" "))


def escape_cell(text: str) -> str:
    return re.sub(r"([\\|])", r"\\\1", text)


def escape_value(text: str) -> str:
    escaped = re.sub(r"([\\=])", r"\\\1", text)
    return escaped.replace("\n", "\\n").replace("\r", "\\r")


@given(cells, st.integers(0, 10), st.dictionaries(keys, values, max_size=5))
def test_what_is_written_comes_back(
    cells: list[str], severity: int, extension: dict[str, str]
) -> None:
    pairs = " ".join(f"{key}={escape_value(value)}" for key, value in extension.items())
    header = "|".join(["0", *map(escape_cell, cells), str(severity)])
    event = parse_cef(f"CEF:{header}|{pairs}", NOW_NS)
    named = dict(zip(HEADER, ["0", *cells, severity], strict=True))
    assert event == {**named, "message": named["name"], **extension}


@given(st.text())
def test_any_text_is_read_or_left_alone(text: str) -> None:
    for prefix in ("", "CEF:0|", "CEF:0|a|b|c|d|e|5|"):
        event = parse_cef(prefix + text, NOW_NS)
        assert event is None or event["cef_version"] == "0"


@pytest.mark.parametrize(
    "text", ["a" * 60_000, "a=" * 30_000, "\\" * 60_000, " a" * 30_000, "CEF:1" * 10_000]
)
def test_long_texts_take_no_longer_than_they_are(text: str) -> None:
    for prefix in ("", "CEF:0|", "CEF:0|a|b|c|d|e|5|"):
        parse_cef(prefix + text, NOW_NS)


def test_a_label_never_hides_a_field() -> None:
    event = parse_cef(
        "CEF:0|a|b|c|d|name|5|cs1=custom cs1Label=name src=1 cs2=x cs2Label=src", NOW_NS
    )
    assert event is not None
    assert (event["name"], event["src"], event["cs2"]) == ("name", "1", "x")


def test_the_extension_says_the_time_better_than_the_prefix() -> None:
    event = parse_cef("Nov 14 00:21:27 fw CEF:0|a|b|c|d|e|5|end=1794616888123", NOW_NS)
    assert event is not None
    assert event["timestamp"] == "1794616888123"

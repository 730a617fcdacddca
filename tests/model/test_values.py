"""Concatenated JSON values: both splitters find those that the json module finds, and stop where they end."""

import json
from array import array
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.model.strategies import BROKEN, ESCAPED, NUMBERS, SNIPPETS, lines, mutate, wild_events
from tests.model.twins import open_native
from tests.properties import examples
from tests.together import together

from logboom.model.values import (
    MAX_VALUE_DEPTH,
    Split,
    Splitter,
    find_odd_line,
    looks_like_object,
    open_odd_line_finder,
    open_splitter,
    split_values,
)

open_native()
ALL = 1 << 40
BLANKS = " \t\r\n"
SEPARATORS = ["", " ", "\n", "\r\n\t"]

texts = st.lists(st.tuples(wild_events, st.sampled_from(SEPARATORS)), max_size=3)


def refuse(name: str) -> None:
    raise ValueError(name)


def split_with_json(data: bytes) -> list[int]:
    """The spans by the json module; each byte is a character to it, so that places are those of the bytes."""
    text = data.decode("latin-1")
    decoder = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=refuse)
    spans: list[int] = []
    at = 0
    while True:
        at = len(text) - len(text[at:].lstrip(BLANKS))
        try:
            _, end = decoder.raw_decode(text, at)
        except ValueError:
            return spans
        spans += (at, end)
        at = end


def split_both(data: bytes) -> Split:
    """The values of some bytes, on which both splitters and the json module agree."""
    expected = split_values(data, 0, ALL)
    assert open_splitter()(data, 0, ALL) == expected
    assert expected.spans.tolist() == split_with_json(data)
    return expected


def test_values_need_no_space_between() -> None:
    split = split_both(b' {"a":"}{"}{}\n[1,[2]]"x"1.5e3 true')
    assert split.spans.tolist() == [1, 11, 11, 13, 14, 21, 21, 24, 24, 29, 30, 34]
    assert split.stop is None


@together(
    ("data", "stop"),
    [
        (b"", None),
        (b" \r\n", None),
        (b"{} x", 3),
        (b"{}}", 2),
        (b'{"a":1,}', 7),
        (b'{"a" 1}', 5),
        (b"{1:2}", 1),
        (b"[1 2]", 3),
        (b"[1,]", 3),
        (b'{"a":[1}', 7),
        (b'{"a":"b\n"}', 5),
        (b'{"a":"\\x"}', 5),
        (b'{"a":01}', 6),
        (b'{"a":NaN}', 5),
        (b'{"a":{"b":1}', 12),
        (b'{"a":"b', 5),
        (b"\xef\xbb\xbf{}", 0),
    ],
)
def test_reading_stops_at_the_token_that_is_wrong(data: bytes, stop: int | None) -> None:
    assert split_both(data).stop == stop


@pytest.mark.parametrize("split", [split_values, open_splitter()])
def test_reading_begins_and_ends_where_it_is_told(split: Splitter) -> None:
    data = b'{"a":1} 2 [3] x'
    assert split(data, 7, 1) == (array("q", [8, 9]), None)
    assert split(data, 9, 2) == (array("q", [10, 13]), 14)
    assert split(data, 0, 3) == (array("q", [0, 7, 8, 9, 10, 13]), None)
    assert split(data, len(data), 1) == (array("q"), None)


@pytest.mark.parametrize("split", [split_values, open_splitter()])
def test_nesting_has_a_limit(split: Splitter) -> None:
    deep = b"[" * MAX_VALUE_DEPTH + b"]" * MAX_VALUE_DEPTH
    assert split(deep, 0, ALL) == (array("q", [0, len(deep)]), None)
    assert split(b"[" + deep + b"]", 0, ALL).stop == MAX_VALUE_DEPTH
    assert split(b"[" * 1_000_000, 0, ALL).stop == MAX_VALUE_DEPTH


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts)
def test_values_are_found_whatever_is_between(several: list[tuple[str, str]]) -> None:
    data = "".join(value + separator for value, separator in several).encode(errors="surrogatepass")
    split = split_both(data)
    assert split.stop is None
    found = [
        data[start:end] for start, end in zip(split.spans[::2], split.spans[1::2], strict=True)
    ]
    assert found == [value.encode(errors="surrogatepass") for value, _ in several]


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(lines, max_size=3), st.sampled_from(SEPARATORS), st.integers(0, 2**32))
def test_any_bytes(several: list[bytes], separator: str, seed: int) -> None:
    data, chance = separator.encode().join(several), Random(seed)
    split_both(data)
    for _ in range(20):
        split_both(mutate(data, chance))


@together("value", [*NUMBERS, *ESCAPED, *BROKEN])
def test_odd_values(value: str) -> None:
    for text in (
        value,
        f'{{"a":{value}}}',
        f"[{value},{value}]",
        f'{{"a":{value}',
        f"{value} {{}}",
    ):
        split_both(text.encode(errors="surrogatepass"))


def test_every_truncation_and_a_snippet_at_every_place() -> None:
    data = '{"a":"é\\ud83d\\n","b":[1.5e-3,-0,true]}{"c":{"d":null}} "x" [[],{}]'.encode()
    for at in range(len(data) + 1):
        split_both(data[:at])
        for snippet in SNIPPETS:
            split_both(data[:at] + snippet + data[at:])


PIECES = st.sampled_from(
    [
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b" ",
        b"\r",
        b"\n",
        b'"',
        b"\\",
        b'"a":',
        b"{}",
        b'{"a":"}{"}',
        b"1",
        b"x",
    ]
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(PIECES, max_size=20).map(b"".join))
def test_both_find_the_same_odd_lines_and_items(data: bytes) -> None:
    expected = [place for place in starts_of_lines(data) if is_odd(data[place:].split(b"\n")[0])]
    found = find_odd_line(data, 0)
    assert found == (expected[0] if expected else len(data))
    assert open_odd_line_finder()(data, 0) == found
    for end in {len(data) // 2, len(data), None}:
        items = split_values(data, 0, ALL, end, is_list=True)
        assert open_splitter()(data, 0, ALL, end, is_list=True) == items


def starts_of_lines(data: bytes) -> list[int]:
    return [0, *(place + 1 for place, byte in enumerate(data[:-1]) if byte == ord("\n"))][
        : len(data)
    ]


def is_odd(line: bytes) -> bool:
    """Whether a line is not blank and not braces around one object, as far as its braces tell."""
    text = line.strip(b" \t\r")
    return bool(text) and not looks_like_object(text)


@together(
    ("line", "expected"),
    [
        (b"{}", True),
        (b'{"a":1} ', True),
        (b'{"a":[{},{}]}', True),
        (b'{"a":"}{"}', True),
        (b'{"a":1}{"a":1}', False),
        (b'{"a":1} {"a":1}\r', False),
        (b'{"a":1},{"a":1}', False),
        (b'[{"a":1}]', False),
        (b'{"a":1},', False),
        (b"{", False),
        (b"text", False),
        (b" \t\r", True),
    ],
)
def test_what_looks_like_one_object(line: bytes, expected: bool) -> None:
    data = b'{"before":1}\n' + line + b'\n{"after":1}\n'
    assert find_odd_line(data, 0) == (len(data) if expected else 13)
    assert open_odd_line_finder()(data, 0) == (len(data) if expected else 13)


def test_items_are_found_between_brackets_and_commas() -> None:
    data = b'[{"a":1}, [{"b":2}],\n{"c":[3]}] tail'
    spans, stop = open_splitter()(data, 0, ALL, is_list=True)
    texts = [data[start:end] for start, end in zip(spans[::2], spans[1::2], strict=True)]
    assert texts == [b'{"a":1}', b'{"b":2}', b'{"c":[3]}']
    assert stop == data.index(b"tail")

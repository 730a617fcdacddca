"""Objects that are not written one a line: each becomes a line, wherever chunks are cut, and nothing is lost."""

import json
import tracemalloc
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formats.feeding import read
from tests.together import together

from logboom.formats import objects
from logboom.formats.objects import ObjectReader
from logboom.model.batch import Lines

CASES: dict[str, tuple[bytes, list[bytes]]] = {
    "one a line": (b'{"a":1}\n{"b":2}', [b'{"a":1}', b'{"b":2}']),
    "array": (b'[{"a":1}, {"b":2}]', [b'{"a":1}', b'{"b":2}']),
    "array over lines": (b'[\n{"a":1},\n{"b":2}\n]\n', [b'{"a":1}', b'{"b":2}']),
    "commas first": (b'[{"a":1}\n,{"b":2}\n]', [b'{"a":1}', b'{"b":2}']),
    "no separator": (b'{"a":1}{"b":"}{"}{"c":[{}]}', [b'{"a":1}', b'{"b":"}{"}', b'{"c":[{}]}']),
    "blanks": (b'{"a":1} \t{"b":2}\r\n', [b'{"a":1}', b'{"b":2}']),
    "commas alone": (b'{"a":1},{"b":2}\n', [b'{"a":1}', b'{"b":2}']),
    "an array a line": (b'[{"a":1}]\n{"b":2}\n[{"c":3}]', [b'{"a":1}', b'{"b":2}', b'{"c":3}']),
    "nested": (b'[[{"a":1}],[[{"b":2}]]]', [b'{"a":1}', b'{"b":2}']),
    "empty": (b"[]\n[ ]\n[\n]\n", []),
    "over lines": (b'{\n"a":{\n"b":1\n}\n}\n{"c":1}\n', [b'{ "a":{ "b":1 } }', b'{"c":1}']),
    "cut array": (b'[{"a":1},{"b":2},{"c":', [b'{"a":1}', b'{"b":2}', b'{"c":']),
    "cut string": (b'[{"a":1},{"b":"x', [b'{"a":1}', b'{"b":"x']),
    "cut lines": (b'[\n{"a":1},\n{\n"b":\n', [b'{"a":1}', b'{"message":"{\\n\\"b\\":"}']),
    "numbers": (b"[1,2]\n", [b"[1,2]"]),
    "mixed": (b'[1,{"a":1},5,"x",{"b":2} , 7]\n', [b"1", b'{"a":1}', b'5,"x"', b'{"b":2}', b"7"]),
    "bad item": (b'[{"a":1},{\'b\':2},{"c":3}]', [b'{"a":1}', b"{'b':2}", b'{"c":3}']),
    "open line": (b'{"a":1\n{"b":2}\n', [b'{"a":1', b'{"b":2}']),
    "open value": (b'{"a":\n{"b":2}\n{"c":3}\n', [b'{"a":', b'{"b":2}', b'{"c":3}']),
    "open list at the end": (b'{"a":[\n{"b":2}\n', [b'{"a":[', b'{"b":2}']),
    "open string": (b'{"a":"x\n{"b":1}\n', [b'{"a":"x', b'{"b":1}']),
    "object and text": (b'{"a":1} // no\n', [b'{"a":1} // no']),
    "text in brackets": (b'[info] {"a":1}\n', [b'[info] {"a":1}']),
    "brackets alone": (b"[" * 2000, [b"[" * 2000]),
    "commas only": (b",,,\n", [b",,,"]),
}


@together("name", CASES)
def test_what_becomes_of_a_text(name: str) -> None:
    text, expected = CASES[name]
    lines, _ = read("ndjson", [text])
    assert lines == expected
    for size in (1, 2, 3, 7):
        chunks = [text[start : start + size] for start in range(0, len(text), size)]
        assert read("ndjson", chunks)[0] == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)
EVENTS = st.lists(st.dictionaries(st.text(max_size=3), JSON, max_size=3), min_size=1, max_size=5)
LAYOUTS: list[Any] = [
    lambda events, indent: json.dumps(events, indent=indent),
    lambda events, indent: "".join(json.dumps(each, indent=indent) for each in events),
    lambda events, indent: "\n".join(json.dumps(each, indent=indent) for each in events),
    lambda events, indent: "\n".join(json.dumps([each], indent=indent) for each in events),
    lambda events, indent: json.dumps([[each] for each in events], indent=indent) + "\n",
]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(EVENTS, st.sampled_from(LAYOUTS), st.sampled_from([None, 0, 2])), max_size=3
    ),
    st.lists(st.integers(0, 2000), max_size=6),
)
def test_every_object_is_found_in_any_layout(parts: list[Any], places: list[int]) -> None:
    text = "\n".join(layout(events, indent) for events, layout, indent in parts).encode()
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    lines, faults = read("ndjson", [text[start:end] for start, end in pairwise(edges)])
    assert faults == 0
    assert [json.loads(line) for line in lines] == [each for events, *_ in parts for each in events]


SNIPPETS = st.sampled_from(
    [
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b" ",
        b"\n",
        b'"',
        b"\\",
        b'"a":',
        b"{}",
        b'{"a":1}',
        b"12",
        b"tru",
        b"x",
    ]
)


@settings(deadline=None)
@given(st.lists(SNIPPETS, max_size=25).map(b"".join), st.lists(st.integers(0, 100), max_size=4))
def test_it_does_not_matter_where_any_bytes_are_cut(text: bytes, places: list[int]) -> None:
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    chunks = [text[start:end] for start, end in pairwise(edges)]
    whole = read("ndjson", [text])
    assert read("ndjson", chunks) == whole
    kept = b"".join(whole[0])
    assert all(kept.count(byte) >= text.count(byte) for byte in (b"a", b"12", b"tru", b"x"))


def test_elements_are_given_before_the_array_is_whole() -> None:
    reader = ObjectReader()
    assert reader.feed(b'[{"a":1},{"a":') == Lines(b'{"a":1}')
    assert reader.feed(b"2},") == Lines(b'{"a":2}')


def test_a_huge_array_on_one_line_is_never_held() -> None:
    item = b'{"message":"%b"},' % (b"x" * 1000)
    reader = ObjectReader()
    reader.feed(b"[")
    tracemalloc.start()
    found = sum(reader.feed(item * 100).data.count(b"message") for _ in range(200))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == 20_000
    assert peak < 2_000_000


def test_what_is_too_long_to_be_held_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "MAX_HELD_BYTES", 100)
    chunks = [
        b'{"a":"',
        b"x" * 200,
        b"y" * 200,
        b'"}\n{"b":1}\n{"open":\n',
        b"[" + b"1,\n" * 50,
        b'\n{"c":1}\n',
    ]
    lines, _ = read("ndjson", chunks)
    assert lines[0] == b'{"a":"' + b"x" * 94
    assert lines[1:3] == [b'{"b":1}', b'{"open":']
    assert lines[-1] == b'{"c":1}'

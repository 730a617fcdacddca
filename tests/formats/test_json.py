"""JSON values: every object outside other objects is an event, wherever the chunks are cut."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.feeding import read, read_events

from logboom.formats import objects
from logboom.formats.json import JsonReader
from logboom.model.batch import Lines

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.lists(st.dictionaries(st.text(), VALUES, max_size=3), max_size=5)


@given(OBJECTS, st.sampled_from([None, 0, 2]), st.booleans())
def test_the_objects_of_an_array_are_events(
    objects: list[dict[str, Any]], indent: int | None, is_array: bool
) -> None:
    if is_array:
        text = json.dumps(objects, indent=indent)
    else:
        text = " ".join(json.dumps(each, indent=indent) for each in objects)
    assert read_events("json", text) == [json.loads(json.dumps(each)) for each in objects]


@given(OBJECTS, st.integers(1, 20))
def test_chunks_may_end_anywhere(objects: list[dict[str, Any]], size: int) -> None:
    text = json.dumps([*objects, "a, [string] {", 5], ensure_ascii=False).encode()
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    assert read("json", chunks) == read("json", [text])


def test_numbers_repeated_keys_and_order_stay_as_they_are() -> None:
    lines, _ = read("json", [b'[{"b": 1.50, "a": 1e400, "b": 12345678901234567890}]'])
    assert lines == [b'{"b":1.50,"a":1e400,"b":12345678901234567890}']


def test_elements_are_given_before_the_array_is_whole() -> None:
    reader = JsonReader()
    assert reader.feed(b'[{"a":1},\n{"a":') == Lines(b'{"a":1}')
    assert reader.feed(b"2},\n") == Lines(b'{"a":2}')


def test_an_object_without_an_end_is_not_held_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "MAX_HELD_BYTES", 100)
    reader = JsonReader()
    assert reader.feed(b'{"open":\n').data == b""
    filler = b'{"line":"%b"}\n' % (b"x" * 100)
    lines = reader.feed(filler)
    assert lines.faults == 1
    assert lines.data.split() == [
        msgspec.json.encode({"message": '{"open":'}),
        filler.strip(),
    ]
    assert reader.feed(b'{"a":1}\n') == Lines(b'{"a":1}')


@pytest.mark.parametrize("text", ["{" * 100_000, '{"a":' * 100_000, '"' * 100_001, "}" * 100_000])
def test_evil_nesting_is_kept_as_messages(text: str) -> None:
    lines, faults = read("json", [text.encode()])
    assert 1 <= len(lines) == faults

"""Objects that wrap a list of events: when they are taken for one, and what their events get of them."""

import json
from typing import Any

import pytest
from tests.formats.feeding import read, read_events
from tests.together import together

from logboom.formats import objects

SUBSCRIPTION = {
    "messageType": "DATA_MESSAGE",
    "owner": "123456789012",
    "logGroup": "app",
    "subscriptionFilters": ["all"],
    "logEvents": [
        {"id": "1", "timestamp": 1700000000000, "message": "one"},
        {"id": "2", "timestamp": 1700000001000, "message": "two", "owner": "own"},
    ],
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("format", ["json", "auto"])
def test_events_get_what_stands_beside_their_list(format: str, indent: int | None) -> None:
    beside = {
        "messageType": "DATA_MESSAGE",
        "owner": "123456789012",
        "logGroup": "app",
        "subscriptionFilters": ["all"],
    }
    first, second = SUBSCRIPTION["logEvents"]
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    expected = [first | beside, beside | second]
    assert read_events(format, json.dumps(SUBSCRIPTION, indent=indent)) == expected
    assert read_events(format, json.dumps([SUBSCRIPTION] * 2, indent=indent)) == expected * 2


@pytest.mark.parametrize("name", ["Records", "records", "logs", "events", "value", "entries"])
@pytest.mark.parametrize("others", [{}, {"nextToken": "x", "count": 2, "more": False}])
def test_known_names_wrap(name: str, others: dict[str, Any]) -> None:
    wrapper = {**others, name: [{"a": 1}, {"b": {"c": [{}]}}]}
    expected = [{"a": 1, **others}, {"b": {"c": [{}]}, **others}]
    assert read_events("json", json.dumps(wrapper)) == expected


@together(
    "event",
    [
        {"message": "order", "events": [{"a": 1}]},
        {"timestamp": "2024-05-06T07:08:09Z", "records": [{"a": 1}]},
        {"event": "purchase", "value": [{"a": 1}]},
        {"user": "u", "items": [{"a": 1}]},
        {"user": {"id": 1}, "records": [{"a": 1}]},
        {"records": [{"a": 1}], "more": [{"b": 1}]},
        {"records": [{"a": 1}], "events": [{"b": 1}]},
        {"records": [{"a": 1}, 2]},
        {"records": []},
        {"records": {"a": 1}},
        {"records": "x", "text": '"records":[{'},
        {"outer": {"records": [{"a": 1}]}},
    ],
)
def test_an_ordinary_event_is_not_torn_apart(event: dict[str, Any]) -> None:
    assert read_events("json", json.dumps(event)) == [event]


def test_lines_of_ndjson_are_not_unwrapped() -> None:
    text = json.dumps({"records": [{"a": 1}]})
    assert read("ndjson", [text.encode()]) == ([text.encode()], 0)


@pytest.mark.parametrize("indent", [None, 1])
def test_a_wrapper_too_long_to_be_held_is_read_item_by_item(
    monkeypatch: pytest.MonkeyPatch, indent: int | None
) -> None:
    """Its events get what stands before the list; whatever follows the wrapper is read as ever."""
    monkeypatch.setattr(objects, "MAX_HELD_BYTES", 300)
    wrapper = {"owner": "me", "Records": [{"n": n} for n in range(100)], "next": "t", "last": True}
    text = json.dumps(wrapper, indent=indent) + '\n{"n":100}\n{"records":[{"n":101}]}'
    chunks = [text[start : start + 90].encode() for start in range(0, len(text), 90)]
    lines, faults = read("json", chunks)
    events = [json.loads(line) for line in lines]
    assert faults == 0
    assert events[:100] == [{"n": n, "owner": "me"} for n in range(100)]
    assert events[100:] == [{"n": 100}, {"n": 101}]

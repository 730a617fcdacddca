"""Envelopes to lines: what becomes of each member, and that a bad event stops nobody."""

import json
from array import array
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.model.strategies import lines as any_lines
from tests.model.strategies import wild_events
from tests.properties import examples
from tests.together import together

from logboom.base.errors import Invalid, TooLarge
from logboom.model.batch import Lines
from logboom.model.event import read_fields as read_event_fields
from logboom.model.event import shred_line
from logboom.model.jsonline import clean_text
from logboom.model.timestamps import parse_time
from logboom.protocols.collector import events
from logboom.protocols.collector.events import (
    PIECE_EVENTS,
    Defaults,
    EnvelopeReader,
    EventFault,
    name_index,
    read_defaults,
    read_text,
    read_time,
)
from logboom.protocols.merging import MAX_MEMBERS

NONE = Defaults(None, {})
SECONDS = "1794702009"
quick = settings(
    max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def read(body: bytes, defaults: Defaults = NONE) -> tuple[list[dict[str, Any]], EnvelopeReader]:
    """The events of a body, and its reader."""
    reader = EnvelopeReader(defaults)
    joined = Lines.join(list(reader.read(body)))
    return [json.loads(line) for line in joined.data.split(b"\n") if line], reader


def read_one(**envelope: object) -> dict[str, Any]:
    """The event of an envelope that is good."""
    (event,), reader = read(json.dumps(envelope).encode())
    assert reader.first_bad is None
    return event


def list_indexes(body: bytes) -> list[str | None]:
    (lines,) = EnvelopeReader(NONE).read(body)
    assert lines.routes is not None
    names = [*lines.routes.names, None]
    return [names[place] for place in lines.routes.ids]


@together(
    ("event", "expected"),
    [
        ("hello", {"message": "hello"}),
        ('}{"\n', {"message": '}{"\n'}),
        (42, {"message": "42"}),
        (0, {"message": "0"}),
        (1.5, {"message": "1.5"}),
        (True, {"message": "true"}),
        (False, {"message": "false"}),
        ([1, "a"], {"message": '[1, "a"]'}),
        ({"a": 1, "b": {"c": [2]}}, {"a": 1, "b": {"c": [2]}}),
        ({"line": "x", "attrs": None}, {"line": "x", "attrs": None}),
    ],
)
def test_an_event_is_its_members_or_a_message(event: object, expected: Mapping[str, Any]) -> None:
    assert read_one(event=event) == expected
    around = {"host": "h", "source": "s", "sourcetype": "t"}
    assert read_one(event=event, **around) == {**expected, **around}
    timed = read_one(event=event, time=1794702009, fields={"f": [1]}, **around)
    assert timed == {"timestamp": 1794702009, **expected, "f": [1], **around}


def test_null_and_nothing_are_absent() -> None:
    nothing = dict.fromkeys(("time", "host", "source", "sourcetype", "index", "fields"))
    assert read_one(event="x", **nothing) == {"message": "x"}
    assert read_one(event="x", host="", source="", index="", fields={}) == {"message": "x"}
    assert read_one(event="x", fields={"a": None}, unknown={"b": 1}) == {"message": "x"}


def test_the_event_comes_before_the_envelope_before_its_fields_before_the_defaults() -> None:
    defaults = Defaults(None, {"host": b'"default"', "sourcetype": b'"default"'})
    envelope = {"event": {"Host": "event"}, "host": "envelope", "fields": {"host": "fields"}}
    (event,), _ = read(json.dumps(envelope).encode(), defaults)
    assert event == {"Host": "event", "sourcetype": "default"}
    envelope["event"] = {"a": 1}
    (event,), _ = read(json.dumps(envelope).encode(), defaults)
    assert event == {"a": 1, "host": "envelope", "sourcetype": "default"}
    del envelope["host"]
    (event,), _ = read(json.dumps(envelope).encode(), defaults)
    assert event == {"a": 1, "host": "fields", "sourcetype": "default"}


def test_a_message_is_not_replaced_by_fields() -> None:
    assert read_one(event="own", fields={"message": "other", "a": 1}) == {"message": "own", "a": 1}


def test_the_time_of_the_envelope_comes_before_that_of_the_event() -> None:
    """The member stays an ordinary field, as does one inside `fields`."""
    event = {"timestamp": 5, "ts": 6}
    assert read_one(event=event) == event
    for envelope, fields in (
        ({"event": event}, event),
        (
            {"event": "x", "fields": {"timestamp": 1, "a": 2}},
            {"message": "x", "timestamp": 1, "a": 2},
        ),
    ):
        (lines,) = EnvelopeReader(NONE).read(
            json.dumps({**envelope, "time": 1794702009.5}).encode()
        )
        assert shred_line(lines.data).time_ns == 1794702009_500_000_000
        assert read_event_fields(lines.data) == fields


@together(
    ("envelope", "expected"),
    [
        ({"time": "soon"}, {"time": "soon"}),
        ({"time": {"a": 1}}, {"time": {"a": 1}}),
        ({"time": [1]}, {"time": [1]}),
        ({"time": True}, {"time": True}),
        ({"time": None, "host": None, "fields": None}, {}),
        ({"fields": {"a": {"b": 1}, "c": [{"d": 2}]}}, {"a": {"b": 1}, "c": [{"d": 2}]}),
        ({"fields": [1]}, {"fields": [1]}),
        ({"fields": "a"}, {"fields": "a"}),
        ({"fields": 7}, {"fields": 7}),
        ({"host": {"name": "h"}, "source": 1.5}, {"host": {"name": "h"}, "source": 1.5}),
        ({"sourcetype": ["a"]}, {"sourcetype": ["a"]}),
        ({"index": ["a"]}, {"index": ["a"]}),
        ({"index": {"a": 1}}, {"index": {"a": 1}}),
    ],
)
def test_an_envelope_with_odd_members_is_kept_with_them(
    envelope: dict[str, object], expected: dict[str, object]
) -> None:
    assert read_one(event="x", **envelope) == {"message": "x", **expected}
    own = {"message": "x", "time": "own", "host": "own", "source": "own", "fields": "own"}
    assert read_one(event=own, **envelope) == expected | own


def test_an_unreadable_time_leaves_that_of_the_request() -> None:
    defaults = read_defaults({"time": SECONDS})
    (event,), _ = read(b'{"event":"x","time":"soon"}', defaults)
    assert event == {"timestamp": int(SECONDS), "message": "x", "time": "soon"}


def test_digits_and_order_are_passed_on() -> None:
    body = b'{"event":{"b":1.50,"a":12345678901234567890,"b2":1e2},"fields":{"f":0.10},"host":7}'
    (lines,) = EnvelopeReader(NONE).read(body)
    assert lines.data == b'{"b":1.50,"a":12345678901234567890,"b2":1e2,"f":0.10,"host":7}'


@together(
    ("text", "expected"),
    [
        (SECONDS, SECONDS),
        (f'"{SECONDS}"', SECONDS),
        (f"{SECONDS}.1", f"{SECONDS}100"),
        (f'"{SECONDS}.639123"', f"{SECONDS}639123"),
        (f"{SECONDS}.6391234", f"{SECONDS}639123400"),
        (f"{SECONDS}.123456789", f"{SECONDS}123456789"),
        (f"{SECONDS}.1234567899", f"{SECONDS}123456789"),
        ("1.794702009E9", SECONDS),
        (f"{SECONDS}123", f"{SECONDS}123"),
        (f"{SECONDS}123456789", f"{SECONDS}123456789"),
        ('"2026-11-15T00:20:09.5Z"', f"{SECONDS}500"),
        ("12.5", "12.5"),
        ("0", "0"),
        ("-1", "-1"),
    ],
)
def test_times(text: str, expected: str) -> None:
    assert read_time(text.encode()) == expected.encode()


@together("text", ["true", "{}", '"x"', '""', '" "', "1e40", "9999999999", "[1]"])
def test_what_is_no_time(text: str) -> None:
    assert read_time(text.encode()) is None


@settings(max_examples=examples(200), deadline=None)
@given(st.decimals(0, 9_000_000_000, places=9), st.integers(0, 9), st.booleans())
def test_no_nanosecond_is_lost(seconds: Decimal, places: int, quoted: bool) -> None:
    shortened = f"{seconds:.9f}"[: -9 + places or None].rstrip(".")
    written = f'"{shortened}"' if quoted else shortened
    text = read_time(written.encode())
    assert isinstance(text, bytes)
    parsed = parse_time(text.decode().strip('"'), quoted=quoted)
    assert parsed is not None
    assert parsed.time_ns == int(Decimal(shortened).scaleb(9))


def test_an_index_routes_its_event() -> None:
    body = b'{"event":"a","index":"Main"}{"event":"b"}{"event":"c","index":7}{"event":"d","index":"Main"}'
    assert list_indexes(body) == ["main", None, "7", "main"]
    assert name_index(b'"A b/c"') == "a-b-c"
    assert name_index(b'"\\ud800"') == "-"
    assert name_index(b'""') is name_index(b"null") is name_index(b"") is name_index(b"[]") is None


@together(
    ("envelope", "fault"),
    [
        (b"{}", EventFault.NO_EVENT),
        (b'{"host":"x"}', EventFault.NO_EVENT),
        (b'{"event":null}', EventFault.BLANK_EVENT),
        (b'{"event":""}', EventFault.BLANK_EVENT),
        (b'{"event":" \\t\\n\\u0020"}', EventFault.BLANK_EVENT),
        (b'{"event":{ }}', EventFault.BLANK_EVENT),
        (b'{"event":[]}', EventFault.BLANK_EVENT),
    ],
)
def test_a_bad_event_is_left_out_and_the_others_are_not(envelope: bytes, fault: EventFault) -> None:
    events, reader = read(b'{"event":"a"}{"event":"b"}' + envelope + b'{"event":"c"}' + envelope)
    assert [event["message"] for event in events] == ["a", "b", "c"]
    assert reader.first_bad == (2, fault)
    assert reader.count == 5
    assert [reader.number_line(line) for line in range(3)] == [0, 1, 3]


@together(
    ("body", "messages", "number"),
    [
        (b"hello", ["hello"], 0),
        (b"17 null", ["17 null"], 0),
        (b'{"event":"a"}17\n{"event":"b"}', ["a", "17", "b"], 1),
        (b'[1,2,\n{"event":"b"}]', ["1,2,", "b"], 0),
        (b'"x"[1,\n{"event":"b"}', ['"x"[1,', "b"], 0),
        (b'1 [2,\n{"event":"b"}\n]\n{"event":"c"}', ["1 [2,", "b", "]", "c"], 0),
        (b'"text"', ['"text"'], 0),
        (b'{"event":"a"}{"event":tru}{"event":"b"}', ["a", '{"event":tru}{"event":"b"}'], 1),
        (b'{"event":"a"}\n{"event":tru}\n{"event":"b"}\n', ["a", '{"event":tru}', "b"], 1),
        (b'{"event":"a}\n{"event":"b"}', ['{"event":"a}', "b"], 0),
        (b'{"event":{"a":1}\n  {"event":"b"}', ['{"event":{"a":1}', "b"], 0),
        (b'{"event":{"a":1}\r\n\r\n{"event":"b"}', ['{"event":{"a":1}', "b"], 0),
        (b'{"event":"a"}}\n{"event":"b"}x\n', ["a", "}", "b", "x"], 1),
        (b'x\ny\n\n{"event":"b"}', ["x\ny", "b"], 0),
        (b'{"event":"a"}\n{"event":"cut o', ["a", '{"event":"cut o'], 1),
        (b'{"event":"\xff"}{"event":"b"}', ['{"event":"\ufffd"}', "b"], 0),
        (b"\x00", ["\x00"], 0),
    ],
)
def test_what_is_no_envelope_is_kept_as_a_message(
    body: bytes, messages: list[str], number: int
) -> None:
    events, reader = read(body)
    assert [event["message"] for event in events] == messages
    assert reader.first_bad == (number, EventFault.BROKEN)


def test_broken_text_gets_the_defaults() -> None:
    events, _ = read(b"oops", Defaults(b"1794702009", {"host": b'"h"'}))
    assert events == [{"timestamp": 1794702009, "message": "oops", "host": "h"}]


@pytest.mark.parametrize("body", [b"", b" \r\n", b"[]", b" [ ] "])
def test_a_body_without_events(body: bytes) -> None:
    events, reader = read(body)
    assert (events, reader.count, reader.first_bad) == ([], 0, None)


@pytest.mark.parametrize(
    "body",
    [
        b'[{"event":"a"},{"event":"b"}]',
        b' [\n{"event":"a"}\n ,\n{"event":"b"}\n]\n',
        b'[{"event":"a"}][{"event":"b"}]',
    ],
)
def test_a_list_of_envelopes(body: bytes) -> None:
    events, reader = read(body)
    assert [event["message"] for event in events] == ["a", "b"]
    assert reader.first_bad is None


def test_a_broken_item_of_a_list() -> None:
    events, reader = read(b'[{"event":"a"},\n{"event":x},\n{"event":"b"},{}]')
    assert [event["message"] for event in events] == ["a", '{"event":x},', "b"]
    assert reader.first_bad == (1, EventFault.BROKEN)
    assert reader.count == 4


def test_half_a_character_does_not_spoil_its_event() -> None:
    events, reader = read(b'{"event":"a\\ud83d","host":"\\ude00"}{"event":{"b":"\\ud83d"}}')
    assert events == [{"message": "a\ufffd", "host": "\ufffd"}, {"b": "\ufffd"}]
    assert reader.first_bad is None


def test_lines_are_lines() -> None:
    body = b'{\n"event":\r\n{"a":\n[1,\n2]},"fields":{"f":[1,\n2]}}{"event":[1,\n2]}'
    events, _ = read(body)
    assert events == [{"a": [1, 2], "f": [1, 2]}, {"message": "[1,\n2]"}]


def test_many_events_come_in_pieces() -> None:
    reader = EnvelopeReader(NONE)
    count = 2 * PIECE_EVENTS + 5
    body = b"".join(b'{"event":"%d","index":"i%d"}' % (at, at % 2) for at in range(count))
    pieces = list(reader.read(body + b"{}" * (PIECE_EVENTS + 1)))
    assert [len(piece.data.splitlines()) for piece in pieces[:3]] == [PIECE_EVENTS, PIECE_EVENTS, 5]
    assert not any(piece.data for piece in pieces[3:])
    lines = Lines.join(pieces)
    messages = [json.loads(line)["message"] for line in lines.data.splitlines()]
    assert messages == [str(number) for number in range(count)]
    assert lines.routes == (["i0", "i1"], array("i", [at % 2 for at in range(count)]))
    assert reader.count == count + PIECE_EVENTS + 1
    assert reader.first_bad == (count, EventFault.NO_EVENT)


@together(
    "text", [b'{"a":[\n', b"{x\n", b"1\n{}\n", b'[\n{"event":1}]\n', b'{"a":"\n', b'1 [\n{}]"x"\n']
)
def test_broken_text_is_not_read_again_and_again(text: bytes) -> None:
    """To begin anew at every line and read to the end would take hours."""
    reader = EnvelopeReader(NONE)
    for _ in reader.read(text * 30_000):
        pass
    assert reader.count > 100


@quick
@given(
    st.lists(wild_events.filter(lambda text: json.loads(text) != {}), min_size=1, max_size=3),
    st.sampled_from(["", " ", "\n", "\r\n"]),
)
def test_every_object_is_found_whatever_is_between(objects: list[str], between: str) -> None:
    body = between.join(f'{{"event":{text},"time":"1794702009.5"}}' for text in objects)
    events, reader = read(body.encode(errors="surrogatepass"))
    assert len(events) == reader.count == len(objects)
    for event, text in zip(events, objects, strict=True):
        if "message" not in event:
            assert "timestamp" in json.loads(text) or event["timestamp"] == 1794702009500
            assert set(map(clean_text, json.loads(text))) - {"timestamp"} <= set(event)


@quick
@given(st.lists(any_lines, max_size=3), st.sampled_from([b"", b"\n"]), st.booleans())
def test_any_bytes_are_read(several: list[bytes], between: bytes, in_list: bool) -> None:
    body = between.join(b'{"event":' + line + b"}" if in_list else line for line in several)
    reader = EnvelopeReader(NONE)
    pieces = list(reader.read(b"[" + body if in_list else body))
    for piece in pieces:
        assert piece.routes is not None
        lines = piece.data.split(b"\n") if piece.data else []
        assert len(piece.routes.ids) == len(lines)
        assert all(line.strip() for line in lines)
        assert all(place < len(piece.routes.names) for place in piece.routes.ids)


def test_defaults_are_query_parameters() -> None:
    given_all = {"time": "1794702009.5", "host": 'a"b', "sourcetype": "t", "source": "s", "x": "y"}
    assert read_defaults(given_all) == (
        b"1794702009500",
        {"host": b'"a\\"b"', "sourcetype": b'"t"'},
    )
    assert read_defaults({"time": "", "host": ""}) == NONE


@pytest.mark.parametrize("parameters", [{"time": "soon"}, {"host": "h" * 257}])
def test_bad_defaults_are_refused(parameters: dict[str, str]) -> None:
    with pytest.raises(Invalid, match="expected"):
        read_defaults(parameters)


def test_text_is_a_message_a_line() -> None:
    text = b'one\r\n\n \t\n  {"event":"two"}\nthr\xff\x00ee'
    lines = read_text(text, Defaults(b"1794702009", {"host": b'"h"'}))
    events = [json.loads(line) for line in lines.data.split(b"\n")]
    assert events == [
        {"timestamp": 1794702009, "message": message, "host": "h"}
        for message in ("one", '  {"event":"two"}', "thr\ufffd\0ee")
    ]
    assert lines.routes is None


def test_fields_beyond_measure_are_kept_as_one() -> None:
    fields = {f"name{number}": number for number in range(MAX_MEMBERS + 1)}
    assert read_one(event="text", fields=fields) == {"message": "text", "fields": fields}


def test_envelopes_without_an_event_are_read_in_turns_and_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(events, "MAX_LEFT_OUT", 2 * PIECE_EVENTS)
    pieces = EnvelopeReader(NONE).read(b"{}" * 3 * PIECE_EVENTS)
    assert [next(pieces).data, next(pieces).data] == [b"", b""]
    with pytest.raises(TooLarge, match="have no event"):
        list(pieces)

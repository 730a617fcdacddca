"""OTLP log records become events: the same ones from both encodings, whatever a neighbour holds."""

import base64
import json
import math
import struct
import tracemalloc
from collections.abc import Mapping
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, SeverityNumber
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from tests.properties import examples
from tests.together import together

from logboom.base.errors import Invalid, TooLarge
from logboom.protocols.otlp.from_json import MAX_COMMAS, SEVERITY_NUMBERS, read_json
from logboom.protocols.otlp.from_protobuf import (
    MAX_GROUPS,
    SLICE_PAIRS,
    read_attributes,
    read_protobuf,
)
from logboom.protocols.otlp.record import MAX_MESSAGE_BYTES, MAX_PLANS, Origin, OtlpRecord, Report

TIME_NS = 1_700_000_000_123_456_789
Plain = dict[str, Any]


def build_value(value: object) -> AnyValue:
    """A plain value as a message."""
    match value:
        case bool():
            return AnyValue(bool_value=value)
        case str():
            return AnyValue(string_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case bytes():
            return AnyValue(bytes_value=value)
        case list():
            message = AnyValue()
            message.array_value.values.extend(map(build_value, value))
            message.array_value.SetInParent()
            return message
        case dict():
            message = AnyValue()
            message.kvlist_value.values.extend(build_pairs(value))
            message.kvlist_value.SetInParent()
            return message
        case _:
            return AnyValue()


def build_pairs(attributes: Mapping[str, object]) -> list[KeyValue]:
    return [KeyValue(key=key, value=build_value(value)) for key, value in attributes.items()]


def build_record(plain: Plain) -> LogRecord:
    record = LogRecord(
        **{name: value for name, value in plain.items() if name not in ("body", "attributes")}
    )
    record.attributes.extend(build_pairs(plain.get("attributes", {})))
    if "body" in plain:
        record.body.CopyFrom(build_value(plain["body"]))
    return record


def build_request(groups: list[Plain]) -> bytes:
    """Resources with one scope each, as protobuf."""
    request = ExportLogsServiceRequest()
    for group in groups:
        resource_logs = request.resource_logs.add()
        resource_logs.resource.attributes.extend(build_pairs(group.get("resource", {})))
        scope_logs = resource_logs.scope_logs.add()
        scope = group.get("scope", {})
        scope_logs.scope.name = scope.get("name", "")
        scope_logs.scope.version = scope.get("version", "")
        scope_logs.scope.attributes.extend(build_pairs(scope.get("attributes", {})))
        scope_logs.log_records.extend(map(build_record, group.get("records", [])))
    return bytes(request.SerializeToString())


def write_value(value: object) -> Plain:
    """A plain value as the protocol has it in JSON."""
    match value:
        case bool():
            return {"boolValue": value}
        case str():
            return {"stringValue": value}
        case int():
            return {"intValue": str(value) if value % 2 else value}
        case float():
            return {"doubleValue": value if math.isfinite(value) else NAMES[repr(value)]}
        case bytes():
            return {"bytesValue": base64.b64encode(value).decode()}
        case list():
            return {"arrayValue": {"values": [write_value(item) for item in value]}}
        case dict():
            return {"kvlistValue": {"values": write_pairs(value)}}
        case _:
            return {}


NAMES = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def write_pairs(attributes: Mapping[str, object]) -> list[Plain]:
    return [{"key": key, "value": write_value(value)} for key, value in attributes.items()]


def write_record(plain: Plain) -> Plain:
    written: Plain = {}
    for name, value in plain.items():
        first, *rest = name.split("_")
        key = first + "".join(map(str.title, rest))
        match name:
            case "body":
                written[key] = write_value(value)
            case "attributes":
                written[key] = write_pairs(value)
            case "trace_id" | "span_id":
                written[key] = value.hex().upper()
            case "time_unix_nano":
                written[key] = str(value)
            case _:
                written[key] = value
    return written


def write_request(groups: list[Plain]) -> bytes:
    """The same as JSON."""
    resource_logs = [
        {
            "resource": {"attributes": write_pairs(group.get("resource", {}))},
            "scopeLogs": [
                {
                    "scope": {
                        **group.get("scope", {}),
                        "attributes": write_pairs(group.get("scope", {}).get("attributes", {})),
                    },
                    "logRecords": list(map(write_record, group.get("records", []))),
                }
            ],
        }
        for group in groups
    ]
    return msgspec.json.encode({"resourceLogs": resource_logs})


def read_both(groups: list[Plain]) -> list[Plain]:
    """The events, after a check that both encodings give them without a remark."""
    report = Report()
    lines = list(read_protobuf(build_request(groups), report))
    from_json = list(read_json(write_request(groups), report))
    assert report.text == ""
    assert [load(line) for line in lines] == [load(line) for line in from_json]
    return [load(line) for line in lines]


def load(line: bytes) -> Plain:
    assert b"\n" not in line
    assert b"\r" not in line
    event = json.loads(line, object_pairs_hook=load_members)
    assert isinstance(event, dict)
    return event


def load_members(pairs: list[tuple[str, Any]]) -> Plain:
    members = dict(pairs)
    assert len(members) == len(pairs)
    return members


def read_one(record: Plain, **group: object) -> Plain:
    (event,) = read_both([{**group, "records": [record]}])
    return event


def test_a_full_record_becomes_all_its_fields_in_order() -> None:
    event = read_one(
        {
            "time_unix_nano": TIME_NS,
            "observed_time_unix_nano": TIME_NS + 1,
            "severity_number": 17,
            "severity_text": "Error",
            "body": "it broke",
            "attributes": {"http.status": 500, "ok": False, "ratio": 0.5},
            "flags": 1,
            "trace_id": bytes(range(16)),
            "span_id": bytes(range(8)),
            "event_name": "breakage",
        },
        resource={"service.name": "shop"},
        scope={"name": "lib", "version": "2", "attributes": {"kind": "x", "Name": "hidden"}},
    )
    assert list(event.items()) == [
        ("timestamp", TIME_NS),
        ("message", "it broke"),
        ("severity", "Error"),
        ("severityNumber", 17),
        ("traceId", "000102030405060708090a0b0c0d0e0f"),
        ("spanId", "0001020304050607"),
        ("scope.name", "lib"),
        ("scope.version", "2"),
        ("scope.kind", "x"),
        ("flags", 1),
        ("eventName", "breakage"),
        ("observedTimestamp", TIME_NS + 1),
        ("http.status", 500),
        ("ok", False),
        ("ratio", 0.5),
        ("service.name", "shop"),
    ]


def test_an_empty_record_is_an_event_all_the_same() -> None:
    assert read_one({}) == {}
    assert read_one({}, resource={"a": 1}) == {"a": 1}


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ((TIME_NS, TIME_NS), {"timestamp": TIME_NS}),
        ((0, TIME_NS), {"timestamp": TIME_NS}),
        ((TIME_NS, 0), {"timestamp": TIME_NS}),
        ((0, 0), {}),
        ((2**64 - 1, 1), {"timestamp": 2**64 - 1, "observedTimestamp": 1}),
    ],
)
def test_the_time_is_the_record_s_else_when_it_was_observed(
    times: tuple[int, int], expected: Plain
) -> None:
    time_ns, observed_ns = times
    record = {"time_unix_nano": time_ns, "observed_time_unix_nano": observed_ns}
    assert read_one(record) == expected


@together(
    ("number", "name"),
    [
        *((1, "TRACE"), (4, "TRACE"), (5, "DEBUG"), (9, "INFO"), (12, "INFO"), (13, "WARN")),
        *((17, "ERROR"), (21, "FATAL"), (24, "FATAL"), (25, None)),
    ],
)
def test_a_severity_without_text_has_the_name_of_its_number(number: int, name: str | None) -> None:
    expected: Plain = {"severityNumber": number}
    assert read_one({"severity_number": number}) == expected | ({"severity": name} if name else {})
    assert read_one({"severity_number": number, "severity_text": "x"})["severity"] == "x"


@together(
    ("body", "expected"),
    [
        ("text", {"message": "text"}),
        ("", {"message": ""}),
        (
            "two\nlines \u2028 \0 \x7f \U0001f600",
            {"message": "two\nlines \u2028 \0 \x7f \U0001f600"},
        ),
        (True, {"message": "true"}),
        (-(2**63), {"message": "-9223372036854775808"}),
        (0, {"message": "0"}),
        (0.25, {"message": "0.25"}),
        (math.nan, {"message": "NaN"}),
        (-math.inf, {"message": "-Infinity"}),
        (b"\0\xff", {"message": "AP8="}),
        (["a", 1, None, [b"x"]], {"message": '["a",1,null,["eA=="]]'}),
        ([], {"message": "[]"}),
        ({}, {"message": "{}", "body": {}}),
        ({"a": {"b": 1}}, {"message": '{"a":{"b":1}}', "body": {"a": {"b": 1}}}),
        ({"msg": "m", "body": "b"}, {"message": "m", "body": {"msg": "m", "body": "b"}}),
        ({"message": 1, "body": "b"}, {"message": "b", "body": {"message": 1, "body": "b"}}),
        (None, {}),
    ],
)
def test_every_kind_of_body_has_its_message(body: object, expected: Plain) -> None:
    assert read_one({"body": body}) == expected


@together(
    "value",
    [
        *("", "x", True, False, 0, 1, -1, 2**63 - 1, -(2**63), 0.0, -0.5, 1e300, None),
        *([], {}, [None, {"a.b": [1, "2"]}], {"": {"x": []}}),
    ],
)
def test_attributes_keep_their_types_and_dotted_names(value: object) -> None:
    assert read_one({"attributes": {"a.b": value}}) == {"a.b": value}
    assert read_one({}, resource={"a.b": value}) == {"a.b": value}


def test_numbers_that_json_cannot_hold_become_their_names() -> None:
    attributes = {"a": math.nan, "b": [math.inf], "c": {"d": -math.inf}}
    expected = {"a": "NaN", "b": ["Infinity"], "c": {"d": "-Infinity"}}
    assert read_one({"attributes": attributes}) == expected


@pytest.mark.parametrize("identifier", [b"", bytes(16), bytes(8)])
def test_an_id_of_zeros_is_none(identifier: bytes) -> None:
    assert read_one({"trace_id": identifier, "span_id": identifier}) == {}


def test_the_nearest_value_of_a_name_counts() -> None:
    record = {
        "body": "own",
        "severity_text": "own",
        "attributes": {
            "Message": "a",
            "SEVERITY": "a",
            "traceId": "a",
            "level": "a",
            "Scope.Name": "a",
        },
    }
    resource = {
        "MESSAGE": "r",
        "severity": "r",
        "TraceID": "r",
        "LEVEL": "r",
        "spanid": "r",
        "host": "r",
    }
    assert read_one(record, resource=resource, scope={"name": "s"}) == {
        "message": "own",
        "severity": "own",
        "scope.name": "s",
        "traceId": "a",
        "level": "a",
        "spanid": "r",
        "host": "r",
    }


@pytest.mark.parametrize("alias", ["source", "Source", "log.source", "_source"])
def test_the_source_of_a_resource_gives_way_to_the_record_s(alias: str) -> None:
    event = read_one({"attributes": {alias: "own"}}, resource={"source": "r", "b": 1})
    assert event == {alias: "own", "b": 1}


def test_of_equal_keys_the_last_counts() -> None:
    pairs = [*build_pairs({"a": 1}), *build_pairs({"a": 2})]
    request = ExportLogsServiceRequest()
    request.resource_logs.add().scope_logs.add().log_records.add().attributes.extend(pairs)
    assert list(read_protobuf(request.SerializeToString(), Report())) == [b'{"a":2}']
    record = {"attributes": [*write_pairs({"a": 1}), *write_pairs({"a": 2})]}
    assert read_json_record(record) == {"a": 2}


def read_json_record(record: object) -> Plain:
    report = Report()
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    (line,) = read_json(json.dumps(body).encode(), report)
    assert report.text == ""
    return load(line)


def test_more_shapes_than_are_remembered_are_all_right() -> None:
    origin = Origin({"k7": "r", "x": "r"}, {})
    for number in range(MAX_PLANS + 50):
        line = origin.render(OtlpRecord(attributes={f"k{number}": number}))
        expected = {f"k{number}": number, "k7": "r", "x": "r"} | {f"k{number}": number}
        assert load(line) == expected


@together(
    ("record", "expected"),
    [
        ({"timeUnixNano": TIME_NS}, {"timestamp": TIME_NS}),
        ({"timeUnixNano": "0", "observedTimeUnixNano": ""}, {}),
        ({"time_unix_nano": "1", "unknown": [{}]}, {}),
        ({"severityNumber": "SEVERITY_NUMBER_WARN2"}, {"severity": "WARN", "severityNumber": 14}),
        ({"traceId": "ABCDEF", "spanId": "not Hex"}, {"traceId": "abcdef", "spanId": "not Hex"}),
        ({"body": None, "attributes": None, "severityText": None, "flags": None}, {}),
        ({"attributes": [{}, None, {"key": "a"}]}, {"": None, "a": None}),
        ({"body": {"stringValue": None, "intValue": None, "doubleValue": 1}}, {"message": "1"}),
        ({"body": {"intValue": "x"}}, {"message": "x"}),
        ({"body": {"arrayValue": {}}}, {"message": "[]"}),
        ({"body": {"arrayValue": {"values": [None, {}]}}}, {"message": "[null,null]"}),
        ({"body": {"kvlistValue": {}}}, {"message": "{}", "body": {}}),
        ({"body": {"bytesValue": "AP8"}}, {"message": "AP8"}),
    ],
)
def test_json_is_read_with_patience(record: Plain, expected: Plain) -> None:
    assert read_json_record(record) == expected


def test_numbers_in_json_keep_their_digits() -> None:
    body = (
        b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":['
        b'{"key":"a","value":{"doubleValue":1.500}},{"key":"b","value":{"doubleValue":"1e400"}},'
        b'{"key":"c","value":{"intValue":"123456789012345678901234567890"}},'
        b'{"key":"d","value":{"doubleValue":1E400}}]}]}]}]}'
    )
    assert list(read_json(body, Report())) == [
        b'{"a":1.500,"b":1e400,"c":123456789012345678901234567890,"d":1E400}'
    ]


GOOD = {"body": {"stringValue": "good"}}


@together(
    "record",
    [
        *(5, "text", None, [], True),
        {"timeUnixNano": True},
        {"timeUnixNano": "soon"},
        {"timeUnixNano": -1},
        {"timeUnixNano": str(2**64)},
        {"timeUnixNano": "9" * 5000},
        {"severityNumber": "LOUD"},
        {"body": "text"},
        {"body": {"intValue": {}}},
        {"attributes": {"a": 1}},
        {"attributes": [{"key": 1}]},
        {"traceId": 7},
    ],
)
def test_a_record_of_wrong_types_is_kept_as_text_and_its_neighbours_are_not_touched(
    record: object,
) -> None:
    report = Report()
    records = [GOOD, record, GOOD]
    group = {
        "resource": {"attributes": write_pairs({"host": "h"})},
        "scopeLogs": [{"logRecords": records}],
    }
    body = json.dumps({"resourceLogs": [group]}, separators=(",", ":")).encode()
    events = [load(line) for line in read_json(body, report)]
    text = json.dumps(record, separators=(",", ":"))
    assert [event["message"] for event in events] == ["good", text, "good"]
    assert all(event["host"] == "h" for event in events)
    assert report.rejected == 0
    assert report.text.startswith("record 1 is kept as text: ")


@pytest.mark.parametrize("wrong", [5, "x", {"scopeLogs": 5}, {"scopeLogs": [{"logRecords": {}}]}])
def test_a_part_of_wrong_type_is_kept_as_text(wrong: object) -> None:
    report = Report()
    good = {"scopeLogs": [{"logRecords": [GOOD]}]}
    body = json.dumps({"resourceLogs": [good, wrong, good]}).encode()
    messages = [load(line)["message"] for line in read_json(body, report)]
    assert (messages[0], len(messages), messages[2]) == ("good", 3, "good")
    assert "record 1 is kept as text" in report.text


def test_a_resource_or_scope_of_wrong_type_is_left_out() -> None:
    report = Report()
    scope_logs = [{"scope": 5, "logRecords": [GOOD]}, {"scope": None, "logRecords": [GOOD]}]
    groups = [{"resource": {"attributes": 5}, "scopeLogs": scope_logs}, {"resource": None}]
    lines = list(read_json(json.dumps({"resourceLogs": groups}).encode(), report))
    assert lines == [b'{"message":"good"}'] * 2
    assert "a resource is left out" in report.text
    assert "a scope is left out" in report.text


@together(
    "body",
    [
        *(b"", b"5", b"[]", b"null", b"{", b'{"resourceLogs":5}', b'{"resourceLogs":[}', b"\xff"),
        b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}',
        b'{"resourceLogs":' + b"[" * 100_000,
    ],
)
def test_what_is_no_json_of_a_request_is_invalid(body: bytes) -> None:
    with pytest.raises(Invalid):
        list(read_json(body, Report()))


def test_more_values_than_memory_should_hold_are_too_large() -> None:
    with pytest.raises(TooLarge):
        read_json(b'{"resourceLogs":[' + b"1," * MAX_COMMAS + b"1,1]}", Report())


@pytest.mark.parametrize("body", [b"\x0a\x00", b"\x0a\x02\x12\x00"])
def test_more_resources_and_scopes_than_are_worth_reading_are_too_large(body: bytes) -> None:
    with pytest.raises(TooLarge, match="resources and scopes"):
        list(read_protobuf(body * (MAX_GROUPS + 1), Report()))


def test_attributes_are_not_all_held_as_messages() -> None:
    pairs = Resource.FromString(b"\x0a\x00" * 20 * SLICE_PAIRS).attributes
    tracemalloc.start()
    try:
        assert read_attributes(pairs) == {"": None}
        assert tracemalloc.get_traced_memory()[1] < 2000 * SLICE_PAIRS
    finally:
        tracemalloc.stop()


def test_text_that_is_no_unicode_is_mended() -> None:
    for text, expected in [
        (rb"a\ud83db", "a\ufffdb"),
        (rb"\ude00\ud83d\ude00\ud83d", "\ufffd\U0001f600\ufffd"),
        (rb"\\ud83d\u00e9\ud83d", "\\ud83d\xe9\ufffd"),
        (b"a\xffb", "a\ufffdb"),
    ]:
        head, tail = (
            b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"',
            b'"}}]}]}]}',
        )
        report = Report()
        (line,) = read_json(head + text + tail, report)
        assert load(line) == {"message": expected}
        assert report.text == ""


def test_a_number_that_is_no_unicode_is_a_mended_text() -> None:
    head = b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"intValue":'
    report = Report()
    (line,) = read_json(head + b'"1\xff"}}]}]}]}', report)
    assert load(line) == {"message": "1\ufffd"}
    assert report.text == ""
    (line,) = read_json(head + b'["\xff"]}}]}]}]}', report)
    assert load(line) == {"message": '{"body":{"intValue":["\ufffd"]}}'}
    assert "expected a number" in report.text


def test_protobuf_texts_that_are_no_utf8_are_mended() -> None:
    attributes = {"key?": ["in?side", {"k?": "v?"}], "b": b"?", "n": 1}
    record = {
        "body": "bo?dy",
        "severity_text": "s?",
        "attributes": attributes,
        "trace_id": b"?" * 16,
    }
    groups = [{"resource": {"r?": "?"}, "scope": {"name": "n?"}, "records": [{}, record]}]
    report = Report()
    broken = build_request(groups).replace(b"?", b"\xff")
    _, line = read_protobuf(broken, report)
    assert report.text == ""
    assert load(line) == {
        "message": "bo\ufffddy",
        "severity": "s\ufffd",
        "traceId": "ff" * 16,
        "scope.name": "n\ufffd",
        "key\ufffd": ["in\ufffdside", {"k\ufffd": "v\ufffd"}],
        "b": "/w==",
        "n": 1,
        "r\ufffd": "\ufffd",
    }


def frame(number: int, content: bytes) -> bytes:
    """A field of a message that has a length."""
    size, length = len(content), b""
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


@together(
    "damaged",
    [
        b"\x09\x00",
        b"\x2a\x05\x0a\x09xx",
        b"\xff" * 12,
        b"\x00\x00",
        b"\x2a\x02\x2a\x00" + frame(5, b"\x32\x02\x0a\x05"),
        frame(5, frame(1, b"x" * MAX_MESSAGE_BYTES)),
    ],
)
def test_a_damaged_record_is_rejected_alone(damaged: bytes) -> None:
    good = build_record({"body": "good"}).SerializeToString()
    records = b"".join(frame(2, record) for record in (good, damaged, good))
    report = Report()
    lines = list(read_protobuf(frame(1, frame(2, records)), report))
    assert lines == [b'{"message":"good"}'] * 2
    assert report.rejected == 1
    assert report.text.startswith("record 1 is rejected: ")


def test_a_damaged_resource_or_scope_is_left_out() -> None:
    good = frame(2, build_record({"body": "good"}).SerializeToString())
    damaged = frame(1, b"\x0a\x05")
    report = Report()
    lines = list(read_protobuf(frame(1, damaged + frame(2, good + damaged)), report))
    assert lines == [b'{"message":"good"}']
    assert report.rejected == 0
    assert report.text.startswith("a resource is left out: ")
    assert "a scope is left out: " in report.text


def test_fields_in_any_order_and_unknown_ones_are_read() -> None:
    resource = frame(
        1, b"".join(frame(1, pair.SerializeToString()) for pair in build_pairs({"r": 1}))
    )
    scope = frame(1, frame(1, b"s"))
    record = frame(2, build_record({"body": "good"}).SerializeToString())
    unknown = b"".join(
        [frame(9, b"xx"), b"\x50\xff\x01", b"\x59" + bytes(8), b"\x5d" + bytes(4), b"\xea\x07\x00"]
    )
    body = unknown + frame(1, frame(2, unknown + record + scope) + unknown + resource) + unknown
    report = Report()
    assert list(read_protobuf(body, report)) == [b'{"message":"good","scope.name":"s","r":1}']
    assert report.text == ""


@together(
    "body",
    [b"\x0a", b"\x0a\x05", b"\x0b", b"\x07", b"\xff" * 11, b"\x09\0\0", frame(1, b"\x12\x09")],
)
def test_a_damaged_frame_is_invalid(body: bytes) -> None:
    with pytest.raises(Invalid):
        list(read_protobuf(body, Report()))


texts = st.text(max_size=8) | st.sampled_from(
    ["message", "severity", "a", "A", "source", "x" * 200]
)
scalars = (
    st.none()
    | st.booleans()
    | texts
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.binary(max_size=5)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
attribute_sets = st.dictionaries(texts, values, max_size=4)
records = st.fixed_dictionaries(
    {},
    optional={
        "time_unix_nano": st.integers(0, 2**64 - 1),
        "observed_time_unix_nano": st.integers(0, 2**64 - 1),
        "severity_number": st.integers(0, 24),
        "severity_text": texts,
        "body": values,
        "attributes": attribute_sets,
        "flags": st.integers(0, 2**32 - 1),
        "trace_id": st.binary(max_size=16),
        "span_id": st.binary(max_size=8),
        "event_name": texts,
    },
)
groups = st.fixed_dictionaries(
    {},
    optional={
        "resource": attribute_sets,
        "scope": st.fixed_dictionaries(
            {"name": texts, "version": texts, "attributes": attribute_sets}
        ),
        "records": st.lists(records, max_size=3),
    },
)
requests = st.lists(groups, max_size=3)
quick = settings(
    max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@quick
@example([{"records": [{"body": {"message": b"ab"}}]}])
@given(requests)
def test_both_encodings_give_the_same_events(some: list[Plain]) -> None:
    assert len(read_both(some)) == sum(len(group.get("records", [])) for group in some)


def mutate(body: bytes, chance: Random) -> bytes:
    """Bits flipped, parts cut out, copied or doubled."""
    mutant = bytearray(body)
    for _ in range(chance.randint(1, 4)):
        at, size = chance.randint(0, len(mutant)), chance.randint(0, 9)
        match chance.randint(0, 3):
            case 0 if mutant:
                mutant[at % len(mutant)] ^= 1 << chance.randint(0, 7)
            case 1:
                del mutant[at : at + size]
            case 2:
                source = chance.randint(0, len(mutant))
                mutant[at:at] = mutant[source : source + size]
            case _:
                mutant[at : at + size] = struct.pack("<Q", chance.getrandbits(64))[:size]
    return bytes(mutant)


@quick
@given(requests, st.integers(0, 2**32))
def test_mutants_are_read_or_refused_and_nothing_else(some: list[Plain], seed: int) -> None:
    chance = Random(seed)
    for read, body in ((read_protobuf, build_request(some)), (read_json, write_request(some))):
        for _ in range(10):
            report = Report()
            try:
                lines = list(read(mutate(body, chance), report))
            except Invalid:
                continue
            assert all(load_any(line) for line in lines)


def load_any(line: bytes) -> bool:
    return b"\n" not in line and isinstance(json.loads(line), dict)


def test_severities_in_json_have_the_numbers_of_the_protocol() -> None:
    assert dict(SeverityNumber.items()) == SEVERITY_NUMBERS

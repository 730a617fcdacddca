"""Bad input of every kind: a clear answer, never a 500, and its neighbours are kept and found."""

import json
from typing import Any

import pytest
from tests.running import RunningService, encode_lines

BEFORE = {"timestamp": "2024-05-06T07:08:09.123456789Z", "id": "before", "n": 1}
AFTER = {"timestamp": "2024-05-06T07:08:09.123456788Z", "id": "after", "n": 2.5, "tags": ["x"]}


def nest(depth: int, key: str = "a") -> str:
    return f'{{"{key}":' * depth + "1" + "}" * depth


def send_between(service: RunningService, env: str, line: bytes) -> tuple[dict[str, Any], Any]:
    """Ingest a line between two good ones, which must be found unharmed; the answer and the third row."""
    answer = service.keep(
        encode_lines([BEFORE]) + line + b"\n" + encode_lines([AFTER]), {"env": env}
    )
    rows = service.search(env=env, raw=True, limit=100)["rows"]
    assert [pick(row) for row in rows if row.get("id") == "before"] == [
        {"_time": "2024-05-06T07:08:09.123456789Z", "n": 1}
    ]
    assert [pick(row) for row in rows if row.get("id") == "after"] == [
        {"_time": "2024-05-06T07:08:09.123456788Z", "n": 2.5, "tags": ["x"]}
    ]
    assert answer["ingested"] + answer["errors"] == len(rows)
    return answer, next((row for row in rows if row.get("id") not in ("before", "after")), None)


def pick(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("_time", "n", "tags") if name in row}


NOT_EVENTS: dict[str, bytes] = {
    "text": b"plain text",
    "open object": b'{"a":1',
    "open text": b'{"a":"b',
    "an object and text": b'{"a":1} and {"b":2}',
    "trailing comma": b'{"a":1,}',
    "single quotes": b"{'a':1}",
    "comment": b'{"a":1} // no',
    "array of numbers": b"[1, 2]",
    "text in brackets": b'[info] {"a":1}',
    "number": b"42",
    "string": b'"text"',
    "null": b"null",
    "true": b"true",
    "NaN": b'{"a":NaN}',
    "Infinity": b'{"a":-Infinity}',
    "leading zero": b'{"a":01}',
    "plus": b'{"a":+1}',
    "hex": b'{"a":0x1}',
    "invalid UTF-8": b'{"a":"\xff\xfe"}',
    "cut UTF-8": b'{"a":"\xe2\x82"}',
    "surrogate in UTF-8": b'{"a":"\xed\xa0\x80"}',
    "bare NUL": b'{"a":"x\x00y"}',
    "NULs": b"\x00\x00\x00",
    "control": b'{"a":"x\x01y"}',
    "bad escape": b'{"a":"\\x"}',
    "half an escape": b'{"a":"\\u12"}',
    "nested too deep": nest(10_000).encode(),
    "array too deep": b'{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}",
    "open and deep": b"[" * 100_000,
    "UTF-16": '{"a":1}'.encode("utf-16-be"),
}


@pytest.mark.parametrize("name", NOT_EVENTS)
def test_a_line_that_is_no_event_becomes_a_message_and_is_counted(
    service: RunningService, env: str, name: str
) -> None:
    line = NOT_EVENTS[name]
    answer, row = send_between(service, env, line)
    assert (answer["ingested"], answer["errors"]) == (2, 1)
    assert row["message"] == line.decode(errors="backslashreplace")
    assert row["_raw"] == row["message"]
    word = json.dumps(row["message"][:50])
    assert service.count(word, env=env) == 1


EVENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "empty": ("{}", {}),
    "2^70": (f'{{"a":{2**70}}}', {"a": 2**70}),
    "-2^70": (f'{{"a":{-(2**70)}}}', {"a": -(2**70)}),
    "2^63": (f'{{"a":{2**63}}}', {"a": 2**63}),
    "int64": (f'{{"a":{2**63 - 1},"b":{-(2**63)}}}', {"a": 2**63 - 1, "b": -(2**63)}),
    "small float": ('{"a":5e-324}', {"a": 5e-324}),
    "beyond a float": ('{"a":1e400}', {"a": "1e400"}),
    "lone surrogate": ('{"a":"x\\ud800y"}', {"a": "x\ufffdy"}),
    "low surrogate": ('{"a":"\\udc00"}', {"a": "\ufffd"}),
    "pair": ('{"a":"\\ud83e\\udeb5"}', {"a": "🪵"}),
    "escaped NUL": ('{"a":"x\\u0000y"}', {"a": "x\0y"}),
    "duplicate keys": ('{"a":1,"a":2}', {"a": [1, 2]}),
    "keys in two cases": ('{"Key":"x","kEY":"y"}', {"Key": ["x", "y"]}),
    "duplicate types": ('{"a":1,"a":"x"}', {"a": [1, "x"]}),
    "empty key": ('{"":1}', {"": 1}),
    "blank key": ('{" ":1}', {" ": 1}),
    "dotted and nested": ('{"a.b":1,"a":{"b":2}}', {"a.b": [1, 2]}),
    "reserved names": (
        '{"_time":"x","_id":"y","_env":"z","_index":"i","a":1}',
        {"event._time": "x", "event._id": "y", "event._env": "z", "event._index": "i", "a": 1},
    ),
    "odd names": ('{"a:str":1,"b[]":2,"c\\nd":3,"é":4}', {"a:str": 1, "b[]": 2, "c\nd": 3, "é": 4}),
    "surrogate key": ('{"\\ud800":1}', {"\ufffd": 1}),
    "mixed array": ('{"a":[1,"x",null,true,{"b":2}]}', {"a": [1, "x", True], "a.b": [2]}),
    "empty values": ('{"a":[],"b":{},"c":null}', {}),
    "deep": (nest(200), {".".join("a" * 16): nest(184)}),
}


@pytest.mark.parametrize("name", EVENTS)
def test_an_odd_event_is_kept_with_its_values(service: RunningService, env: str, name: str) -> None:
    text, expected = EVENTS[name]
    answer, row = send_between(service, env, text.encode())
    assert (answer["ingested"], answer["errors"]) == (3, 0)
    core = ("_time", "_id", "_env", "_index", "_raw")
    assert {key: value for key, value in row.items() if key not in core} == expected
    assert row["_env"] == env
    assert row["_index"] == "default"
    assert parse_pairs(row["_raw"]) == parse_pairs(text)


def parse_pairs(text: str) -> Any:
    """JSON with repeated keys and the spelling of numbers kept."""
    return json.loads(text, object_pairs_hook=list, parse_float=str, parse_int=str)


def test_line_endings_blank_lines_and_a_byte_order_mark_do_no_harm(
    service: RunningService, env: str
) -> None:
    body = b'\xef\xbb\xbf{"id":1}\r\n\r\n\n  {"id":2}  \r\n\t\n{"id":3}'
    answer = service.keep(body, {"env": env})
    assert (answer["ingested"], answer["errors"]) == (3, 0)
    rows = service.search(env=env, raw=True)["rows"]
    assert [row["_raw"] for row in rows] == ['{"id":3}', '{"id":2}', '{"id":1}']


def test_a_carriage_return_alone_ends_no_line(service: RunningService, env: str) -> None:
    answer = service.keep(b'{"id":1\r}\r{"id":2}\r"a"\r"b"', {"env": env})
    assert (answer["ingested"], answer["errors"]) == (2, 1)


def test_a_line_of_10_mb_is_an_event(service: RunningService, env: str) -> None:
    text = "long " * 2_000_000
    line = json.dumps({"id": "long", "message": text}).encode()
    answer, row = send_between(service, env, line)
    assert (answer["ingested"], answer["errors"]) == (3, 0)
    assert row["message"] == text


def test_a_line_beyond_the_limit_is_cut_and_counted(service: RunningService, env: str) -> None:
    line = b'{"id":"long","message":"' + b"x" * 20_000_000 + b'"}'
    answer, row = send_between(service, env, line)
    assert (answer["ingested"], answer["errors"]) == (2, 1)
    assert row["message"] == line[: 16 * 1024 * 1024].decode()


@pytest.mark.parametrize(
    "timestamp",
    [
        *("", "yesterday", "2024-13-45T99:99:99Z", "0000-00-00", "9999-12-31T23:59:59Z", "1e999"),
        *(True, [], {}, [1], 1e300, -1e300, 10**30, "\0", "\uff12024-01-01", "2024-02-30"),
    ],
    ids=repr,
)
def test_a_timestamp_that_is_none_costs_nothing_but_the_time(
    service: RunningService, env: str, timestamp: object
) -> None:
    answer = service.keep(encode_lines([{"timestamp": timestamp, "id": 1}]), {"env": env})
    assert (answer["ingested"], answer["errors"]) == (1, 0)
    (row,) = service.search(env=env, to="now+1h", **{"from": "-1h"})["rows"]
    assert row["id"] == 1
    if isinstance(timestamp, str | float | int):
        assert row["timestamp"] == timestamp


@pytest.mark.parametrize("timestamp", [2**63 - 1, -(2**63), 0, -1, "1677-09-22", "2262-04-11"])
def test_a_time_at_the_edge_of_all_times_is_found(
    service: RunningService, env: str, timestamp: object
) -> None:
    service.keep(encode_lines([{"timestamp": timestamp, "id": 1}]), {"env": env})
    assert service.search(env=env)["rows"][0]["id"] == 1


def test_all_of_it_at_once(service: RunningService, env: str) -> None:
    lines = [*NOT_EVENTS.values(), *(text.encode() for text, _ in EVENTS.values())]
    body = b"\n".join(line for bad in lines for line in (bad, b'{"id":"neighbour"}'))
    answer = service.keep(body, {"env": env})
    assert answer["errors"] == len(NOT_EVENTS)
    assert answer["ingested"] == len(EVENTS) + len(lines)
    assert service.count("id:neighbour", env=env) == len(lines)
    assert service.count(env=env) == 2 * len(lines)


def test_very_many_fields_in_one_event_overflow_and_stay_searchable(
    service: RunningService, env: str
) -> None:
    event = {f"field {number}": number for number in range(5_000)}
    answer, row = send_between(service, env, json.dumps(event).encode())
    assert answer["ingested"] == 3
    assert {name: value for name, value in row.items() if name[0] == "f"} == event
    assert service.count('"field 4999":4999', env=env) == 1
    assert service.count('"field 4999">4998', env=env) == 1
    assert service.count('"field 4999":0', env=env) == 0


def test_an_array_beyond_the_limit_keeps_the_rest_in_the_raw_event(
    service: RunningService, env: str
) -> None:
    event = {"a": list(range(1_500))}
    _, row = send_between(service, env, json.dumps(event, separators=(",", ":")).encode())
    assert json.loads(row["_raw"]) == event
    assert service.count("a:999", env=env) == 1
    assert service.count("a:1000", env=env) == 0

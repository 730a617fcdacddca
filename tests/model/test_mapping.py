"""Which keys become an event's time, message and source, rule by rule."""

import json
from itertools import combinations

from tests.model.oracle import CONTAINER_KEYS, MESSAGE_KEYS, SOURCE_KEYS, TIME_KEYS
from tests.together import together

from logboom.model.event import read_fields, shred_line
from logboom.model.mapping import ALIASES, Role

SECOND_NS = 10**9


def read(text: str, source: str | None = None) -> dict[str, object]:
    return read_fields(text.encode(), source)


def read_time(text: str) -> int | None:
    return shred_line(text.encode()).time_ns


def test_the_aliases_are_those_of_the_specification() -> None:
    assert {
        Role.TIME: tuple(TIME_KEYS),
        Role.MESSAGE: tuple(MESSAGE_KEYS),
        Role.SOURCE: tuple(SOURCE_KEYS),
    } == ALIASES


@together(
    ("name", "winner", "loser"),
    [
        *(("message", *pair) for pair in combinations(MESSAGE_KEYS, 2)),
        *(("source", *pair) for pair in combinations(SOURCE_KEYS, 2)),
    ],
)
def test_the_first_alias_wins_and_the_other_stays(name: str, winner: str, loser: str) -> None:
    for event in ({winner: "won", loser: "lost"}, {loser: "lost", winner: "won"}):
        assert read(json.dumps(event)) == {name: "won", loser: "lost"}


@together(("winner", "loser"), list(combinations(TIME_KEYS, 2)))
def test_the_first_time_wins_and_the_other_stays(winner: str, loser: str) -> None:
    for event in ({winner: 1, loser: 2}, {loser: 2, winner: 1}):
        assert read_time(json.dumps(event)) == SECOND_NS
        assert read(json.dumps(event)) == {loser: 2}


@together(
    ("text", "row"),
    [
        ('{"MESSAGE":"a"}', {"message": "a"}),
        ('{"MESSAGE":"a","@mt":"b"}', {"message": ["a", "b"]}),
        ('{"Source":"a","_source":"b"}', {"source": ["a", "b"]}),
        ('{"MSG":"a"}', {"MSG": "a"}),
        ('{"message":null,"msg":"a"}', {"message": "a"}),
        ('{"message":"","msg":"a"}', {"message": "", "msg": "a"}),
        ('{"message":{"a":1},"msg":"b"}', {"message.a": 1, "message": "b"}),
        ('{"message":["a"],"msg":"b"}', {"message": ["a", "b"]}),
        ('{"message":{},"msg":[],"Body":"b"}', {"message": "b"}),
        ('{"message":1.50}', {"message": "1.50"}),
        ('{"message":true,"source":false}', {"message": "true", "source": "false"}),
        ('{"log":{"body":"a","source":"b","x":1}}', {"message": "a", "source": "b", "log.x": 1}),
        ('{"log":{"body":"a"},"log.body":"b"}', {"log.body": "a", "message": "b"}),
        ('{"log":{"body":"a"},"log.body":null}', {"message": "a"}),
        ('{"log":{"body":null},"@m":"b"}', {"message": "b"}),
        ('{"LOG":{"body":"a"}}', {"LOG.body": "a"}),
        ('{"x":{"message":"a"}}', {"x.message": "a"}),
        ('{"msg":"a","msg":"b"}', {"message": "a", "msg": "b"}),
    ],
)
def test_messages_and_sources(text: str, row: dict[str, object]) -> None:
    assert read(text) == row


@together(
    ("text", "time_s", "row"),
    [
        ('{"ts":"garbage","time":5}', None, {"ts": "garbage", "time": 5}),
        ('{"ts":true}', None, {"ts": True}),
        ('{"ts":null,"time":5}', 5, {}),
        ('{"ts":[5],"time":6}', 6, {"ts": [5]}),
        ('{"ts":{"x":5},"time":6}', 6, {"ts.x": 5}),
        ('{"ts":"5"}', 5, {}),
        ('{"ts":"1970-01-01 00:00:05"}', 5, {}),
        ('{"TIMESTAMP":5,"asctime":6}', 6, {"TIMESTAMP": 5}),
        ('{"TIMESTAMP":5}', 5, {}),
        ('{"TS":5}', None, {"TS": 5}),
        ('{"ts":1e400}', None, {"ts": "1e400"}),
        ('{"attributes":{"ts":5}}', 5, {}),
    ],
)
def test_times(text: str, time_s: int | None, row: dict[str, object]) -> None:
    assert read_time(text) == (None if time_s is None else time_s * SECOND_NS)
    assert read(text) == row


@together("key", CONTAINER_KEYS)
def test_containers_are_opened_one_level_before_mapping(key: str) -> None:
    event = {key: {"msg": "m", "a": {"b": 1}, key: {"c": 2}, "list": [1]}, "d": 3}
    row = {"message": "m", "a.b": 1, f"{key}.c": 2, "list": [1], "d": 3}
    assert read(json.dumps(event)) == row


@together(
    ("text", "row"),
    [
        ('{"a":1,"attributes":{"a":2,"b":3}}', {"a": 1, "b": 3}),
        ('{"attributes":{"A":2},"a":1}', {"a": 1}),
        ('{"a":null,"attributes":{"a":2}}', {}),
        ('{"a":{"x":1},"attributes":{"a":{"y":2}}}', {"a.x": 1}),
        ('{"resource":{"a":1,"b":2},"attributes":{"a":3}}', {"b": 2, "a": 3}),
        ('{"Attributes":{"a":1},"attributes":{"a":2,"b":3}}', {"a": 1, "b": 3}),
        ('{"attributes":{"a":1,"a":2}}', {"a": [1, 2]}),
        ('{"attributes":5}', {"attributes": 5}),
        ('{"attributes":[{"a":1}]}', {"attributes.a": [1]}),
        ('{"ATTRIBUTES":{"a":1}}', {"ATTRIBUTES.a": 1}),
        ('{"attributes":1,"Attributes":{"attributes":2,"b":3}}', {"attributes": 1, "b": 3}),
        ('{"message":"own","attributes":{"message":"theirs"}}', {"message": "own"}),
        ('{"@m":"own","attributes":{"message":"theirs"}}', {"@m": "own", "message": "theirs"}),
        ('{"resource":{"log":{"body":"a"}}}', {"message": "a"}),
    ],
)
def test_own_keys_win_over_attributes_over_resource(text: str, row: dict[str, object]) -> None:
    assert read(text) == row


@together(
    ("text", "source"),
    [
        ('{"a":1}', "default"),
        ('{"source":"own"}', "own"),
        ('{"source":null}', "default"),
        ('{"source":""}', ""),
        ('{"Source":["own"]}', None),
        ('{"resource":{"log.source":"own"}}', "own"),
        ("not json", "default"),
    ],
)
def test_the_default_source_is_for_events_without_one(text: str, source: str | None) -> None:
    assert read(text, "default").get("source") == source


@together(
    ("line", "time_ns", "fields"),
    [
        (
            b'{"__REALTIME_TIMESTAMP":"1700000000123456","MESSAGE":"m","PRIORITY":"6"}',
            1700000000_123456000,
            {"message": "m", "PRIORITY": "6"},
        ),
        (
            b'{"__REALTIME_TIMESTAMP":"1700000000123456","_SOURCE_REALTIME_TIMESTAMP":"1700000000123400"}',
            1700000000_123400000,
            {"__REALTIME_TIMESTAMP": "1700000000123456"},
        ),
        (
            b'{"__REALTIME_TIMESTAMP":"1700000000123456","asctime":"2024-05-06 07:08:09"}',
            1714979289_000000000,
            {"__REALTIME_TIMESTAMP": "1700000000123456"},
        ),
        (b'{"MESSAGE":[27,91,51,195,188]}', None, {"message": "\x1b[3\u00fc"}),
        (b'{"MESSAGE":[104,255]}', None, {"message": "h\\xff"}),
        (b'{"MESSAGE":[104,256]}', None, {"MESSAGE": [104, 256]}),
        (b'{"MESSAGE":[]}', None, {}),
        (b'{"Message":[104]}', None, {"Message": [104]}),
    ],
)
def test_entries_of_the_journal(
    line: bytes, time_ns: int | None, fields: dict[str, object]
) -> None:
    assert shred_line(line).time_ns == time_ns
    assert read_fields(line) == fields

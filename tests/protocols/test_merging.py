"""Members from outside joined to an event's own text."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.together import together

from logboom.model.event import read_fields, shred_line
from logboom.model.jsonline import Members, encode_value, parse_object
from logboom.model.mapping import Role, map_event
from logboom.protocols.merging import (
    MAX_CACHED_MEMBERS,
    Extras,
    MembersCache,
    merge_extras,
    merge_members,
    merge_read,
    merge_unread,
)

TIME_NS = b"1715000000123456789"


@together(
    ("event", "time_ns", "extras", "expected"),
    [
        (b"{}", None, {}, b"{}"),
        (b"{}", b"5", {}, b'{"timestamp":5}'),
        (b"{ }", None, {"a": b"1"}, b'{"a":1}'),
        (b"{}", b"5", {"a": b"1"}, b'{"timestamp":5,"a":1}'),
        (b'{"b":1}', None, {}, b'{"b":1}'),
        (b'{"b":1}', None, {"a": b"1"}, b'{"b":1,"a":1}'),
        (b' {"b":1}\r\n', b"5", {"a": b'"x"'}, b'{"timestamp":5,"b":1,"a":"x"}'),
        (b'{"b":1.500e3,"a":[ ]}', b"5", {"a": b"1"}, b'{"timestamp":5,"b":1.500e3,"a":[ ]}'),
        (b'{"A":1}', None, {"a": b"2", "c": b"3"}, b'{"A":1,"c":3}'),
        (b'{"a":1}', None, {"A": b"2"}, b'{"a":1}'),
        (b'{"a":null}', None, {"a": b"2"}, b'{"a":null}'),
        (b'{"a":1,"a":2}', None, {"b": b"3"}, b'{"a":1,"a":2,"b":3}'),
    ],
)
def test_the_event_keeps_its_text_and_gets_what_it_does_not_have(
    event: bytes, time_ns: bytes | None, extras: dict[str, bytes], expected: bytes
) -> None:
    assert merge_members(event, time_ns, extras) == expected


@together(
    ("event", "fields"),
    [
        (b'{"timestamp":1}', {"timestamp": 1}),
        (b'{"timestamp" : "2024-05-06" ,"a":1}', {"timestamp": "2024-05-06", "a": 1}),
        (b'{"a":1, "timestamp":{"b":[1]} }', {"a": 1, "timestamp.b": [1]}),
        (b'{"a":1,"timestamp":null,"b":2}', {"a": 1, "b": 2}),
        (b'{"time":1,"Timestamp":2}', {"time": 1, "Timestamp": 2}),
        (b'{"timestamp":1,"timestamp":2,"a":1}', {"timestamp": [1, 2], "a": 1}),
        (b'{"time\\u0073tamp":1,"@timestamp":"x"}', {"timestamp": 1, "@timestamp": "x"}),
    ],
)
def test_with_a_time_from_outside_the_one_inside_is_an_ordinary_field(
    event: bytes, fields: dict[str, object]
) -> None:
    merged = merge_members(event, TIME_NS, {})
    assert merged is not None
    shredded = shred_line(merged)
    assert shredded.time_ns == int(TIME_NS)
    assert read_fields(merged) == fields


def test_with_a_time_from_outside_labels_of_such_names_are_ordinary_fields() -> None:
    extras = {"Timestamp": b'"x"', "ts": b'"y"'}
    merged = merge_members(b'{"time":1}', TIME_NS, extras)
    assert merged is not None
    assert shred_line(merged).time_ns == int(TIME_NS)
    assert read_fields(merged) == {"time": 1, "Timestamp": "x", "ts": "y"}
    assert merge_members(b"{}", None, extras) == b'{"Timestamp":"x","ts":"y"}'


@together(
    ("event", "gives_way"),
    [
        (b'{"source":1}', True),
        (b'{"SOURCE":"x"}', True),
        (b'{"_source":"x"}', True),
        (b'{"log.source":"x"}', True),
        (b'{"log":{"source":"x"}}', True),
        (b'{"attributes":{"_source":"x"}}', True),
        (b'{"_source":null}', False),
        (b'{"_source":{"a":1}}', False),
        (b'{"log":{"file":"x"}}', False),
        (b'{"resource":{"a":"x"}}', False),
    ],
)
def test_a_source_from_outside_gives_way_to_any_name_of_it(event: bytes, gives_way: bool) -> None:
    merged = merge_members(event, None, {"source": b'"outer"'})
    assert merged == (event if gives_way else event[:-1] + b',"source":"outer"}')


@together(
    ("event", "name", "gives_way"),
    [
        (b'{"msg":"own"}', "message", True),
        (b'{"Body":"own"}', "msg", True),
        (b'{"message":"own"}', "msg", False),
        (b'{"a":{"B":{"c":1}}}', "a.b.c", True),
        (b'{"a.b":{"c":1}}', "A.b.c", True),
        (b'{"a":{"b":1}}', "a.c", False),
        (b'{"a":{"b":1}}', "a", True),
        (b'{"Attributes":{"host":"own"}}', "host", True),
        (b'{"resource":{"host.name":"own"}}', "host.name", True),
        (b'{"ATTRIBUTES":{"host":"own"}}', "host", False),
        (b'{"ts":1}', "timestamp", True),
    ],
)
def test_an_event_has_what_can_be_found_in_it_by_that_name(
    event: bytes, name: str, gives_way: bool
) -> None:
    merged = merge_members(event, None, {name: b'"x"'})
    assert merged == (event if gives_way else event[:-1] + b',"%b":"x"}' % name.encode())


@together(
    "event",
    [
        *(b"", b" ", b"x", b"1", b"[]", b'"{}"', b"null", b"{", b"{}}", b"{}{}", b'{"a":}'),
        *(b'{"a":NaN}', b'{"a":01}', b'{"a":"x\ny"}', b'{"a":"\xff"}', b'{"\xff":1}'),
        *(b"{'a':1}", b'{"a":1,}', b'\xef\xbb\xbf{"a":1}', b'{"a":"\\x"}'),
        b'{"a":' + b"[" * 256 + b"]" * 256 + b"}",
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_what_the_service_takes_for_no_object_is_none(event: bytes) -> None:
    assert parse_object(event) is None
    assert merge_members(event, TIME_NS, {"a": b"1"}) is None


def test_names_may_be_of_any_length() -> None:
    long, longer = "x" * 900, "y" * 9_000
    extras = Extras({long: b"1", longer: b"2", "a": b"3"})
    event = b'{"%b":0}' % longer.upper().encode()
    expected = event[:-1] + b',"%b":1,"a":3}' % long.encode()
    assert merge_extras(event, None, extras) == expected


@pytest.mark.parametrize(
    ("event", "extras"),
    [
        (b"{}", {"a." * 200_000: b"1"}),
        (b'{"a":{"%b":{%b}}}' % (b"k" * 200_000, b'"x":1,' * 50_000 + b'"y":1'), {"a.b": b"1"}),
        (b'{"a":' * 200 + b"{}" + b"}" * 200, {"a.b": b"1"}),
    ],
)
def test_names_beyond_measure_cost_little(event: bytes, extras: dict[str, bytes]) -> None:
    merged = merge_members(event, None, extras)
    assert merged is not None
    assert len(merged) < len(event) + 500_000


def test_what_is_cached_of_different_members_is_bounded_by_their_number() -> None:
    cache = MembersCache[int]()
    for entry in range(1000):
        assert cache.keep(entry, entry, 2000) == cache.find(entry) == entry
    known = sum(cache.find(entry) is not None for entry in range(1000))
    assert 1 < known <= MAX_CACHED_MEMBERS // 2000


def test_an_object_over_many_lines_comes_to_one() -> None:
    event = json.dumps({"a": [1, {"b": "x\ny"}], "c": "\r"}, indent=2).encode()
    merged = merge_members(event, TIME_NS, {"d": b"1"})
    assert merged is not None
    assert b"\n" not in merged
    expected = {"timestamp": int(TIME_NS), "a": [1, {"b": "x\ny"}], "c": "\r", "d": 1}
    assert json.loads(merged) == expected


def test_half_of_a_character_spoils_nothing_else() -> None:
    event = rb'{"a":"\ud83d","b":"\ud83d\ude00","c":"\\ud83d","d":"\udc00\uD800","f":"\\\ud800\ud800\udc00\udfff"}'
    expected = rb'{"a":"\ufffd","b":"\ud83d\ude00","c":"\\ud83d","d":"\ufffd\ufffd","f":"\\\ufffd\ud800\udc00\ufffd","e":1}'
    assert merge_members(event, None, {"e": b"1"}) == expected


names = st.sampled_from(
    [
        *("a", "A", "b", "a.b", "timestamp", "Timestamp", "ts", "message", "msg", "body"),
        *("source", "_source", "log", "log.source", "attributes", "Resource", 'q"', "\u00e9"),
    ]
)
finite = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | st.integers() | finite | st.text()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)


def tell_apart(pair: tuple[str, object]) -> object:
    """Plain names and the time may come twice."""
    return object() if pair[0] in ("a", "A", "b", "timestamp") else pair[0]


def write_object(pairs: list[tuple[str, object]], indent: int | None, ascii_only: bool) -> bytes:
    """JSON text in which a key may come twice."""
    members = (
        json.dumps(key) + ": " + json.dumps(value, indent=indent, ensure_ascii=ascii_only)
        for key, value in pairs
    )
    text = "{" + " , ".join(members) + "}"
    return text.encode(errors="replace")


@given(
    st.lists(st.tuples(names, values), max_size=6, unique_by=tell_apart),
    st.sampled_from([None, 1]),
    st.booleans(),
    st.dictionaries(names, st.text(max_size=5), max_size=4),
    st.sampled_from([None, TIME_NS]),
)
@settings(max_examples=examples(200))
@example([("log", {"source": "x"})], None, True, {"source": "y"}, None)
def test_merging_changes_nothing_of_the_event_and_gives_it_no_second_name(
    pairs: list[tuple[str, object]],
    indent: int | None,
    ascii_only: bool,
    outside: dict[str, str],
    time_ns: bytes | None,
) -> None:
    event = write_object(pairs, indent, ascii_only)
    extras = {name: json.dumps(text).encode() for name, text in outside.items()}
    merged = merge_extras(event, time_ns, Extras(extras))
    assert merged is not None
    assert b"\n" not in merged
    before, after = parse_object(event), parse_object(merged)
    assert before is not None
    assert after is not None
    members = [encode_member(member) for member in after]
    kept = list(before)
    head = [] if time_ns is None else [f"timestamp:{time_ns.decode()}"]
    own = len(head) + len(kept)
    assert members[:own] == head + [encode_member(member) for member in kept]
    added = [key for key, _ in after.pairs[own:]]
    assert [key for key in outside if key in added] == added
    taken = {key.lower() for key, _ in after.pairs[len(head) : own]}
    assert taken.isdisjoint(key.lower() for key in added)
    check_roles(Members(kept), after, own, time_ns)


@given(
    st.lists(st.tuples(names, values), max_size=6, unique_by=tell_apart),
    st.booleans(),
    st.dictionaries(names, st.text(max_size=5), max_size=4),
    st.sampled_from([None, TIME_NS]),
    st.integers(0, 200),
    st.sampled_from([b"", b"{", b",", b'"', b" ", b"\\", b"\xff"]),
)
@settings(max_examples=examples(300))
def test_the_quick_way_does_the_same_or_nothing(
    pairs: list[tuple[str, object]],
    ascii_only: bool,
    outside: dict[str, str],
    time_ns: bytes | None,
    place: int,
    spoiling: bytes,
) -> None:
    whole = write_object(pairs, None, ascii_only)
    event = whole[:place] + spoiling + whole[place:]
    extras = Extras({name: json.dumps(text).encode() for name, text in outside.items()})
    for _ in range(2):  # the second time it knows what is left out
        quick = merge_unread(event, time_ns, extras)
        if quick is None:
            continue
        careful = merge_read(event, time_ns, extras)
        assert careful is not None
        assert list_members(quick) == list_members(careful)


def list_members(text: bytes) -> list[str]:
    members = parse_object(text)
    assert members is not None
    return [encode_member(member) for member in members]


def encode_member(member: tuple[str, object]) -> str:
    return f"{member[0]}:{encode_value(member[1])}"  # type: ignore[arg-type]


def check_roles(kept: Members, after: Members, own: int, time_ns: bytes | None) -> None:
    """What was the event's message, source or time still is."""
    before_roles = {role: position for position, role in map_event(kept).roles.items()}
    after_roles = {role: position for position, role in map_event(after).roles.items()}
    shift = 0 if time_ns is None else 1
    for role, position in before_roles.items():
        if role is Role.TIME and time_ns is not None:
            assert after_roles[role] == (0,)
        else:
            assert after_roles[role] == (position[0] + shift, *position[1:])
            assert after_roles[role][0] < own

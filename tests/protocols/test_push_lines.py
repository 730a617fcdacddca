"""Push bodies to lines: every shape that senders use, and what is wrong in one entry stays there."""

import json
from typing import Any

import cramjam
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.together import together

from logboom.base.errors import Invalid, TooLarge
from logboom.model.jsonline import parse_object
from logboom.protocols.merging import MAX_MEMBERS
from logboom.protocols.push import from_json as push_json
from logboom.protocols.push.from_json import parse_labels, read_json
from logboom.protocols.push.from_protobuf import PUSH, read_protobuf

TIME = "1715000000123456789"


def read(*streams: object) -> list[Any]:
    """The events of streams in which nothing is wrong."""
    push = read_json(json.dumps({"streams": streams}).encode())
    assert push.faults == 0
    return [json.loads(line) for line in push.lines]


def read_one(line: object, labels: object = None, *rest: object) -> Any:
    (event,) = read({"stream": labels or {}, "values": [[TIME, line, *rest]]})
    return event


def test_a_text_becomes_the_message_between_time_and_labels() -> None:
    push = read_json(
        b'{"streams":[{"stream":{"a":"b"},"values":[["1715000000123456789","x \\"\\u00e9\\n"]]}]}'
    )
    assert push.lines == [
        b'{"timestamp":1715000000123456789,"message":"x \\"\\u00e9\\n","a":"b"}\n'
    ]


def test_an_object_is_shredded_and_keeps_its_text() -> None:
    line = '{"b": 1.50, "a":{"c":[1]}}'
    body = json.dumps({"streams": [{"stream": {"x": "y"}, "values": [[TIME, line]]}]}).encode()
    assert read_json(body).lines == [
        b'{"timestamp":%b,"b": 1.50, "a":{"c":[1]},"x":"y"}\n' % TIME.encode()
    ]


@together("line", ["{", "{}{}", '{"a":1', "[1]", "1", "null", "", " ", "{a}", "\\"])
def test_a_line_that_is_no_object_is_a_text(line: str) -> None:
    assert read_one(line) == {"timestamp": int(TIME), "message": line}


@pytest.mark.parametrize("line", [' {"a":1}', '\n\t{"a":1}\r\n', '{\n  "a": 1\n}', '\u007b"a":1}'])
def test_white_space_around_and_in_an_object_does_not_matter(line: str) -> None:
    assert read_one(line) == {"timestamp": int(TIME), "a": 1}


def test_an_object_whose_first_brace_is_escaped_is_one() -> None:
    body = b'{"streams":[{"values":[["0","\\u007b\\u0022a\\u0022:1}"]]}]}'
    assert read_json(body).lines == [b'{"a":1}\n']


def test_the_events_own_field_wins_over_metadata_and_that_over_labels() -> None:
    line = json.dumps({"level": "own", "source": "own"})
    labels = {"LEVEL": "label", "source": "label", "pod": "label", "app": "label"}
    event = read_one(line, labels, {"Pod": "metadata", "level": "metadata"})
    assert event == {
        "timestamp": int(TIME),
        "level": "own",
        "source": "own",
        "app": "label",
        "Pod": "metadata",
    }


def test_a_label_named_like_the_message_gives_way() -> None:
    labels = {"message": "x", "msg": "z"}
    assert read_one("text", labels) == {"timestamp": int(TIME), "message": "text", "msg": "z"}


def test_labels_and_metadata_that_are_no_texts_become_texts() -> None:
    labels = {"n": 1, "f": 1.5, "b": True, "z": None, "o": {"a": [1]}, "s": "null"}
    expected = {"n": "1", "f": "1.5", "b": "true", "o": '{"a": [1]}', "s": "null"}
    assert read_one("x", labels) == {"timestamp": int(TIME), "message": "x"} | expected
    assert read_one("x", {}, labels) == {"timestamp": int(TIME), "message": "x"} | expected


def test_every_entry_gets_its_own_metadata() -> None:
    values = [[TIME, "x", {"id": str(number % 1500), "a": "m"}] for number in range(3000)]
    events = read({"stream": {"a": "label", "b": "label"}, "values": values})
    assert [(event["id"], event["a"], event["b"]) for event in events] == [
        (str(number % 1500), "m", "label") for number in range(3000)
    ]


@together(
    "stream",
    [
        {"values": [[TIME, "x"]]},
        {"stream": None, "values": [[TIME, "x"]]},
        {"stream": {}, "values": [[TIME, "x", {}]]},
        {"stream": {}, "values": [[TIME, "x", None]]},
        {"stream": {}, "values": [[int(TIME), "x"]], "message_in_json_format": 1, "metadata": []},
        {"labels": "{}", "entries": [{"ts": TIME, "line": "x", "more": 1}]},
        {"stream": "", "values": [[TIME, "x"]]},
    ],
)
def test_what_senders_leave_out_or_add_is_tolerated(stream: object) -> None:
    assert read(stream) == [{"timestamp": int(TIME), "message": "x"}]


@pytest.mark.parametrize(
    "body",
    [{"streams": None}, {"streams": []}, {"streams": [{}]}, {"streams": [{"values": None}]}],
)
def test_a_push_may_be_empty(body: object) -> None:
    push = read_json(json.dumps(body).encode())
    assert (push.lines, push.faults) == ([], 0)


@together(
    ("time", "expected"),
    [
        (TIME, TIME),
        (int(TIME), TIME),
        ("1715000000", "1715000000"),
        ("01715000000", '"01715000000"'),
        (1715000000123, "1715000000123"),
        (1715000000.5, "1715000000.5"),
        ("1.715e18", '"1.715e18"'),
        ("9223372036854775807", "9223372036854775807"),
        ("2024-05-06T07:08:09.1+02:00", '"2024-05-06T07:08:09.1+02:00"'),
    ],
)
def test_a_time_is_passed_on_for_the_service_to_read(time: object, expected: str) -> None:
    body = json.dumps({"streams": [{"values": [[time, "x"]]}]}).encode()
    assert read_json(body).lines == [b'{"timestamp":%b,"message":"x"}\n' % expected.encode()]


@together(
    "time",
    ["", "0", 0, "00", 0.0, None, True, "soon", "1" * 30, "9223372036854775808", [], {"a": "\n"}],
)
def test_a_time_that_is_none_leaves_the_time_of_arrival(time: object) -> None:
    assert read({"values": [[time, "x"]]}) == [{"message": "x"}]
    assert read({"values": [[time, '{"ts":5}']]}) == [{"ts": 5}]


@together(
    "entry",
    [
        *(1, "x", None, True, [], [TIME], [TIME, "x", {}, 1]),
        *([TIME, 5], [TIME, None], [TIME, {"a": 1}], [TIME, ["x"]]),
        *([TIME, "x", "y"], [TIME, "x", [1]], [TIME, '{"a":1}', 5]),
        *({"ts": TIME}, {"line": 5}, {"line": ["\n"]}),
    ],
)
def test_an_entry_of_a_wrong_shape_is_kept_as_its_text_and_spoils_no_other(entry: object) -> None:
    good = [[TIME, "before"], entry, [TIME, '{"after":1}']]
    push = read_json(json.dumps({"streams": [{"stream": {"a": "b"}, "values": good}]}).encode())
    assert push.faults == 1
    before, wrong, after = (json.loads(line) for line in push.lines)
    assert (before["message"], after["after"], after["a"]) == ("before", 1, "b")
    assert wrong == {"message": json.dumps(entry), "a": "b"}


@together(
    "stream",
    [
        *(1, "x", None, [], {"values": 1}, {"values": {}}, {"stream": 1}, {"stream": ["a"]}),
        *({"labels": "{a=1}", "entries": []}, {"stream": "nonsense", "values": [[TIME, "x"]]}),
    ],
)
def test_a_stream_of_a_wrong_shape_is_kept_as_its_text_and_spoils_no_other(stream: object) -> None:
    good = {"values": [[TIME, "good"]]}
    push = read_json(json.dumps({"streams": [good, stream, good]}).encode())
    assert push.faults == 1
    events = [json.loads(line) for line in push.lines]
    assert [event["message"] for event in events] == ["good", json.dumps(stream), "good"]


@together(
    "body",
    [b"", b" ", b"x", b"1", b"[]", b"{}", b'"x"', b'{"streams":1}', b'{"streams":[', b"{}{}"],
)
def test_what_is_no_push_at_all_is_refused(body: bytes) -> None:
    with pytest.raises(Invalid, match=r"not valid JSON|not a push"):
        read_json(body)


def test_nesting_beyond_measure_is_refused() -> None:
    with pytest.raises(Invalid, match="not valid JSON"):
        read_json(b'{"streams":' + b"[" * 100_000)


def test_what_is_no_unicode_spoils_nothing_else() -> None:
    body = (
        b'{"streams":[{"values":[["0","\xff"],["0","\\ud83d"],["0","{\\"a\\":\\"\\\\ud83d\\"}"]]}]}'
    )
    events = [json.loads(line) for line in read_json(body).lines]
    assert events == [{"message": "\ufffd"}, {"message": "\ufffd"}, {"a": "\ufffd"}]


def test_a_character_may_lie_across_two_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push_json, "SLICE_BYTES", 3)
    assert push_json.is_utf8("aé€😀".encode() * 5)
    assert not push_json.is_utf8("aé€😀".encode()[:-1])


def test_a_body_with_more_values_than_memory_should_hold_is_refused() -> None:
    body = b'{"streams":[{"values":[' + b"0," * push_json.MAX_COMMAS + b"0,0]}]}"
    with pytest.raises(TooLarge, match="expected fewer"):
        read_json(body)


@pytest.mark.parametrize("entry", ['["0",""]', "0"])
def test_labels_that_would_multiply_beyond_measure_are_refused(entry: str) -> None:
    values = ",".join([entry] * 2000)
    stream = f'{{"stream":{{"a":"{"x" * 50_000}"}},"values":[{values}]}}'
    with pytest.raises(TooLarge, match="labels are too long"):
        read_json(f'{{"streams":[{stream},{stream}]}}'.encode())


def test_more_labels_or_metadata_than_an_entry_may_have_are_refused() -> None:
    most = {f"name{number}": "x" for number in range(MAX_MEMBERS)}
    assert len(read_one("line", most)) == MAX_MEMBERS + 2
    assert len(read_one("line", {}, most)) == MAX_MEMBERS + 2
    more = most | {"a": "x"}
    for labels, metadata in ((more, {}), ({}, more)):
        with pytest.raises(TooLarge, match=f"expected at most {MAX_MEMBERS}"):
            read_one("line", labels, metadata)


@together(
    ("text", "labels"),
    [
        ("", {}),
        ("{}", {}),
        ("{ }", {}),
        ('{a="b"}', {"a": "b"}),
        ('{a="b",c="d"}', {"a": "b", "c": "d"}),
        (' { a = "b" , c = "d" , } ', {"a": "b", "c": "d"}),
        (r'{a="\"x\" \\ \n\t"}', {"a": '"x" \\ \n\t'}),
        (r'{a="\u00e9\U0001F600\xc3\xa9\303\251"}', {"a": "é😀éé"}),
        (r'{a="\ud800\UFFFFFFFF\xff"}', {"a": "?\\UFFFFFFFF\ufffd"}),
        ('{a="{,}=", b=`c"\\n`}', {"a": "{,}=", "b": 'c"\\n'}),
        ('{"k8s.pod"="x", a.b="é"}', {"k8s.pod": "x", "a.b": "é"}),
    ],
)
def test_labels_are_read_as_go_writes_them(text: str, labels: dict[str, str]) -> None:
    assert {name: json.loads(value) for name, value in parse_labels(text).items()} == labels


@together("text", ["x", "{", "{a}", "{a=b}", '{a="b}', '{a="b" c="d"}', '{="b"}'])
def test_labels_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(Invalid, match="labels"):
        parse_labels(text)


Entries = list[tuple[int, str, dict[str, str]]]

names = st.sampled_from(["a", "A", "b.c", "level", "source", "message", "timestamp", "é"])
lines = st.text() | st.dictionaries(names, st.integers() | st.text()).map(json.dumps)
entries = st.lists(
    st.tuples(
        st.just(0) | st.integers(10**17, 2**63 - 1),
        lines,
        st.dictionaries(names, st.text(max_size=5), max_size=2),
    ),
    max_size=4,
)
streams = st.lists(st.tuples(st.dictionaries(names, st.text(), max_size=3), entries), max_size=3)


def write_protobuf(pushed: list[tuple[dict[str, str], Entries]]) -> bytes:
    push: Any = PUSH()
    for labels, items in pushed:
        texts = (
            f"{json.dumps(name)}={json.dumps(text, ensure_ascii=False)}"
            for name, text in labels.items()
        )
        stream = push.streams.add(labels=f"{{{', '.join(texts)}}}".encode())
        for time_ns, line, metadata in items:
            entry = stream.entries.add(line=line.encode())
            entry.time.seconds, entry.time.nanos = divmod(time_ns, 10**9)
            for name, value in metadata.items():
                entry.metadata.add(name=name.encode(), value=value.encode())
    packed: bytes = push.SerializeToString()
    return packed


def write_json(pushed: list[tuple[dict[str, str], Entries]]) -> bytes:
    content = [
        {"stream": labels, "values": [[str(time_ns), *rest] for time_ns, *rest in items]}
        for labels, items in pushed
    ]
    return json.dumps({"streams": content}, ensure_ascii=False).encode()


@given(streams)
@settings(max_examples=examples(100))
def test_json_and_protobuf_say_the_same(pushed: list[tuple[dict[str, str], Entries]]) -> None:
    plain = write_protobuf(pushed)
    by_json = read_json(write_json(pushed))
    assert len(by_json.lines) == sum(len(items) for _, items in pushed)
    expected = [json.loads(line) for line in by_json.lines]
    for body in (plain, bytes(cramjam.snappy.compress_raw(plain))):
        by_protobuf = read_protobuf(body)
        assert (by_json.faults, by_protobuf.faults) == (0, 0)
        assert [json.loads(line) for line in by_protobuf.lines] == expected


@given(streams, st.data())
@settings(max_examples=examples(100))
def test_a_damaged_body_is_refused_or_gives_whole_lines(
    pushed: list[tuple[dict[str, str], Entries]], data: st.DataObject
) -> None:
    read_body, body = data.draw(
        st.sampled_from([(read_json, write_json(pushed)), (read_protobuf, write_protobuf(pushed))])
    )
    place = data.draw(st.integers(0, len(body)))
    damaged = body[:place] + data.draw(st.binary(max_size=3)) + body[place + 1 :]
    try:
        push = read_body(damaged)
    except (Invalid, TooLarge):
        return
    for line in push.lines:
        assert line.endswith(b"\n")
        assert b"\n" not in line[:-1]
        assert parse_object(line) is not None


@together(
    ("seconds", "nanos", "expected"),
    [
        (0, 0, None),
        (1, 5, 1.000000005),
        (-1, 0, -1.0),
        (1715000000, 7, 1715000000000000007),
        (2**60, 0, None),
        (-(2**63), -(2**31), None),
    ],
)
def test_a_protobuf_time_means_the_same_for_the_service(
    seconds: int, nanos: int, expected: float | None
) -> None:
    push: Any = PUSH()
    entry = push.streams.add(labels=b"{}").entries.add(line=b"x")
    entry.time.seconds, entry.time.nanos = seconds, nanos
    (line,) = read_protobuf(push.SerializeToString()).lines
    assert json.loads(line).get("timestamp") == expected


def test_labels_that_cannot_be_read_are_kept_with_each_entry() -> None:
    push: Any = PUSH()
    stream = push.streams.add(labels=b"nonsense \xff")
    stream.entries.add(line=b"\xff")
    stream.entries.add(line=b'{"a":"\xff"}')
    read_push = read_protobuf(push.SerializeToString())
    assert read_push.faults == 2
    labels = {"labels": "nonsense \ufffd"}
    assert [json.loads(line) for line in read_push.lines] == [
        {"message": "\ufffd", **labels},
        {"message": '{"a":"\ufffd"}', **labels},
    ]


@pytest.mark.parametrize(
    "body", [b"\x0a\x05", b"garbage", b"\xff" * 50, b"\x0a\xff\xff\xff\xff\x7f"]
)
def test_what_is_no_protobuf_push_is_refused(body: bytes) -> None:
    with pytest.raises(Invalid, match=r"not valid snappy|not a valid protobuf push"):
        read_protobuf(body)


def test_protobuf_with_more_entries_than_memory_should_hold_is_refused() -> None:
    size = 4_000_002 * 2
    assert size < 2**28
    length = bytes(
        [size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14 & 0x7F | 0x80, size >> 21]
    )
    with pytest.raises(TooLarge, match="expected fewer entries"):
        read_protobuf(b"\x0a" + length + b"\x12\x00" * (size // 2))

"""Log lines by `auto`: nothing of any text is lost, chunks do not matter, and what the user says is never overridden."""

import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formats.feeding import chunked, read, read_events
from tests.properties import examples

from logboom.formats import FORMATS, open_reader
from logboom.formats.auto.reader import AutoReader
from logboom.formats.reader import Options

NOW = Options(now_ns=1_763_294_400_000_000_000)
PARTS = st.sampled_from(
    [
        *("2025-06-14 15:16:01,123 ", "Jun 14 15:16:01 ", "[2025-06-14 15:16:01 +0000] ", "[   12.345678] "),
        *("06/14/2025 3:16:01 PM ", "1749914161 ", "15:16:01.123 ", "I0614 15:16:01.123456 1 a.go:1] "),
        *("2025-06-14T15:16:01.123Z stdout F ", "2025-06-14T15:16:01.123Z stdout P ", "web-1  | "),
        *("INFO ", "[ERROR] ", "error: ", "INFO:", "[main] ", "[a b] ", "(main) ", "<info> ", "4711 ", "[4711] "),
        *("a.b.C - ", "root: ", " - ", "| ", "\t", "\tat a.b.C", "Caused by: x", "]", "[", "{", "}", '{"a":1}'),
        *("wörter ", "\x1b[31m", "x" * 200, "# Time: ", "-- "),
    ]
)  # fmt: skip
LINES = st.lists(PARTS, min_size=1, max_size=5).map(lambda parts: "".join(parts).encode())
WORD = re.compile(r"[A-Za-zö]{2,}")
TIMES = re.compile(r"(?:Jun|PM)\b")
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def collect(value: Any) -> str:
    """All names and values of an event."""
    if isinstance(value, dict):
        return " ".join(f"{name} {collect(each)}" for name, each in value.items())
    if isinstance(value, list):
        return " ".join(map(collect, value))
    return str(value)


def collect_line(line: bytes) -> str:
    """NDJSON is passed on as it is, with lines that are none."""
    try:
        return collect(msgspec.json.decode(line))
    except msgspec.DecodeError:
        return line.decode()


def choose(text: bytes, options: Options = NOW) -> str:
    reader = open_reader("auto", options)
    reader.feed(text)
    reader.finish()
    return reader.format


@settings(max_examples=examples(150), deadline=None)
@given(chunked(LINES))
def test_no_line_is_lost_and_chunks_do_not_matter(chunks: list[bytes]) -> None:
    text = b"".join(chunks)
    whole = read("auto", [text], NOW)
    assert read("auto", chunks, NOW) == whole
    assert read("auto", text.splitlines(keepends=True), NOW) == whole
    lines, _ = whole
    kept = " ".join(map(collect_line, lines))
    for word in WORD.findall(TIMES.sub("", ANSI.sub("", text.decode()))):
        assert word in kept


@pytest.mark.parametrize(
    "piece", ["[a]", "(a) ", "a.b ", "1 ", "- ", "[", "| ", "a::", "\t{", "INFO ", " "]
)
@pytest.mark.parametrize(
    "begin",
    [
        *("2025-06-14 15:16:01 ", "Jun 14 15:16:01 ", "INFO: ", "INFO", "Event[0]:\n  A"),
        *("LEEF:2.0|a|b|c|d| |", "#fields\ta\n", "2 123456789012 eni-1 ", '{"t":{"$date":"'),
        *(
            "date=2025-06-14 time=15:16:01 logid=1 ",
            "Jun 14 15:16:01 fw filterlog[1]: 5,,,1,a,b,c,d,4,",
        ),
        *("2025-06-14 15:16:01.123 UTC,", "2025-06-14 15:16:01.123456+0100 0x1b4 D"),
    ],
)
def test_long_lines_are_read_in_one_pass(begin: str, piece: str) -> None:
    lines, _ = read("auto", [f"{begin}{piece * 50_000}x\n".encode() * 3], NOW)
    assert lines


def test_a_word_that_only_sometimes_looks_like_a_level_stays_in_the_message() -> None:
    text = b"2025-06-14 15:16:01 job started\n" * 5 + b"2025-06-14 15:16:02 error opening x\n"
    lines, _ = read("auto", [text], NOW)
    event = msgspec.json.decode(lines[-1])
    assert event == {"timestamp": "2025-06-14 15:16:02", "message": "error opening x"}


def test_a_word_before_a_colon_is_a_logger_only_where_that_is_usual() -> None:
    usual = b"".join(b"2025-06-14 15:16:01 INFO shop: order %d\n" % at for at in range(5))
    rare = b"".join(b"2025-06-14 15:16:01 INFO order %d\n" % at for at in range(5))
    last = b"2025-06-14 15:16:02 INFO timeout: none left\n"
    events = [
        msgspec.json.decode(read("auto", [text + last], NOW)[0][-1]) for text in (usual, rare)
    ]
    assert [event.get("logger") for event in events] == ["timeout", None]
    assert events[1]["message"] == "timeout: none left"


def test_the_lines_of_two_programs_in_one_file_are_events_of_their_own() -> None:
    text = (
        b"[2025-06-14 15:16:01 +0000] [1] [INFO] Starting gunicorn\n"
        b"2025-06-14 15:16:02,001 ERROR shop: failed\n"
        b"2025/06/14 15:16:03 listening\n"
    )
    lines, _ = read("auto", [text * 3], NOW)
    assert len(lines) == 9
    assert all(b'"timestamp"' in line for line in lines)


def test_what_the_user_says_is_not_overridden() -> None:
    text = b"2025-06-14 15:16:01 INFO one\n2025-06-14 15:16:02 INFO two\nmore\n" * 3
    folded, _ = read("auto", [text], msgspec.structs.replace(NOW, multiline="one$"))
    assert len(folded) == 3
    assert choose(text, msgspec.structs.replace(NOW, grok="%{WORD:first}")) == "grok"
    assert read("text", [text], NOW)[0] == [
        msgspec.json.encode({"message": line}) for line in text.decode().splitlines()
    ]


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        ("INFO", '{"level":"warn"}', {"outer_level": "INFO", "level": "warn"}),
        ("INFO", '{"timestamp":1}', {"level": "INFO", "inner_timestamp": 1}),
        ("INFO", '{"n":1.10,"big":123456789012345678901}', {"n": 1.1, "big": 123456789012345678901}),
        ("INFO", '{"broken":', {"message": '{"broken":'}),
        ("INFO", "{not json}", {"message": "{not json}"}),
    ],
)  # fmt: skip
def test_an_object_as_the_message_becomes_fields(
    outer: str, inner: str, expected: dict[str, Any]
) -> None:
    lines, _ = read("auto", [f"2025-06-14 15:16:01 {outer} {inner}\n".encode()], NOW)
    event = msgspec.json.decode(lines[0])
    assert {name: event.get(name) for name in expected} == expected
    assert event["timestamp"] == "2025-06-14 15:16:01"


def test_a_line_that_a_runtime_cut_is_one_event_however_it_is_fed() -> None:
    cut = b"2025-06-14T15:16:01Z stdout P one \n2025-06-14T15:16:01Z stdout F two\n"
    text = cut + b"2025-06-14T15:16:02Z stdout F three\n"
    for chunks in ([text], text.splitlines(keepends=True)):
        lines, _ = read("auto", chunks, NOW)
        messages = [msgspec.json.decode(line)["message"] for line in lines]
        assert messages == ["one two", "three"]


def test_confidence_is_the_share_of_lines_that_are_explained() -> None:
    """Lines that may belong to the event before them count by half."""
    reader = AutoReader(NOW, FORMATS)
    reader.feed(b"2025-06-14 15:16:01 one\n" * 8 + b"what is this\n" * 2)
    reader.finish()
    assert reader.choice is not None
    assert (reader.choice.name, reader.choice.confidence) == ("log", 0.9)


ZAP = "2026-11-18T10:00:00.123+0100\tINFO\t"


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ('main/a.go:12\tready\t{"port": 80}', {"caller": "main/a.go:12", "message": "ready"}),
        ('main/a.go:12\tis ready\t{"port": 80}', {"caller": "main/a.go:12", "message": "is ready"}),
        (
            'setup\tmain/a.go:12\tis ready\t{"port": 80}',
            {"logger": "setup", "caller": "main/a.go:12", "message": "is ready"},
        ),
        ('setup\tready\t{"port": 80}', {"logger": "setup", "message": "ready"}),
    ],
)
def test_fields_between_tabs_are_what_their_form_says(line: str, fields: dict[str, Any]) -> None:
    stamp = {"timestamp": "2026-11-18T10:00:00.123+0100", "level": "INFO", "port": 80}
    assert read_events("auto", f"{ZAP}{line}\n" * 2, NOW) == [{**stamp, **fields}] * 2

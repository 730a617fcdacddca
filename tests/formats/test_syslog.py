"""Syslog: what is written comes back, and every message is an event, whatever was sent."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.feeding import read
from tests.together import together

from logboom.formats.reader import Options
from logboom.formats.syslog import LEVELS, parse_message, parse_syslog

NOW_NS = 1_794_700_800_000_000_000
"""2026-11-15T00:00:00Z."""

HEADERS = ("hostname", "app_name", "proc_id", "msg_id")
words = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)
names = words.filter(lambda word: not re.search(r'[=\]"]', word))
values = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
elements = st.dictionaries(
    names, st.dictionaries(names, values, min_size=1, max_size=3), max_size=3
)
messages = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: text[0] not in "\ufeff[- " and text.rstrip("\r\n\0") == text
)


def escape(value: str) -> str:
    return re.sub(r'(["\\\]])', r"\\\1", value)


def write(
    priority: int, header: dict[str, str], data: dict[str, dict[str, str]], message: str | None
) -> str:
    """A message as RFC 5424 has it."""
    written = ""
    for identity, pairs in data.items():
        parameters = "".join(f' {name}="{escape(value)}"' for name, value in pairs.items())
        written += f"[{identity}{parameters}]"
    head = " ".join(["2026-11-14T00:21:27.5Z", *(header.get(name, "-") for name in HEADERS)])
    tail = "" if message is None else f" {message}"
    return f"<{priority}>1 {head} {written or '-'}{tail}"


@given(
    st.integers(0, 191),
    st.dictionaries(st.sampled_from(HEADERS), words.filter(lambda word: word != "-")),
    elements,
    st.none() | messages,
)
def test_what_is_written_as_5424_comes_back(
    priority: int, header: dict[str, str], data: dict[str, dict[str, str]], message: str | None
) -> None:
    expected: dict[str, Any] = {
        "priority": priority,
        "facility": priority // 8,
        "severity": priority % 8,
        "level": LEVELS[priority % 8],
        "timestamp": "2026-11-14T00:21:27.5Z",
        **header,
    }
    gathered: dict[str, list[str]] = {}
    for identity, pairs in data.items():
        for name, value in pairs.items():
            gathered.setdefault(f"{identity}.{name}", []).append(value)
    expected |= {name: found if len(found) > 1 else found[0] for name, found in gathered.items()}
    if message is not None:
        expected["message"] = message
    text = write(priority, header, data, message)
    assert parse_syslog(text) == expected
    assert json.loads(parse_message(text.encode(), NOW_NS)) == expected


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\0", b"\n\0"])
def test_the_end_of_a_frame_is_no_part_of_the_message(end: bytes) -> None:
    line = parse_message(b"<155>myapp: first\nsecond line" + end, NOW_NS)
    assert json.loads(line)["message"] == "first\nsecond line"


def test_what_is_no_syslog_is_a_message() -> None:
    assert (
        parse_message(b"\xef\xbb\xbfjust \xff text\n", NOW_NS) == rb'{"message":"just \\xff text"}'
    )


@given(
    st.binary(max_size=200) | st.binary(max_size=100).map(lambda data: b"<13>1 - - - - - " + data)
)
def test_whatever_is_sent_is_one_line(data: bytes) -> None:
    line = parse_message(data, NOW_NS)
    assert b"\n" not in line
    assert isinstance(json.loads(line), dict)


@given(st.from_regex(r"<(13|165)>(1 )?[A-Za-z0-9:\[\]=\"\-. ]{0,60}x", fullmatch=True))
def test_a_message_is_read_as_a_line_of_a_file_is(text: str) -> None:
    lines, faults = read("syslog", [text.encode()], Options(now_ns=NOW_NS))
    assert (lines, faults) == ([parse_message(text.encode(), NOW_NS)], 0)


def test_now_decides_the_year_and_the_pipe_sees_the_text() -> None:
    text = "<13>Dec 31 23:59:59 host app: bye"
    assert (
        json.loads(parse_message(text.encode(), NOW_NS))["timestamp"] == 1_767_225_599_000_000_000
    )
    assert (parse_syslog(text) or {})["timestamp"] == "Dec 31 23:59:59"


@together("stamp", ["1", "99", "x", "x" * 500, "Nov", "2026 "])
def test_a_time_that_is_none_stays_a_text(stamp: str) -> None:
    event = json.loads(parse_message(f"<13>1 {stamp.strip()} h a - - - m".encode(), NOW_NS))
    assert event["timestamp"] == stamp.strip()

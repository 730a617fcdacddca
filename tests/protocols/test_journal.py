"""What systemd-journal-upload sends: read in pieces of any size, stored and answered."""

import itertools
import json
import struct
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.running import RunningService

from logboom.protocols.journal import entries, export
from logboom.protocols.journal.export import ExportReader

EXPORT = {"Content-Type": "application/vnd.fdo.journal"}
TIME_US = 1772445600123456
FIRST = f"""__CURSOR=s=39326c;i=4ece7;b=6c7c
__REALTIME_TIMESTAMP={TIME_US}
__MONOTONIC_TIMESTAMP=1747
_BOOT_ID=6c7c6013a26343b29e964691ff25d04c
_TRANSPORT=journal
PRIORITY=3
SYSLOG_IDENTIFIER=shop
_PID=4711
_SYSTEMD_UNIT=shop.service
TAG=a
TAG=b=c
LEVEL=own
MESSAGE=card declined, ünpaid

""".encode()
READ_FIRST = {
    "timestamp": TIME_US,
    "level": "error",
    "severity": 3,
    "__cursor": "s=39326c;i=4ece7;b=6c7c",
    "__monotonic_timestamp": "1747",
    "_boot_id": "6c7c6013a26343b29e964691ff25d04c",
    "_transport": "journal",
    "syslog_identifier": "shop",
    "_pid": "4711",
    "_systemd_unit": "shop.service",
    "tag": ["a", "b=c"],
    "inner_level": "own",
    "message": "card declined, ünpaid",
}


def binary(name: str, value: bytes) -> bytes:
    return name.encode() + b"\n" + struct.pack("<Q", len(value)) + value + b"\n"


def read(*pieces: bytes) -> tuple[list[dict[str, Any]], int]:
    """The events of a stream, and how many were damaged."""
    reader = ExportReader()
    found = [*map(reader.feed, pieces), reader.finish()]
    lines = [line for each in found for line in each.data.split(b"\n") if line]
    assert sum(each.faults for each in found) == reader.damaged
    assert all(each.faults <= each.data.count(b"\n") + 1 for each in found)
    return [json.loads(line) for line in lines], reader.damaged


SECOND = (
    b"MESSAGE=first\n"
    + binary("TEXT", b"two\nlines\n\nMESSAGE=no")
    + binary("RAW", b"\xff\0")
    + b"\n"
)
READ_SECOND = {"message": "first", "text": "two\nlines\n\nMESSAGE=no", "raw": "\\xff\0"}
DAMAGED: dict[bytes, dict[str, Any]] = {
    b"MESSAGE=kept\nno name here\n_PID=1\n\n": {"message": "kept"},
    b"_PID=1\nno name here\nMESSAGE=lost\n\n": {"_pid": "1", "message": "no name here"},
    b"MESSAGE=kept\nRAW\n" + b"\xff" * 8 + b"rest\n\n": {"message": "kept"},
    b"RAW\n" + struct.pack("<Q", 3) + b"abcd\nX=1\n\n": {"raw": "abc"},
    b"=nameless\n\n": {"message": "=nameless"},
    b"\xff\xfe\n\n": {"message": "\\xff\\xfe"},
    b"N" * 257 + b"=1\n\n": {"message": "N" * 257 + "=1"},
}
"""Damaged entries, and what is kept of them."""


def test_entries_are_events() -> None:
    assert read(b"# comment\n" + FIRST + b"\n\n" + SECOND) == ([READ_FIRST, READ_SECOND], 0)
    odd = b"PRIORITY=9\n__REALTIME_TIMESTAMP=soon\nMESSAGE=a\nMESSAGE=b\nE=\n\n"
    expected = {"priority": "9", "__realtime_timestamp": "soon", "message": "a\nb", "e": ""}
    assert read(odd) == ([expected], 0)
    assert read() == read(b"") == read(b"\n\n") == ([], 0)


def test_many_comments_before_an_entry_take_no_longer_than_other_lines() -> None:
    """It would be minutes if each of them made us look at all that follow."""
    comments = b"#\n" * 250_000
    assert read(comments + SECOND + comments + FIRST) == ([READ_SECOND, READ_FIRST], 0)


@pytest.mark.parametrize("damaged", DAMAGED)
def test_a_damaged_entry_is_reported_and_no_other_is_lost(damaged: bytes) -> None:
    assert read(SECOND + damaged + FIRST) == ([READ_SECOND, DAMAGED[damaged], READ_FIRST], 1)


def test_an_entry_that_ends_too_early_is_reported() -> None:
    whole = binary("TEXT", b"a\nb")
    assert read(FIRST + b"MESSAGE=last\n") == ([READ_FIRST, {"message": "last"}], 0)
    assert read(FIRST + b"MESSAGE=la") == ([READ_FIRST, {"message": "MESSAGE=la"}], 1)
    for place in range(1, len(whole)):
        events, damaged = read(b"MESSAGE=last\n" + whole[:place])
        assert ([event["message"] for event in events], damaged) == (["last"], 1)


@settings(max_examples=examples(200), deadline=None)
@given(
    st.lists(st.sampled_from([FIRST, SECOND, *DAMAGED]), max_size=6),
    st.lists(st.integers(0, 3_000), max_size=20),
)
def test_pieces_may_end_anywhere(stream: list[bytes], places: list[int]) -> None:
    data = b"".join(stream)
    cuts = sorted({0, *places, len(data)})
    pieces = [data[start:end] for start, end in itertools.pairwise(cuts)]
    assert read(*pieces) == read(data)
    assert read(*(data[at : at + 1] for at in range(len(data)))) == read(data)


def test_what_is_too_much_for_an_event_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "MAX_VALUE_BYTES", 100)
    monkeypatch.setattr(export, "MAX_VALUE_BYTES", 100)
    monkeypatch.setattr(export, "MAX_LINE_BYTES", 120)
    monkeypatch.setattr(entries, "MAX_ENTRY_BYTES", 350)
    monkeypatch.setattr(entries, "MAX_FIELDS", 5)
    kept = {"a": "x" * 100, "message": "next", "truncated": True}
    for value in (b"A=" + b"x" * 1_000 + b"\n", binary("A", b"x" * 1_000)):
        stream = value + b"MESSAGE=next\n\n"
        pieces = [stream[at : at + 70] for at in range(0, len(stream), 70)]
        assert read(stream) == read(*pieces) == ([kept], 0)
    [event], _ = read(b"".join(b"%c=%b\n" % (65 + number, b"y" * 90) for number in range(5)))
    assert list(event) == ["a", "b", "c", "truncated"]
    [event], _ = read(b"".join(b"%c=\n" % (65 + number) for number in range(9)))
    assert list(event) == ["a", "b", "c", "d", "e", "truncated"]
    reader = ExportReader()
    for _ in range(100):
        reader.feed(b"z" * 1_000)
        assert len(reader._held) <= 1_120


def upload(
    service: RunningService, body: bytes | Iterator[bytes], path: str = "/upload", **options: Any
) -> httpx.Response:
    options = {"headers": EXPORT, **options}
    return service.anonymous.post(path, content=body, **options)


def list_rows(service: RunningService, env: str, query: str) -> list[dict[str, Any]]:
    service.flush()
    rows: list[dict[str, Any]] = service.search(query, env=env)["rows"]
    return rows


def test_an_upload_is_stored(service: RunningService, env: str) -> None:
    answer = upload(service, iter([FIRST[:100], FIRST[100:], SECOND]), params={"env": env})
    assert (answer.status_code, answer.text) == (202, "OK.\n")
    [row] = list_rows(service, env, "level:error")
    assert row["_time"] == "2026-03-02T10:00:00.123456Z"
    assert (row["message"], row["_pid"]) == ("card declined, ünpaid", "4711")
    assert len(list_rows(service, env, "_SYSTEMD_UNIT:shop.service")) == 1
    answer = upload(service, FIRST + b"broken\n\n" + SECOND, params={"env": env})
    assert (answer.status_code, "1 entry was damaged" in answer.text) == (202, True)
    assert len(list_rows(service, env, "")) == 5
    assert upload(service, b"", params={"env": env}).text == "OK.\n"


def test_the_index_may_be_in_the_path_and_the_token_in_the_address(
    service: RunningService, env: str
) -> None:
    _, token = service.control.tokens.create("journal", env, indexes=("system",))
    path = "/api/journal/system/upload"
    assert upload(service, FIRST, path, auth=("any", token)).status_code == 202
    [row] = list_rows(service, env, "card")
    assert row["_index"] == "system"
    refused = upload(service, FIRST + SECOND, "/api/journal/other/upload", auth=("any", token))
    assert (refused.status_code, "not allowed" in refused.text) == (403, True)
    assert len(list_rows(service, env, "")) == 1


def test_what_is_no_journal_is_refused(service: RunningService, env: str) -> None:
    answer = upload(service, FIRST, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.text.count("\n")) == (415, 1)
    assert upload(service, FIRST, params={"env": "nowhere"}).status_code == 400
    assert list_rows(service, env, "") == []


def test_a_large_upload_is_read_in_pieces(service: RunningService, env: str) -> None:
    """More than one batch, so that it becomes a bulk load."""
    entry = FIRST.replace(b"card", b"x" * 1_000 + b" card")
    count = 20_000
    body = (entry * 100 for _ in range(count // 100))
    assert upload(service, body, params={"env": env}).status_code == 202
    service.flush()
    [row] = service.search("* | stats count", env=env)["rows"]
    assert row["count"] == count

"""Messages that are JSON, over UDP and TCP: GELF, compressed and in chunks, and the lines of loggers."""

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.running import JWT_SECRET
from tests.sources.syslog_bed import INBOXES, LOOPBACK, Bed
from tests.store.stores import make_store

from logboom.base.clock import system_clock
from logboom.base.stores.local import LocalObjects
from logboom.control.control import Control
from logboom.sources.syslog import packets, udp
from logboom.sources.syslog.collector import encode_messages
from logboom.sources.syslog.framing import Message
from logboom.sources.syslog.packets import CHUNK, Packets

GELF = {
    "version": "1.1",
    "host": "web-1",
    "short_message": "card declined",
    "full_message": "card declined\nat line 7",
    "timestamp": 1385053862.3072,
    "level": 3,
    "_user_id": 9001,
    "_level": "own",
    "_order": {"id": 7},
}
READ_GELF = {
    "hostname": "web-1",
    "message": "card declined",
    "full_message": "card declined\nat line 7",
    "timestamp": 1385053862.3072,
    "level": "error",
    "severity": 3,
    "user_id": 9001,
    "_level": "own",
    "order": {"id": 7},
    "sender": LOOPBACK,
}
LOGSTASH = {
    "@timestamp": "2026-03-02T10:00:00Z",
    "@version": "1",
    "message": "order paid",
    "level": "INFO",
}


@pytest.fixture(params=INBOXES)
def bed(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Bed]:
    monkeypatch.setattr(udp, "open_inbox", INBOXES[request.param])
    control = Control.open(LocalObjects(tmp_path / "control"), None, JWT_SECRET, system_clock)
    bed = Bed(make_store(tmp_path / "data"), control)
    bed.store.open()
    bed.switch_on()
    yield bed
    bed.close()
    bed.store.close()


def write(event: dict[str, Any]) -> bytes:
    return json.dumps(event).encode()


def cut(data: bytes, size: int, identity: bytes = b"8 bytes.") -> list[bytes]:
    """The chunks of a message."""
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    return [
        CHUNK + identity + bytes((number, len(parts))) + part for number, part in enumerate(parts)
    ]


def encode(data: bytes) -> dict[str, Any]:
    """The event of one message."""
    event: dict[str, Any] = json.loads(encode_messages([Message(data, LOOPBACK)], 0))
    return event


def test_messages_that_are_json_are_events_with_their_members(bed: Bed) -> None:
    first, second, *others = cut(gzip.compress(write(GELF | {"short_message": "in chunks"})), 60)
    bed.send(write(GELF), gzip.compress(write(GELF | {"short_message": "gzip"})))
    bed.send(
        zlib.compress(write(GELF | {"short_message": "zlib"})), zlib.compress(b"<11>app: packed")
    )
    bed.send(second, first, first, *others)
    with bed.connect() as connection:
        connection.sendall(write(GELF | {"short_message": "by TCP\n"}) + b"\0")
        connection.sendall(write(GELF | {"short_message": "again"}) + b"\0")
    with bed.connect() as connection:
        connection.sendall(write(LOGSTASH) + b"\n<13>app: text\n" + b'{"broken": \n')
    events = {str(event["message"]).strip(): event for event in bed.await_events(10)}
    assert set(events) == {
        *("card declined", "gzip", "zlib", "packed", "in chunks", "by TCP", "again"),
        *("order paid", "text", '{"broken":'),
    }
    for name in ("card declined", "gzip", "zlib", "in chunks", "by TCP", "again"):
        event = events[name]
        assert (event["hostname"], event["level"], event["severity:int"]) == ("web-1", "error", 3)
        assert (event["user_id:int"], event["sender"]) == (9001, LOOPBACK)
    assert events["order paid"]["hostname"] == LOOPBACK
    assert bed.count("dropped") == 0


def test_gelf_gets_the_names_that_other_messages_have() -> None:
    assert encode(write(GELF)) == READ_GELF
    assert encode(write(GELF) + b"\r\n\0") == READ_GELF
    assert encode(json.dumps(GELF, indent=2).encode()) == READ_GELF
    bare = encode(b'{"host":"a","short_message":"b","level":9,"_":1,"__x":2}')
    assert bare == {
        "hostname": "a",
        "message": "b",
        "level": 9,
        "_": 1,
        "_x": 2,
        "sender": LOOPBACK,
    }


def test_other_objects_keep_their_members() -> None:
    own = {"hostname": LOOPBACK, "sender": LOOPBACK}
    assert encode(write(LOGSTASH)) == LOGSTASH | own
    assert encode(b'{"host":{"name":"a"},"Sender":"b"}') == {"host": {"name": "a"}, "Sender": "b"}
    assert encode(b"{}") == own
    assert encode(b'{"short_message":"a","message":"b","host":"c"}')["short_message"] == "a"
    for text in ('{"a":1} rest', '{"a":', "[1]", "{" * 5_000):
        assert encode(text.encode()) == {"message": text} | own


def open_all(opener: Packets, *datagrams: bytes, sender: str = LOOPBACK) -> list[bytes]:
    return [each.data for each in opener.open([Message(data, sender) for data in datagrams])]


@settings(max_examples=examples(100), deadline=None)
@given(st.binary(min_size=1, max_size=400), st.integers(4, 50), st.randoms())
def test_chunks_are_joined_in_any_order(data: bytes, size: int, random: Any) -> None:
    opener = Packets(1_000)
    chunks = cut(b"." + data, size) + cut(b"-" + data, size, b"another.")
    random.shuffle(chunks)
    assert sorted(open_all(opener, *chunks)) == [b"-" + data, b"." + data]
    assert opener.take_dropped() == 0
    assert opener._held_bytes == len(opener._partials) == 0


def test_text_that_is_not_packed_stays_as_it_is() -> None:
    opener = Packets(1_000)
    texts = [b"<13>a\n", b"x", b"x\x9c is no zlib", b"\x1f\x8b nor gzip", b""]
    texts += [b"\x1f\x8b", zlib.compress(b"a") + b"more"]
    assert open_all(opener, *texts) == texts
    cut_short = Message(gzip.compress(b"abc" * 100)[:-4], LOOPBACK, True)
    assert opener.open([cut_short]) == [Message(b"abc" * 100, LOOPBACK, True)]
    assert opener.take_dropped() == 0


def test_what_inflates_beyond_the_limit_is_dropped_and_counted() -> None:
    opener = Packets(1_000)
    bomb = gzip.compress(bytes(10_000_000))
    assert open_all(opener, bomb, zlib.compress(b"x" * 1_001), zlib.compress(b"y" * 1_000)) == [
        b"y" * 1_000
    ]
    assert open_all(opener, *cut(bytes(10_000), 500)) == []
    assert opener.take_dropped() == 2 + 20 // 3


def test_chunks_that_do_not_all_come_give_way(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0
    opener = Packets(1_000, lambda: now_s)
    first, second = cut(b"0123456789", 5)
    assert open_all(opener, first) == []
    now_s = 5.0
    assert open_all(opener, second, sender="another") == []
    assert open_all(opener, second) == [b"0123456789"]
    assert open_all(opener, first) == []
    now_s = 10.5
    opener.expire()
    assert (opener.take_dropped(), open_all(opener, second)) == (2, [])
    monkeypatch.setattr(packets, "MAX_PARTIALS", 10)
    for number in range(20):
        open_all(opener, cut(b"0123456789", 5, b"%08d" % number)[0])
    assert (len(opener._partials), opener.take_dropped()) == (10, 11)
    monkeypatch.setattr(packets, "MAX_PARTIAL_BYTES", 3 * packets.CHUNK_BYTES)
    open_all(opener, cut(b"0123456789", 5, b"the last")[0])
    assert len(opener._partials) <= 3
    now_s = 100.0
    opener.expire()
    assert opener._held_bytes == 0


def test_chunks_that_are_not_valid_are_dropped_and_counted() -> None:
    opener = Packets(1_000)
    first, second = cut(b"0123456789", 5)
    head = CHUNK + b"8 bytes."
    assert (
        open_all(opener, CHUNK, head, head + b"\x02\x02", head + b"\0\0", head + b"\0\x81.") == []
    )
    assert opener.take_dropped() == 5
    assert opener.open([Message(first, LOOPBACK, is_truncated=True)]) == []
    assert open_all(opener, first, head + b"\x01\x03other", second) == [b"0123456789"]
    assert opener.take_dropped() == 1

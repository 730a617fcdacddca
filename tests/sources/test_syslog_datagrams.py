"""What a socket has received: the compiled inbox and its definition give the same, and lose nothing themselves."""

import fcntl
import itertools
import os
import resource
import select
import socket
import struct
import termios
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.sources.syslog_bed import INBOXES, LOOPBACK
from tests.waiting import poll_until

from logboom.sources.syslog import udp
from logboom.sources.syslog.datagrams import Inbox, PythonInbox, format_address
from logboom.sources.syslog.framing import Message
from logboom.sources.syslog.udp import open_inbox, open_udp, read_drops

OpenInbox = Callable[[socket.socket, int], Inbox]

each_inbox = pytest.mark.parametrize("open_one", INBOXES.values(), ids=INBOXES)


@contextmanager
def connect(host: str = LOOPBACK) -> Iterator[tuple[socket.socket, socket.socket]]:
    """A receiving socket and one that sends to it."""
    with (
        open_udp(host, 0) as receiving,
        socket.socket(receiving.family, socket.SOCK_DGRAM) as sending,
    ):
        sending.connect(receiving.getsockname())
        yield receiving, sending


def is_readable(inbox: Inbox, timeout_s: float = 0) -> bool:
    return bool(select.select([inbox.fileno()], [], [], timeout_s)[0])


def receive(inbox: Inbox, number: int) -> list[Message]:
    """So many messages."""
    messages: list[Message] = []
    while len(messages) < number:
        assert is_readable(inbox, 20)
        messages += inbox.receive()
    return messages


def drain(inbox: Inbox) -> list[Message]:
    """All that there is."""
    return list(itertools.chain.from_iterable(iter(inbox.receive, [])))


def is_emptied(receiving: socket.socket) -> bool:
    """Whether the kernel has nothing more."""
    return fcntl.ioctl(receiving, termios.FIONREAD, bytes(4)) == bytes(4)


def test_it_is_compiled() -> None:
    native = import_module("logboom.sources.syslog._receive")
    with connect() as (receiving, _):
        assert isinstance(open_inbox(receiving, 480), native.ThreadInbox)


def test_without_the_compiled_one_its_definition_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(udp, "find_compiled", lambda _name: None)
    with connect() as (receiving, _):
        assert isinstance(open_inbox(receiving, 480), PythonInbox)


@each_inbox
@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.binary(max_size=600) | st.sampled_from([b"\r\n\0", b"<13>a\n", b"x" * 480])))
def test_datagrams_come_in_order_as_they_were_sent(
    open_one: OpenInbox, datagrams: list[bytes]
) -> None:
    with connect() as (receiving, sending):
        inbox = open_one(receiving, 480)
        for datagram in datagrams:
            sending.send(datagram)
        expected = [Message(each[:480], LOOPBACK, len(each) > 480) for each in datagrams]
        assert receive(inbox, len(datagrams)) == expected
        poll_until(lambda: inbox.receive() == [] and not is_readable(inbox), "rest")
        inbox.stop()


@each_inbox
def test_the_largest_datagram_comes_whole(open_one: OpenInbox) -> None:
    with connect() as (receiving, sending):
        inbox = open_one(receiving, 1024 * 1024)
        sending.send(b"x" * 65_507)
        assert receive(inbox, 1) == [Message(b"x" * 65_507, LOOPBACK)]
        inbox.stop()


@pytest.mark.skipif(not socket.has_ipv6, reason="needs IPv6")
@each_inbox
def test_datagrams_by_ipv6_have_their_sender(open_one: OpenInbox) -> None:
    with connect("::1") as (receiving, sending):
        inbox = open_one(receiving, 480)
        for number in range(1_000):
            sending.send(b"%d" % number)
        expected = [Message(b"%d" % number, "::1") for number in range(1_000)]
        assert receive(inbox, 1_000) == expected
        assert read_drops(receiving) == 0
        inbox.stop()


ADDRESSES: Mapping[str, bytes] = {
    "192.0.2.7": bytes([192, 0, 2, 7]),
    "198.51.100.9": bytes(10) + b"\xff\xff" + bytes([198, 51, 100, 9]),
    "2001:db8::1": bytes.fromhex("20010db8000000000000000000000001"),
}


@pytest.mark.parametrize("text", ADDRESSES)
def test_addresses_are_written_as_usual(text: str) -> None:
    assert format_address(ADDRESSES[text]) == text


def test_the_kernel_is_emptied_while_nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(udp, "BUFFER_BYTES", 16 * 1024)
    with connect() as (receiving, sending):
        inbox = open_inbox(receiving, 480)
        for number in range(1_000):
            sending.send(b"%d" % number)
            if number % 8 == 0:
                poll_until(lambda: is_emptied(receiving), "the kernel to be emptied")
        assert [int(message.data) for message in receive(inbox, 1_000)] == list(range(1_000))
        assert read_drops(receiving) == 0
        inbox.stop()


def test_without_room_it_leaves_the_rest_to_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which counts what it drops, and all that is not dropped comes, in order."""
    monkeypatch.setattr(udp, "BUFFER_BYTES", 64 * 1024)
    monkeypatch.setattr(udp, "INBOX_BYTES", 64 * 1024)
    with connect() as (receiving, sending):
        inbox = open_inbox(receiving, 480)
        for number in range(5_000):
            sending.send(b"%0400d" % number)
        drops = read_drops(receiving)
        assert drops > 0
        numbers = [int(message.data) for message in receive(inbox, 5_000 - drops)]
        assert numbers == sorted(set(numbers))
        assert (len(numbers), inbox.receive()) == (5_000 - drops, [])
        sending.send(b"room again")
        assert receive(inbox, 1) == [Message(b"room again", LOOPBACK)]
        inbox.stop()


def test_it_has_room_for_one_datagram_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(udp, "INBOX_BYTES", 0)
    with connect() as (receiving, sending):
        inbox = open_inbox(receiving, 480)
        for number in range(200):
            sending.send(b"%d" % number)
        assert [int(message.data) for message in receive(inbox, 200)] == list(range(200))
        inbox.stop()


@each_inbox
def test_stopped_it_gives_what_has_come(
    open_one: OpenInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what is in the kernel still, as there was no room here."""
    monkeypatch.setattr(udp, "INBOX_BYTES", 4 * 1024)
    with connect() as (receiving, sending):
        inbox = open_one(receiving, 480)
        for number in range(1_000):
            sending.send(b"%d" % number)
        inbox.stop()
        inbox.stop()
        assert [int(message.data) for message in drain(inbox)] == list(range(1_000))
        assert read_drops(receiving) == 0


class Flood:
    """Numbers sent from another thread, as fast as it goes, until it is left."""

    def __init__(self, sending: socket.socket) -> None:
        self._sending = sending
        self._is_over = False
        self._thread = threading.Thread(target=self._send)
        self.sent = 0

    def _send(self) -> None:
        while not self._is_over:
            with suppress(ConnectionRefusedError):
                self._sending.send(struct.pack("=Q", self.sent) + b".")
            self.sent += 1

    def __enter__(self) -> "Flood":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        self._thread.join()


@each_inbox
def test_while_datagrams_rain_it_is_stopped_and_opened_and_each_comes_once(
    open_one: OpenInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(udp, "BUFFER_BYTES", 64 * 1024)
    monkeypatch.setattr(udp, "INBOX_BYTES", 64 * 1024)
    messages: list[Message] = []
    with connect() as (receiving, sending):
        with Flood(sending) as flood:
            for _ in range(50):
                inbox = open_one(receiving, 480)
                messages += receive(inbox, 20)
                inbox.stop()
                for _ in range(200):
                    messages += inbox.receive()
        inbox = open_one(receiving, 480)
        inbox.stop()
        messages += drain(inbox)
        numbers = [struct.unpack("=Q", message.data[:8])[0] for message in messages]
        assert numbers == sorted(set(numbers))
        assert len(numbers) + read_drops(receiving) == flood.sent


def measure_process() -> tuple[int, int, int]:
    """Open files, threads and mebibytes of addresses."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    files, threads = (len(os.listdir(f"/proc/self/{each}")) for each in ("fd", "task"))
    return files, threads, pages * resource.getpagesize() // 2**20


def test_nothing_is_left_of_it() -> None:
    """Neither of one that was stopped, nor of one that was forgotten while datagrams rain."""
    with connect() as (receiving, sending), Flood(sending):
        files, threads, mebibytes = measure_process()
        for number in range(100):
            inbox = open_inbox(receiving, 65_536)
            if number % 2:
                inbox.stop()
            del inbox
        poll_until(lambda: measure_process()[1] <= threads, "the threads to be gone")
        assert measure_process()[0] <= files
        assert measure_process()[2] < mebibytes + 200

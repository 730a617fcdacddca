"""The listener on a real store: what becomes of messages, of settings, and of more than it can take."""

import logging
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.logged import list_said_by
from tests.ports import choose_port
from tests.running import JWT_SECRET
from tests.sources.syslog_bed import INBOXES, LOOPBACK, Bed, read_metric
from tests.store.stores import make_store
from tests.waiting import poll_until
from tests.web.identities import Identity, make_identity, read_serial

from logboom.base.clock import system_clock
from logboom.base.errors import Invalid
from logboom.base.stores.local import LocalObjects
from logboom.control.control import Control
from logboom.sources.syslog import collector, tcp, udp
from logboom.sources.syslog.collector import encode_messages, measure
from logboom.sources.syslog.framing import Message


@pytest.fixture(params=INBOXES)
def closed(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Bed]:
    """A listener, switched off, whose store is not open yet."""
    monkeypatch.setattr(udp, "open_inbox", INBOXES[request.param])
    monkeypatch.setattr(collector, "FIRST_RETRY_S", 0.01)
    monkeypatch.setattr(collector, "LAST_RETRY_S", 0.01)
    objects = LocalObjects(tmp_path / "control")
    control = Control.open(objects, None, JWT_SECRET, system_clock)
    bed = Bed(make_store(tmp_path / "data"), control)
    yield bed
    bed.close()
    bed.store.close()


@pytest.fixture
def bed(closed: Bed) -> Bed:
    """A listener, switched off, with its store."""
    closed.store.open()
    return closed


def test_a_message_is_an_event_with_its_sender(bed: Bed) -> None:
    bed.switch_on(index="net-{{app_name}}", source="network")
    bed.send(b"<11>Nov 14 22:13:20 web-1 app[7]: over UDP")
    with bed.connect() as connection:
        connection.sendall(b"<14>bare: over TCP\n")
    first, second = sorted(bed.await_events(2), key=lambda event: str(event["message"]))
    assert (first["message"], first["sender"]) == ("over TCP", LOOPBACK)
    assert (first["hostname"], first["_index"]) == (LOOPBACK, "net-bare")
    assert (second["message"], second["sender"]) == ("over UDP", LOOPBACK)
    assert (second["hostname"], second["_index"]) == ("web-1", "net-app")
    assert {first["source"], second["source"]} == {"network"}
    assert (bed.count("udp"), bed.count("tcp"), bed.count("dropped")) == (1, 1, 0)


def test_a_datagram_is_one_message_whatever_is_in_it(bed: Bed) -> None:
    bed.switch_on(max_message_bytes=480)
    bed.send(b"", b"\n", b"<13>a\n<13>b\0", b"9 <13>count", b"<13>" + b"x" * 600)
    events = {str(event["message"]): event for event in bed.await_events(3)}
    assert set(events) == {"a\n<13>b", "9 <13>count", "x" * 476}
    assert events["x" * 476]["truncated:bool"] is True
    assert events["9 <13>count"]["truncated:bool"] is None


def test_a_message_that_is_too_long_is_kept_in_part_and_flagged(bed: Bed) -> None:
    bed.switch_on(max_message_bytes=480)
    with bed.connect() as connection:
        connection.sendall(b"<13>" + b"x" * 5_000 + b"\n<13>next\n")
        connection.sendall(b"604 <13>" + b"y" * 600 + b"<13>last")
    events = {str(event["message"]): event["truncated:bool"] for event in bed.await_events(4)}
    assert events == {"x" * 476: True, "next": None, "y" * 476: True, "last": None}


def test_the_rest_of_a_message_is_taken_when_its_sender_hangs_up(bed: Bed) -> None:
    bed.switch_on()
    with bed.connect() as connection:
        connection.sendall(b"<13>no line feed")
    [event] = bed.await_events(1)
    assert event["message"] == "no line feed"


def test_what_a_sender_does_not_go_on_with_is_taken_after_a_while(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    bed.switch_on()
    with bed.connect() as connection:
        connection.sendall(b"<13>first\n<13>begun")
        bed.await_events(1)
        bed.run(bed.listener.follow)
        assert len(bed.list_events()) == 1
        monkeypatch.setattr(tcp, "STALL_S", -1.0)
        bed.run(bed.listener.follow)
        assert [event["message"] for event in bed.await_events(2)] == ["first", "begun"]
        connection.sendall(b"<13>still connected\n")
        assert len(bed.await_events(3)) == 3


def test_it_is_off_until_switched_on_and_off_again_at_once(bed: Bed) -> None:
    assert bed.status == ("off", "")
    bed.switch_on()
    assert read_metric("listening") == 1
    connection = bed.connect()
    bed.send(b"<13>last words")
    assert bed.set(enabled=False) == ("off", "")
    assert read_metric("listening") == 0
    assert has_hung_up(connection)
    connection.close()
    with pytest.raises(ConnectionRefusedError):
        bed.connect()
    assert [event["message"] for event in bed.await_events(1)] == ["last words"]


def test_it_moves_to_other_ports(bed: Bed) -> None:
    bed.switch_on()
    bed.port = choose_port()
    bed.switch_on()
    bed.send(b"<13>there")
    assert len(bed.await_events(1)) == 1


def test_another_target_breaks_no_connection(bed: Bed) -> None:
    bed.switch_on()
    bed.control.environments.create("other")
    with bed.connect() as connection:
        connection.sendall(b"<13>before\n")
        bed.await_events(1)
        assert bed.set(env="other", index="elsewhere", source="") == ("listening", "")
        connection.sendall(b"<13>after\n")
        events = {str(event["message"]): event for event in bed.await_events(2)}
    assert events["before"]["_env"] == "default"
    after = events["after"]
    assert (after["_env"], after["_index"], after["source"]) == ("other", "elsewhere", None)


@pytest.mark.parametrize("kind", [socket.SOCK_DGRAM, socket.SOCK_STREAM], ids=["UDP", "TCP"])
def test_a_port_that_is_taken_is_said_and_tried_again(
    bed: Bed, kind: socket.SocketKind, caplog: pytest.LogCaptureFixture
) -> None:
    ports = {"udp_port": choose_port(), "tcp_port": bed.port}
    taken = ports["udp_port"] if kind == socket.SOCK_DGRAM else ports["tcp_port"]
    with socket.socket(socket.AF_INET, kind) as other:
        if kind == socket.SOCK_STREAM:
            # As servers do; otherwise the reservation of the port would be in the way.
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind((LOOPBACK, taken))
        if kind == socket.SOCK_STREAM:
            other.listen()
        with caplog.at_level(logging.WARNING):
            state, error = bed.set(enabled=True, **ports)
            bed.run(bed.listener.follow)
    assert (state, str(taken) in error) == ("failed", True)
    records = list_said_by("logboom.sources.syslog.listener", caplog)
    assert [record.getMessage() for record in records] == ["syslog listener"]
    assert bed.control.settings.effective.syslog.enabled
    assert read_metric("listening") == 0
    bed.run(bed.listener.follow)
    assert bed.status == ("listening", "")


def test_without_its_environment_it_does_not_listen(bed: Bed) -> None:
    ports = {"udp_port": bed.port, "tcp_port": bed.port}
    state, error = bed.set(enabled=True, env="missing", **ports)
    assert (state, "'missing'" in error) == ("failed", True)
    bed.control.environments.create("missing")
    bed.run(bed.listener.follow)
    assert bed.status == ("listening", "")
    bed.control.environments.delete("missing")
    bed.run(bed.listener.follow)
    assert bed.status[0] == "failed"
    with pytest.raises(ConnectionRefusedError):
        bed.connect()


def test_an_event_for_a_reserved_index_is_dropped_and_counted(bed: Bed) -> None:
    bed.switch_on(index="{{app_name}}")
    bed.send(b"<13>_self: forged", b"<13>honest: fine")
    assert [event["message"] for event in bed.await_events(1)] == ["fine"]
    poll_until(lambda: bed.count("dropped") == 1, "the drop to be counted")


def shake_hands(bed: Bed, identity: Identity) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=str(identity.certificate))
    return context.wrap_socket(bed.connect(), server_hostname=LOOPBACK)


def test_with_a_certificate_tcp_is_tls_and_the_certificate_may_be_renewed(
    bed: Bed, tmp_path: Path
) -> None:
    identity = make_identity(tmp_path, "server")
    bed.switch_on(tls_cert=str(identity.certificate), tls_key=str(identity.key))
    with shake_hands(bed, identity) as connection:
        connection.sendall(b"18 <13>over TLS\nline2")
        assert [event["message"] for event in bed.await_events(1)] == ["over TLS\nline2"]
        identity.replace(make_identity(tmp_path, "renewed"))
        bed.run(bed.listener.follow)
        with shake_hands(bed, identity) as renewed:
            assert read_serial(renewed.getpeercert(binary_form=True) or b"") == identity.serial
        connection.sendall(b"<13>the old connection\n")
        assert len(bed.await_events(2)) == 2


def test_who_does_not_speak_tls_is_not_heard_and_disturbs_nobody(bed: Bed, tmp_path: Path) -> None:
    identity = make_identity(tmp_path, "server")
    bed.switch_on(tls_cert=str(identity.certificate), tls_key=str(identity.key))
    with bed.connect() as plain:
        plain.sendall(b"<13>in the clear\n" * 100)
        with shake_hands(bed, identity) as connection:
            connection.sendall(b"<13>secret\n")
            bed.await_events(1)
    assert [event["message"] for event in bed.list_events()] == ["secret"]


def test_a_bad_certificate_is_said(bed: Bed, tmp_path: Path) -> None:
    identity = make_identity(tmp_path, "server")
    missing = str(tmp_path / "missing.pem")
    state, error = bed.set(enabled=True, tls_cert=missing, tls_key=str(identity.key))
    assert (state, missing in error) == ("failed", True)
    with pytest.raises(Invalid, match="go together"):
        bed.set(tls_cert="")


def has_hung_up(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_more_connections_than_allowed_are_refused_and_counted(bed: Bed) -> None:
    bed.switch_on(max_connections=2)
    held = [bed.connect(), bed.connect()]
    poll_until(lambda: bed.count("connections") == 2, "both connections")
    with bed.connect() as third:
        assert has_hung_up(third)
    assert bed.count("refused") == 1
    held.pop().close()
    poll_until(lambda: bed.count("connections") == 1, "one to be gone")
    with bed.connect() as another:
        another.sendall(b"<13>room again\n")
        bed.await_events(1)
    held.pop().close()
    poll_until(lambda: bed.count("connections") == 0, "all to be gone")


def test_an_address_that_holds_most_connections_makes_room_for_others(bed: Bed) -> None:
    bed.switch_on(max_connections=3)
    with ExitStack() as stack:
        silent, *others = [stack.enter_context(bed.connect()) for _ in range(3)]
        poll_until(lambda: bed.count("connections") == 3, "all connections")
        silent.sendall(b"<13>incomplete")
        time.sleep(0.1)
        for number, other in enumerate(others):
            other.sendall(b"<13>of another %d\n" % number)
        bed.await_events(2)
        stack.enter_context(bed.connect("127.0.0.2")).sendall(b"<13>from elsewhere\n")
        events = bed.await_events(4)
        assert has_hung_up(silent)
        assert has_hung_up(stack.enter_context(bed.connect()))
        for number, other in enumerate(others):
            other.sendall(b"<13>still open %d\n" % number)
        bed.await_events(6)
    assert {"incomplete", "from elsewhere"} <= {event["message"] for event in events}
    assert bed.count("refused") == 2


def test_while_nothing_can_be_stored_messages_wait(closed: Bed) -> None:
    closed.switch_on()
    closed.send(*(b"<13>datagram %d" % number for number in range(50)))
    with closed.connect() as connection:
        connection.sendall(b"".join(b"<13>line %d\n" % number for number in range(3_000)))
        poll_until(lambda: closed.count("tcp") == 3_000, "all lines to be received")
        closed.store.open()
        events = closed.await_events(3_050)
    assert len({event["message"] for event in events}) == len(events) == 3_050
    assert closed.count("dropped") == 0


def test_what_cannot_be_stored_at_the_end_is_counted(closed: Bed) -> None:
    closed.switch_on()
    closed.send(*(b"<13>datagram %d" % number for number in range(50)))
    poll_until(lambda: closed.count("udp") == 50, "all datagrams to be received")
    closed.run(closed.listener.close)
    assert closed.count("dropped") == 50


# TCP does not go through an inbox.
@pytest.mark.parametrize("closed", ["compiled"], indirect=True)
@pytest.mark.parametrize("is_tls", [False, True], ids=["plain", "TLS"])
def test_tcp_senders_wait_while_there_is_no_room(
    closed: Bed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_tls: bool
) -> None:
    """What they have sent and nobody has read is in the kernel's buffers, and is bounded there."""
    queue_bytes = 1024 * 1024
    monkeypatch.setattr(collector, "QUEUE_BYTES", queue_bytes)
    identity = make_identity(tmp_path, "server")
    files = {"tls_cert": str(identity.certificate), "tls_key": str(identity.key)}
    closed.switch_on(**(files if is_tls else {}))

    def connect() -> socket.socket:
        return shake_hands(closed, identity) if is_tls else closed.connect()

    lines, size = 2_000, 16_000
    stream = b"".join(b"<13>%06d %b\n" % (number, b"x" * size) for number in range(lines))
    counted_bytes = measure([Message(stream[: stream.index(b"\n")], LOOPBACK)])
    with connect() as connection, connect() as idle:
        sending = threading.Thread(target=connection.sendall, args=(stream,))
        sending.start()
        poll_until(lambda: closed.count("tcp") * counted_bytes > queue_bytes, "a full queue")
        received = closed.count("tcp")
        sending.join(0.3)
        assert sending.is_alive()
        assert closed.count("tcp") == received
        before_last_read = (received - tcp.READ_BYTES // size - 1) * counted_bytes
        assert before_last_read <= queue_bytes
        with connect() as late:
            late.sendall(b"<13>late\n")
            idle.sendall(b"<13>idle\n")
            closed.store.open()
            sending.join(30)
            events = closed.await_events(lines + 2)
    assert len(events) == lines + 2
    assert closed.count("dropped") == 0


def test_datagrams_beyond_all_room_are_dropped_and_counted_exactly(
    closed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "QUEUE_BYTES", 1024 * 1024)
    monkeypatch.setattr(udp, "BUFFER_BYTES", 1024 * 1024)
    monkeypatch.setattr(udp, "INBOX_BYTES", 1024 * 1024)
    closed.switch_on()
    sent = 3_000
    closed.send(*(b"<13>%06d %b" % (number, b"x" * 4_000) for number in range(sent)))
    closed.store.open()
    poll_until(lambda: closed.count("udp") + closed.count("dropped") == sent, "all accounted for")
    stored = len(closed.await_events(closed.count("udp")))
    assert stored + closed.count("dropped") == sent
    assert closed.count("dropped") > 0
    closed.send(b"<13>room again")
    assert len(closed.await_events(stored + 1)) == stored + 1


def test_while_there_is_no_room_it_can_be_moved(
    closed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "QUEUE_BYTES", 0)
    closed.switch_on()
    closed.send(b"<13>first")
    poll_until(lambda: closed.count("udp") == 1, "the first to be received")
    closed.port = choose_port()
    closed.switch_on()
    closed.send(b"<13>second")
    with closed.connect() as connection:
        connection.sendall(b"<13>third\n")
        poll_until(lambda: closed.count("connections") == 1, "the connection")
        closed.run(closed.listener.follow)
        assert (closed.count("udp"), closed.count("tcp")) == (1, 0)
        closed.store.open()
        events = closed.await_events(3)
    assert {event["message"] for event in events} == {"first", "second", "third"}


def test_who_has_to_wait_for_room_has_not_stalled(
    closed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What follows is in the kernel still: it is one message."""
    monkeypatch.setattr(collector, "QUEUE_BYTES", 0)
    closed.switch_on()
    with closed.connect() as connection:
        connection.sendall(b"<13>first\n<13>begun ")
        poll_until(lambda: closed.count("tcp") == 1, "the first to be received")
        connection.sendall(b"and ended\n")
        monkeypatch.setattr(tcp, "STALL_S", -1.0)
        closed.run(closed.listener.follow)
        assert closed.count("tcp") == 1
        closed.store.open()
        events = closed.await_events(2)
    assert [event["message"] for event in events] == ["first", "begun and ended"]


def test_members_are_added_to_any_message() -> None:
    data = b'<13>1 - - - - - - says "hostname": "x" {"hostname":1}'
    lines = encode_messages([Message(data, "::1"), Message(b"{}", "192.0.2.1", True)], 0)
    first, second = map(msgspec.json.decode, lines.splitlines())
    assert (first["hostname"], first["sender"]) == ("::1", "::1")
    assert first["message"] == 'says "hostname": "x" {"hostname":1}'
    assert second == {
        "message": "{}",
        "hostname": "192.0.2.1",
        "sender": "192.0.2.1",
        "truncated": True,
    }


@given(st.lists(st.binary(min_size=1, max_size=200)), st.booleans())
def test_any_bytes_are_an_event(texts: list[bytes], is_truncated: bool) -> None:
    messages = [Message(text, "192.0.2.1", is_truncated) for text in texts]
    events = [msgspec.json.decode(line) for line in encode_messages(messages, 0).splitlines()]
    assert [event["sender"] for event in events] == ["192.0.2.1"] * len(texts)
    assert all(event["hostname"] for event in events)
    assert all(("truncated" in event) == is_truncated for event in events)

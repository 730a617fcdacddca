"""The listener of a real server: switched on over HTTP, there again after a restart, complete at the end."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.ports import choose_port
from tests.process.service import Service
from tests.process.test_control_plane import ask, count
from tests.waiting import poll_until

pytestmark = pytest.mark.process


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Service]:
    server = Service(tmp_path / "data", tmp_path / "log", {})
    server.start()
    yield server
    server.close()


def read_state(server: Service) -> str:
    state: str = ask(server, "GET", "/api/settings").json()["syslog_status"]["state"]
    return state


def send(port: int, *messages: bytes) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for message in messages:
            sender.sendto(message, ("127.0.0.1", port))


def test_it_listens_at_once_after_a_restart_and_to_the_last(server: Service) -> None:
    port = choose_port()
    changes = {"syslog": {"enabled": True, "udp_port": port, "tcp_port": port}}
    answer = ask(server, "PATCH", "/api/settings", json=changes).json()
    assert answer["syslog_status"] == {"state": "listening", "error": ""}
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"<13>begun")
        send(port, *(b"<13>before the stop %d" % number for number in range(500)))
        poll_until(lambda: b'transport="udp"} 500.0' in read_metrics(server), "all to be received")
        assert server.stop() == 0
    server.start()
    assert count(server) == 501
    poll_until(lambda: read_state(server) == "listening", "the listener")
    send(port, b"<13>after the start")
    poll_until(lambda: count_all(server) == 502, "the one after the start")


def count_all(server: Service) -> int:
    server.flush()
    return count(server)


def read_metrics(server: Service) -> bytes:
    return ask(server, "GET", "/metrics").content


def test_what_is_wrong_is_said_stays_set_and_heals(server: Service) -> None:
    port = choose_port()
    with socket.create_server(("127.0.0.1", port)):
        changes = {"syslog": {"enabled": True, "udp_port": port, "tcp_port": port}}
        answer = ask(server, "PATCH", "/api/settings", json=changes).json()
        assert answer["syslog"]["enabled"]
        assert answer["syslog_status"]["state"] == "failed"
        assert str(port) in answer["syslog_status"]["error"]
        assert server.stop() == 0
        server.start()
        poll_until(lambda: read_state(server) == "failed", "the listener to have tried")
    poll_until(lambda: read_state(server) == "listening", "the listener to try again")

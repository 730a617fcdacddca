"""Measures syslog over UDP: the share of messages dropped at a steady rate from one sender."""

import socket
import time
from collections.abc import Iterator
from http.client import HTTPConnection

from bench.client import WrongAnswerError
from bench.process import Server, find_free_port, serve
from bench.report import Figure
from bench.ways import check_understood
from bench.workbench import Workbench, note

RATE = 20_000
SECONDS = 15
PAUSE_S = 0.002
BURST = 100
"""More are not sent at once, also when the sender itself had to wait: a rate is measured, not a flood."""
SETTLE_S = 30
MESSAGE = b"<134>Nov 15 11:21:27 web-%d nginx[4711]: 10.0.%d.7 GET /cart/items/%d 200 in 12 ms, 5120 bytes"
DROPPED = "logboom_syslog_dropped_messages_total"
RECEIVED = 'logboom_syslog_received_messages_total{transport="udp"}'


def measure_syslog(workbench: Workbench) -> list[Figure]:
    """Measure syslog; drops that the kernel counted are among those that the service counts."""
    port, messages = find_free_port(), RATE * SECONDS
    with serve(workbench.make_directory(), {}) as server:
        token = server.set_up()
        switch_on(server, token, port)
        server.settle()
        before_s = server.cpu_s()
        note(f"{messages:,} syslog messages at {RATE:,} a second")
        elapsed_s = send(port, messages)
        received, dropped = await_messages(server, messages)
        client = server.connect(token)
        client.flush()
        cpu_s = server.cpu_s() - before_s
        check_understood(client, "*", received)
    return [
        Figure(
            name=f"syslog by UDP, {RATE:,} a second",
            value=dropped,
            unit="dropped",
            target=0,
            detail=f"{messages / elapsed_s:,.0f} a second sent, {cpu_s / messages * 1e6:.2f} us of CPU per message",
            method=f"one sender on loopback for {SECONDS} s, at most {BURST} at once; drops as {DROPPED} says; received and dropped are all that was sent, "
            "and all received are found",
        )
    ]


def switch_on(server: Server, token: str, port: int) -> None:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    settings = f'{{"syslog":{{"enabled":true,"udp_port":{port},"tcp_port":{port}}}}}'
    connection.request("PATCH", "/api/settings", settings, headers)
    answer = connection.getresponse().read()
    connection.close()
    if b'"listening"' not in answer:
        raise WrongAnswerError(f"the listener was not switched on: {answer[:500]!r}")


def send(port: int, messages: int) -> float:
    """Return how many seconds it took; what is due is sent in small bursts."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.connect(("127.0.0.1", port))
        started_s = time.perf_counter()
        sent = 0
        while sent < messages:
            due = int((time.perf_counter() - started_s) * RATE)
            due = min(messages, due, sent + BURST)
            for number in range(sent, due):
                sender.send(MESSAGE % (number % 20, number % 250, number))
            sent = due
            time.sleep(PAUSE_S)
        return time.perf_counter() - started_s


def await_messages(server: Server, messages: int) -> tuple[int, int]:
    """Return how many were received, and how many dropped, when all are accounted for."""
    deadline_s = time.monotonic() + SETTLE_S
    while True:
        metrics = dict(read_metrics(server))
        received, dropped = int(metrics.get(RECEIVED, 0)), int(metrics.get(DROPPED, 0))
        if received + dropped == messages:
            server.settle()
            return received, dropped
        if time.monotonic() > deadline_s:
            raise WrongAnswerError(
                f"of {messages} messages sent {received} were received and {dropped} dropped"
            )
        time.sleep(0.1)


def read_metrics(server: Server) -> Iterator[tuple[str, float]]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    connection.close()
    for line in lines:
        if not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            yield name, float(value)

"""A syslog listener on its own event loop, over a store of the test."""

import asyncio
import socket
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

import uvloop
from prometheus_client import REGISTRY
from tests.ports import choose_port
from tests.store.stores import read_rows
from tests.waiting import poll_until

from logboom.base.clock import system_clock
from logboom.base.process.offload import Offload
from logboom.control.control import Control
from logboom.ingest.sink import Sink
from logboom.sources.syslog.datagrams import Inbox, PythonInbox
from logboom.sources.syslog.listener import SyslogListener
from logboom.sources.syslog.udp import open_inbox
from logboom.store.store import Store

LOOPBACK = "127.0.0.1"
INBOXES: Mapping[str, Callable[[socket.socket, int], Inbox]] = {
    "compiled": open_inbox,
    "python": PythonInbox,
}
METRICS = {
    "udp": ("logboom_syslog_received_messages_total", {"transport": "udp"}),
    "tcp": ("logboom_syslog_received_messages_total", {"transport": "tcp"}),
    "dropped": ("logboom_syslog_dropped_messages_total", {}),
    "connections": ("logboom_syslog_connections", {}),
    "refused": ("logboom_syslog_refused_connections_total", {}),
    "listening": ("logboom_syslog_listening", {}),
}


def read_metric(name: str) -> int:
    return int(REGISTRY.get_sample_value(*METRICS[name]) or 0)


class Bed:
    """A listener on an event loop of its own, with a store that may be opened later."""

    def __init__(self, store: Store, control: Control) -> None:
        self.store = store
        self.control = control
        self.port = choose_port()
        self._offload = Offload(2, "test")
        self._before = {name: read_metric(name) for name in METRICS}
        self._loop = uvloop.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.listener = self.run(self._make)
        self.run(self.listener.start)

    async def _make(self) -> SyslogListener:
        sink = Sink(self.store, self._offload, 8, system_clock)
        return SyslogListener(self.control, sink, self._offload, system_clock)

    def run(self, scenario: Callable[[], Any]) -> Any:
        """Run a coroutine on the listener's loop, and return its result."""
        future: Future[Any] = asyncio.run_coroutine_threadsafe(scenario(), self._loop)
        return future.result(30)

    def set(self, **changes: object) -> tuple[str, str]:
        """Change settings of the listener, and return its status."""
        self.control.settings.patch({"syslog": changes})
        return self.status

    def switch_on(self, **changes: object) -> None:
        ports = {"udp_port": self.port, "tcp_port": self.port}
        assert self.set(enabled=True, **ports, **changes) == ("listening", "")

    @property
    def status(self) -> tuple[str, str]:
        status = self.control.settings.syslog_status
        return status.state, status.error

    def count(self, name: str) -> int:
        """Return how much a metric has grown."""
        return read_metric(name) - self._before[name]

    def list_events(self) -> list[dict[str, Any]]:
        """Return all stored events as they were received, the oldest first."""
        self.store.flush().result()
        return read_rows(self.store).to_dicts()

    def await_events(self, number: int) -> list[dict[str, Any]]:
        poll_until(lambda: len(self.list_events()) >= number, f"{number} events")
        return self.list_events()

    def connect(self, source: str = LOOPBACK) -> socket.socket:
        """Return a connection from an address of this machine."""
        address = (LOOPBACK, self.port)
        return socket.create_connection(address, timeout=20, source_address=(source, 0))

    def send(self, *datagrams: bytes) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for datagram in datagrams:
                sender.sendto(datagram, (LOOPBACK, self.port))

    def close(self) -> None:
        self.run(self.listener.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._offload.close()

"""The whole service inside the test's process: real store, real HTTP, an admin signed in."""

import asyncio
import json
import socket
import threading
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import httpx
from tests.hashing import hash_quickly
from tests.ports import choose_port
from tests.waiting import poll_until

from logboom.alerts import deliver, watch
from logboom.alerts.sending.sender import Sender
from logboom.api.services import Services
from logboom.application import make_app
from logboom.base.clock import Clock, system_clock
from logboom.base.process.offload import Offload
from logboom.base.stores.local import LocalObjects
from logboom.control.control import Control
from logboom.control.registry.leases import Leases
from logboom.engine.answers.engine import Engine
from logboom.engine.execution.gate import Gate
from logboom.engine.terms.limits import Limits
from logboom.ingest.sink import Sink
from logboom.ingest.visit import Intake
from logboom.model.shredder import open_shredder
from logboom.search.scope import ControlResources
from logboom.search.service import SearchService
from logboom.sources.browse import Browser
from logboom.sources.files.poll import PollerServices
from logboom.sources.files.supervisor import SourceSupervisor
from logboom.sources.roots import Roots
from logboom.status.parts import Parts
from logboom.status.service import PartsReader
from logboom.store.options import StoreOptions
from logboom.store.store import Store
from logboom.web.limits import ConnectionLimits
from logboom.web.server.listening import make_server

CREDENTIALS = {"username": "admin", "password": "correct horse battery"}
JWT_SECRET = bytes(range(40))
NEVER_S = 3600.0
LEASE_S = 300.0
RUNNING = 8
"""Queries that may run at once."""
CACHE_BYTES = 64 << 20

Body = bytes | Iterable[bytes]

hash_quickly()


def encode_lines(events: Iterable[object]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


class RunningService:
    """One data directory and the service on it. Blocks are made when a test asks for a flush."""

    def __init__(
        self,
        root: Path,
        *,
        queue_cap: int = 256,
        max_groups: int = 1_000_000,
        queries: tuple[int, int, float] = (RUNNING, 64, 30.0),
        mcp_calls: int = 10_000,
        timeout_s: float = 30.0,
        memory_bytes: int = 512 << 20,
        clock: Clock = system_clock,
        store_root: Path | None = None,
        **options: Any,
    ) -> None:
        """`store_root` is the store of another node, to be shared with it."""
        self.root = root
        self._store_root = store_root or root / "store"
        self._queue_cap = queue_cap
        self._max_groups = max_groups
        self._queries = queries
        self._mcp_calls = mcp_calls
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self.clock = clock
        self._options = StoreOptions(root, **{"flush_secs": NEVER_S, **options})
        self._token = ""
        self.port = choose_port()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Open the store, serve it, and sign in."""
        objects = LocalObjects(self._store_root)
        self.store = Store(self._options, objects, open_shredder(), self.clock)
        self.control = Control.open(objects, None, JWT_SECRET, self.clock)
        self._pool = ThreadPoolExecutor(2)
        self._offload = Offload(4, "offload")
        self._searches = Offload(8, "search")
        limits = Limits(self._timeout_s, self._max_groups, memory_bytes=self._memory_bytes)
        self.gate = Gate(*self._queries)
        engine = Engine(self.store, self._pool, limits, self.gate, CACHE_BYTES)
        self.searching = SearchService(engine, ControlResources(self.control), self.clock)
        self._sink = sink = Sink(self.store, self._offload, self._queue_cap, self.clock)
        self._sourcing = Offload(2, "source")
        roots = Roots((Path("/"),), lambda: (self.root,))
        self.sources = SourceSupervisor(
            self.control,
            Leases(objects, "sources", self.store.node, LEASE_S, self.clock),
            PollerServices(sink, self.store, self._sourcing, roots, self.clock),
        )
        self._checking = Offload(2, "alert")
        self.alerts = watch.AlertWatcher(
            Leases(objects, "alerts", self.store.node, LEASE_S, self.clock),
            watch.WatcherServices(self.control, self.searching, self._checking, self.clock),
        )
        self._mailing = Offload(2, "mail")
        sender = Sender(self._mailing, "http://logboom.test", self.clock)
        self.deliverer = deliver.Deliverer(
            Leases(objects, "deliveries", self.store.node, LEASE_S, self.clock),
            deliver.DelivererServices(self.control, sender, self._checking, self.clock),
        )
        parts = Parts(self.control, self.store, sink, self.gate, self.sources)
        self.status = PartsReader(parts, self.clock)
        services = Services(
            self.control,
            self.store,
            sink,
            self.searching,
            self._offload,
            self._searches,
            self.clock,
            self.sources,
            self.alerts,
            sender,
            Browser(roots),
            self.status,
        )
        self._stopping = services.stopping
        intake = Intake(self.control, sink, self._offload, self.clock)
        self.application = make_app(
            services, intake, bodies_bytes=64 << 20, mcp_calls_per_minute=self._mcp_calls
        )
        self._serve()
        self.store.open()
        self.application.is_ready = True
        self._sign_in()

    def _serve(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=2048)
        self._server = make_server(
            self.application,
            ConnectionLimits(idle_s=600),
            find_answer=self.application.find_answer,
            sockets=self.application.sockets,
        )
        self._thread = threading.Thread(target=self._server.run, args=([self._listener],))
        self._thread.start()
        poll_until(lambda: self._server.started, "the server to listen")
        self.anonymous = self._connect({})

    def _connect(self, headers: Mapping[str, str]) -> httpx.Client:
        return httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}",
            headers=headers,
            timeout=50.0,
            limits=httpx.Limits(max_connections=None),
            verify=False,
        )

    def _sign_in(self) -> None:
        if not self._token:
            if self.control.users.is_setup_required():
                self.control.setup(**CREDENTIALS)
            self._token, _ = self.control.login(**CREDENTIALS)
        self.client = self._connect({"Authorization": f"Bearer {self._token}"})

    def sign_in_again(self) -> None:
        """Sign in again, after something has ended the session."""
        self.client.close()
        self._token = ""
        self._sign_in()

    def stop(self) -> None:
        self.client.close()
        self.anonymous.close()
        self._stopping.set()
        self._server.should_exit = True
        self._thread.join()
        self._listener.close()
        self.store.close()
        self._searches.close()
        self._pool.shutdown()
        self._checking.close()
        self._mailing.close()
        self._sourcing.close()
        self._offload.close()

    def restart(self) -> None:
        """Stop gracefully, and start again on the same data and port."""
        self.stop()
        self.start()

    def drop_connections(self) -> None:
        """Abort all connections, as if the server had died."""
        for connection in list(self._server.server_state.connections):
            self._server.servers[0].get_loop().call_soon_threadsafe(connection.transport.abort)

    @contextmanager
    def hold_queue(self) -> Iterator[None]:
        """Keep the writer queue full while the context lasts."""
        requests = self._sink.requests
        for _ in range(requests.capacity):
            self._run(requests.__aenter__())
        try:
            yield
        finally:
            for _ in range(requests.capacity):
                self._run(requests.__aexit__())

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work on the event loop of the server."""
        loop = self._server.servers[0].get_loop()
        asyncio.run_coroutine_threadsafe(work, loop).result()

    def ingest(
        self,
        body: Body,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """POST to the native endpoint, without credentials."""
        return self.anonymous.post("/api/ingest", content=body, params=params, headers=headers)

    def keep(self, body: Body, params: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Ingest a body that must be accepted, and make it searchable."""
        answer = self.ingest(body, params)
        assert answer.status_code == 200, answer.text
        self.flush()
        content: dict[str, Any] = answer.json()
        return content

    def flush(self) -> dict[str, int]:
        answer = self.client.post("/api/admin/flush")
        assert answer.status_code == 200, answer.text
        content: dict[str, int] = answer.json()
        return content

    def check_alerts(self) -> None:
        """Run the checks of alerts that are due."""
        asyncio.run(self._check_alerts())

    async def _check_alerts(self) -> None:
        await self.alerts.follow()
        await self.alerts.settle()

    def deliver(self) -> None:
        """Try to send the notifications that are due."""
        asyncio.run(self._deliver())

    async def _deliver(self) -> None:
        await self.deliverer.follow()
        await self.deliverer.settle()

    def search(self, query: str = "", **options: object) -> dict[str, Any]:
        """Return the answer to a search that must succeed."""
        answer = self.client.post("/api/search", json={"query": query, **options})
        assert answer.status_code == 200, answer.text
        content: dict[str, Any] = answer.json()
        return content

    def count(self, query: str = "", **options: object) -> int:
        total: int = self.search(query, limit=0, count=True, **options)["total"]
        return total

    def list_pages(self, query: str = "", **options: object) -> Iterator[list[dict[str, Any]]]:
        """Yield the rows of every page."""
        cursor = None
        while True:
            answer = self.search(query, cursor=cursor, **options)
            yield answer["rows"]
            cursor = answer["cursor"]
            if cursor is None:
                return

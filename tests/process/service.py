"""The real server in a separate process: started, queried, stopped and killed from outside."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import httpx
from tests.ports import choose_port
from tests.process.forks import Forked, start_forked
from tests.waiting import poll_until

USERNAME = "admin"
PASSWORD = "a long enough password"
STOP_WITHIN_S = 60.0
PAGE_ROWS = 10_000


class ServiceDiedError(Exception):
    """The process ended, or never became ready."""


def build_arguments(data: Path, port: int) -> list[str]:
    """Return what `logboom` is told to serve `data` on `port`."""
    return ["serve", "--host", "127.0.0.1", "--port", str(port), "--data", str(data)]


def build_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without the service's own settings, then `settings`."""
    foreign = {name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")}
    return foreign | dict(settings)


class Service:
    """One data directory and the server process that holds it, if any runs."""

    def __init__(self, data: Path, log: Path, settings: Mapping[str, str]) -> None:
        self.data = data
        self.log = log
        self.settings = dict(settings)
        self.port = choose_port()
        self._process: subprocess.Popen[bytes] | Forked | None = None
        self._client = httpx.Client(verify=False)
        self._token = ""

    def start(self, prefix: Sequence[str] = ()) -> None:
        """Run the server, below `prefix` if given (prlimit …), and return when it is ready and signed in.

        The session of the first start is used for ever: a restart that forgets it is a failure.
        """
        self.spawn(prefix)
        self._await_session()

    def start_watched(self, watch: Callable[[int], AbstractContextManager[None]]) -> None:
        """Like `start`, but `watch` is entered with the process id before the server's first step, and left at the end."""
        self._process = held = self._fork(is_held=True)
        with watch(held.pid):
            held.release()
            self._await_session()

    def _await_session(self) -> None:
        self.await_ready()
        if not self._token:
            self.sign_in()

    def await_ready(self) -> None:
        """Return when the server takes requests."""
        poll_until(self._is_ready, "the service to be ready")

    def spawn(self, prefix: Sequence[str] = ()) -> None:
        """Run the server in its own process group and return at once."""
        self._process = self._run_below(prefix) if prefix else self._fork()

    def _fork(self, *, is_held: bool = False) -> Forked:
        self._connect()
        arguments = build_arguments(self.data, self.port)
        return start_forked(arguments, build_environment(self.settings), self.log, is_held=is_held)

    def _run_below(self, prefix: Sequence[str]) -> "subprocess.Popen[bytes]":
        self._connect()
        with self.log.open("ab") as output:
            return subprocess.Popen(
                [*prefix, sys.executable, "-m", "logboom", *build_arguments(self.data, self.port)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                env=build_environment(self.settings),
            )

    def _connect(self) -> None:
        """Open a client for the process that is about to start."""
        assert self._process is None
        self._client.close()
        self._client = httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}",
            timeout=60.0,
            limits=httpx.Limits(max_connections=None),
            verify=False,
        )

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _is_ready(self) -> bool:
        if not self.is_running:
            raise ServiceDiedError(f"the service ended with {self.wait()} before it was ready")
        try:
            return self._client.get("/ready").status_code == httpx.codes.OK
        except httpx.TransportError:
            return False

    def sign_in(self) -> None:
        """Sign in as the admin, whose account is created if there is none."""
        credentials = {"username": USERNAME, "password": PASSWORD}
        if self._client.get("/api/setup").raise_for_status().json()["required"]:
            self._client.post("/api/setup", json=credentials).raise_for_status()
        answer = self._client.post("/api/auth/login", json=credentials).raise_for_status()
        self._token = answer.json()["token"]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the server alone."""
        os.kill(self.pid, number)

    def wait(self, within_s: float = STOP_WITHIN_S) -> int:
        """Return the exit code of a process that is about to end."""
        assert self._process is not None
        code = self._process.wait(within_s)
        self._process = None
        return code

    def kill9(self) -> None:
        """Kill the server and whatever it runs below, and wait until it is gone."""
        if self._process is not None:
            if self.is_running:
                os.killpg(self.pid, signal.SIGKILL)
            self.wait()

    def close(self) -> None:
        """End the server permanently, in whatever state it is."""
        self.kill9()
        self._client.close()

    def stop(self) -> int:
        """Request a graceful stop, and return the exit code."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def ingest(self, body: bytes, key: str = "", env: str = "default") -> httpx.Response:
        """POST an NDJSON body to the native endpoint."""
        headers = {"Content-Type": "application/x-ndjson"}
        if key:
            headers["Idempotency-Key"] = key
        return self._client.post("/api/ingest", params={"env": env}, content=body, headers=headers)

    def get(self, path: str) -> httpx.Response:
        """Send a request, and return the response."""
        return self._client.get(path)

    def try_flush(self) -> httpx.Response:
        """Request a flush, and return the response."""
        return self.post("/api/admin/flush", {})

    def flush(self) -> None:
        """Make everything accepted so far searchable."""
        response = self.try_flush()
        assert response.status_code == httpx.codes.OK, response.text

    def search(self, query: str, **options: object) -> dict[str, Any]:
        """Return one answer of the search endpoint, which must be complete."""
        response = self.post("/api/search", {"query": query, **options})
        assert response.status_code == httpx.codes.OK, response.text
        answer: dict[str, Any] = response.json()
        assert answer["complete"], answer
        return answer

    @contextmanager
    def open_tail(self) -> Iterator[Iterator[str]]:
        """Open a tail of all events, and yield its lines."""
        headers = {"Authorization": f"Bearer {self._token}"}
        with self._client.stream("GET", "/api/tail", headers=headers) as response:
            yield response.iter_lines()

    def export(self, query: str = "") -> Iterator[dict[str, Any]]:
        """Yield every event that matches, page by page."""
        cursor = None
        while True:
            answer = self.search(query, limit=PAGE_ROWS, cursor=cursor)
            yield from answer["rows"]
            cursor = answer["cursor"]
            if cursor is None:
                return

    def post(self, path: str, document: Mapping[str, object]) -> httpx.Response:
        """Send a POST request with a JSON body, signed in."""
        return self.call("POST", path, json=document)

    def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send a request with the credentials of the session."""
        headers = {"Authorization": f"Bearer {self._token}"}
        return self._client.request(method, path, headers=headers, **options)

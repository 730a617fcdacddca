"""A real S3 server for the tests, and a relay in front of it that injects faults."""

import json
import os
import signal
import subprocess
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from select import select
from uuid import uuid4

import pytest
from obstore.exceptions import BaseError
from obstore.store import S3Store
from tests.ports import choose_port
from tests.waiting import poll_until

from logboom.base.stores.places import Bucket, parse_place

NAME = "logs"
CREDENTIALS = {"accessKey": "logboom-tests", "secretKey": "canary-of-the-bucket-tests"}
STOP_WITHIN_S = 60.0
HOLD_S = 0.05
"""How often a request that is held back looks whether it may go."""
SOCKETS = Path("/tmp")
"""Where the server makes some of its sockets, whatever it is told."""
ANY = ""

Rule = Callable[[str, str], bool]
"""Whether a request, by its method and path, is meant."""


def meant(method: str, part: str = ANY) -> Rule:
    """Return a rule for requests of one method whose path contains `part`."""
    return lambda asked, path: asked == method and part in path


def make_environment(endpoint: str) -> dict[str, str]:
    """Return the environment variables with the endpoint and credentials of a bucket."""
    return {
        "AWS_ACCESS_KEY_ID": CREDENTIALS["accessKey"],
        "AWS_SECRET_ACCESS_KEY": CREDENTIALS["secretKey"],
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ALLOW_HTTP": "true",
    }


@dataclass
class Relay:
    """Passes requests on to an S3 server, except those that a rule is for."""

    upstream: int
    port: int = 0
    is_cut: bool = False
    """While set, connections end without an answer and nothing arrives."""
    delay_s: float = 0
    """How long each request waits before it is passed on."""
    is_torn: bool = False
    """While set, bodies end in the middle."""
    loses: Rule = lambda _method, _path: False
    """What is done by the server, but the answer never comes back; once."""
    holds: Rule = lambda _method, _path: False
    """What waits here, and ends without an answer once the rule is taken back; `reached` says that it has come."""
    reached: threading.Event = field(default_factory=threading.Event)
    seen: list[tuple[str, str]] = field(default_factory=list)
    given_bytes: int = 0
    """The size of all bodies that were passed back."""

    @property
    def environment(self) -> dict[str, str]:
        return make_environment(f"http://127.0.0.1:{self.port}")

    def count(self, rule: Rule) -> int:
        """Return how many requests of a kind have come."""
        return sum(rule(*request) for request in list(self.seen))

    def lose_once(self, method: str, path: str) -> bool:
        lost = self.loses(method, path)
        if lost:
            self.loses = lambda _method, _path: False
        return lost


class Passing(BaseHTTPRequestHandler):
    """A connection of a client to the relay."""

    protocol_version = "HTTP/1.1"
    relay: Relay

    def pass_on(self) -> None:
        relay = self.relay
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        relay.seen.append((self.command, self.path))
        if relay.holds(self.command, self.path):
            self.close_connection = True
            relay.reached.set()
            self._hold()
            return
        if relay.is_cut:
            self.close_connection = True
            return
        time.sleep(relay.delay_s)
        answer = self._ask(body)
        if answer is None or relay.lose_once(self.command, self.path):
            self.close_connection = True
            return
        self._give(*answer)

    def _hold(self) -> None:
        """Wait until the rule is removed or the client has disconnected."""
        while self.relay.holds(self.command, self.path):
            if select([self.connection], [], [], HOLD_S)[0]:
                return

    def _ask(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes] | None:
        """Return the server's answer, or None if there is none."""
        connection = HTTPConnection("127.0.0.1", self.relay.upstream)
        try:
            connection.putrequest(
                self.command, self.path, skip_host=True, skip_accept_encoding=True
            )
            for name, value in self.headers.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            return response.status, response.getheaders(), response.read()
        except OSError:
            return None
        finally:
            connection.close()

    def _give(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.send_response_only(status)
        lengths = [value for name, value in headers if name.lower() == "content-length"]
        for name, value in headers:
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        self.send_header(
            "Content-Length", lengths[0] if self.command == "HEAD" and lengths else str(len(body))
        )
        self.end_headers()
        self.relay.given_bytes += len(body)
        if self.relay.is_torn and body:
            body = body[: len(body) // 2]
            self.close_connection = True
        self.wfile.write(body)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = pass_on  # noqa: N815 - named by the library

    def log_message(self, *_arguments: object) -> None:
        """Log nothing: the tests look at `seen` instead."""


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    """Run a server in this process, on its own port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass(frozen=True)
class S3Server:
    """A running server with one bucket; every test uses its own prefix."""

    port: int
    ports: tuple[int, ...]

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        return make_environment(self.endpoint)

    def make_url(self) -> str:
        """Return the URL of a new prefix in the bucket."""
        return f"s3://{NAME}/tests/{uuid4().hex}"

    @contextmanager
    def relayed(self) -> Iterator[Relay]:
        """Run a relay in front of this server."""
        relay = Relay(self.port)
        handler = type("Handler", (Passing,), {"relay": relay})
        with serving(handler) as relay.port:
            yield relay


def open_library(prefix: str, environment: Mapping[str, str]) -> S3Store:
    """Return the bucket as the S3 library itself sees it."""
    return S3Store(
        NAME,
        prefix=prefix,
        endpoint=environment["AWS_ENDPOINT_URL"],
        access_key_id=environment["AWS_ACCESS_KEY_ID"],
        secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
        region=environment["AWS_REGION"],
        client_options={"allow_http": True, "timeout": "5s"},
        retry_config={"max_retries": 0},
    )


def build_command(folder: Path, ports: list[int]) -> list[str]:
    """Return the command line of the server: everything on loopback, everything in one folder."""
    master, master_rpc, volume, volume_rpc, filer, filer_rpc, s3, s3_rpc = ports
    options: dict[str, object] = {
        "dir": folder,
        "ip": "127.0.0.1",
        "ip.bind": "127.0.0.1",
        "master.port": master,
        "master.port.grpc": master_rpc,
        "master.telemetry": "false",
        "master.electionTimeout": "1s",
        "master.volumeSizeLimitMB": 64,
        "volume.port": volume,
        "volume.port.grpc": volume_rpc,
        "volume.max": 50,
        "volume.preStopSeconds": 0,
        "filer.port": filer,
        "filer.port.grpc": filer_rpc,
        "filer.localSocket": folder / "filer.sock",
        "s3": "true",
        "s3.port": s3,
        "s3.port.grpc": s3_rpc,
        "s3.port.iceberg": 0,
        "s3.port.lance": 0,
        "s3.localSocket": folder / "s3.sock",
        "s3.config": folder / "s3.json",
    }
    program = Path(sysconfig.get_path("scripts")) / "weed"
    return [str(program), "server", *(f"-{name}={value}" for name, value in options.items())]


def start_server(folder: Path) -> tuple[subprocess.Popen[bytes], S3Server]:
    actions = ["Admin", "Read", "Write", "List"]
    identity = {"name": "tests", "credentials": [CREDENTIALS], "actions": actions}
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    ports = [choose_port() for _ in range(8)]
    with (folder / "log").open("wb") as output:
        process = subprocess.Popen(
            build_command(folder, ports),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            cwd=folder,
        )
    return process, S3Server(ports[6], tuple(ports))


def can_write(server: S3Server) -> bool:
    try:
        open_library("ready", server.environment).put("probe", b"", mode="overwrite")
    except BaseError:
        return False
    return True


def end(process: subprocess.Popen[bytes], server: S3Server) -> None:
    """Kill the server, which would take long to stop, and remove its sockets."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(STOP_WITHIN_S)
    for port in server.ports:
        for path in SOCKETS.glob(f"seaweedfs-*-{port}.sock"):
            path.unlink(missing_ok=True)


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """Yield one S3 server for all tests of the run."""
    process, server = start_server(tmp_path_factory.mktemp("s3"))
    try:
        poll_until(lambda: can_write(server), "the S3 server to be ready")
        yield server
    finally:
        end(process, server)


@pytest.fixture(params=["directory", "bucket"])
def store_place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path | Bucket:
    """Return a new store's place, one of each kind."""
    if request.param == "directory":
        return tmp_path / "store"
    server: S3Server = request.getfixturevalue("s3_server")
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return parse_place(server.make_url())


class Careless(BaseHTTPRequestHandler):
    """A store that accepts every put, ignoring its conditions."""

    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = (
            b"<DeleteResult><Deleted><Key>x</Key></Deleted></DeleteResult>"
            if self.command == "POST"
            else b""
        )
        self.send_response_only(200)
        self.send_header("ETag", '"0"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_PUT = do_POST = answer  # noqa: N815 - named by the library

    def log_message(self, *_arguments: object) -> None:
        """Log nothing."""

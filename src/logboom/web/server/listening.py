"""The listening socket and the uvicorn server on it."""

import logging
import resource
import socket
import ssl
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import uvicorn

from logboom.base.errors import Unavailable
from logboom.web.direct import FindAnswer
from logboom.web.guard import Guard
from logboom.web.hosts import HostRule
from logboom.web.limits import ConnectionLimits
from logboom.web.proxies import TrustedProxies
from logboom.web.server.connection import Connection, ConnectionConfig
from logboom.web.types import ASGIApp

log = logging.getLogger(__name__)

BACKLOG = 2048
OTHER_FILES = 1000
"""Files that may be open beside the connections."""
DRAIN_S = 10
SILENT_MS = 60_000
"""How long a client may acknowledge nothing of what was sent: it was switched off, or its network is gone."""


class HttpServer(uvicorn.Server):
    """uvicorn without its own signal handling: a stop by signal is a success."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def make_server(  # noqa: PLR0913 - what surrounds an application
    app: ASGIApp,
    limits: ConnectionLimits,
    tls: ssl.SSLContext | None = None,
    *,
    proxies: TrustedProxies = TrustedProxies(),  # noqa: B008 - it never changes
    hosts: HostRule = HostRule(),  # noqa: B008 - it never changes
    find_answer: FindAnswer | None = None,
    sockets: Collection[str] = (),
) -> HttpServer:
    """Return a server for the application, with the guard around it; it uses TLS if there is a context for it.

    Small requests are answered by `find_answer`, if it has an answer for them. `sockets` are the paths of WebSockets.
    """
    guard = Guard(app, proxies, hosts, find_answer)
    return HttpServer(
        ConnectionConfig(
            guard,
            limits,
            guard.find_answer if find_answer else None,
            sockets,
            http=Connection,
            loop="uvloop",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            # uvicorn would trust the forwarded headers of any client on the same machine.
            proxy_headers=False,
            timeout_graceful_shutdown=DRAIN_S,
            ssl_context_factory=(lambda *_: tls) if tls else None,
        )
    )


def reserve_files(connections: int) -> None:
    """Raise the process's limit of open files, if allowed, to what this many connections need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + OTHER_FILES
    possible = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < possible:
        resource.setrlimit(resource.RLIMIT_NOFILE, (possible, hard))
    if possible < wanted:
        log.warning("the limit of open files is low", extra={"limit": possible, "expected": wanted})


def open_listener(host: str, port: int) -> socket.socket:
    """Return a socket that listens; connections of clients that vanish are ended after a minute."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise Unavailable(f"cannot listen on {host} port {port}: {error.strerror}") from error
    end_silent(listener, SILENT_MS)
    return listener


def end_silent(listener: socket.socket, silent_ms: int) -> None:
    """Have the kernel end connections whose client is gone without a word; they inherit this from the listener."""
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # on Linux only
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, silent_ms)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, silent_ms // 1000 or 1)

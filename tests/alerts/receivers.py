"""Receivers of alerts: real servers that accept, refuse, hang, answer slowly and recover, as a test tells them."""

import base64
import json
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Behaviour = int | Literal["hang", "drip", "drop", "redirect"]
TAKEN = 200


@dataclass(frozen=True)
class Taken:
    """A received request."""

    path: str
    headers: dict[str, str]
    body: bytes

    def read(self) -> Any:
        return json.loads(self.body)

    @property
    def key(self) -> str:
        return self.headers["idempotency-key"]


@dataclass
class HttpReceiver:
    """Behaves as planned for each request, and accepts everything after the end of the plan."""

    port: int = 0
    requests: list[Taken] = field(default_factory=list)
    plan: list[Behaviour] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    """Ends what hangs."""
    place: str = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def states(self) -> list[str]:
        return [each.read()["state"] for each in self.requests]


class HookHandler(BaseHTTPRequestHandler):
    server: "HookServer"
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        behaviour = self.server.receiver.plan.pop(0) if self.server.receiver.plan else TAKEN
        self.server.receiver.requests.append(Taken(self.path, headers, body))
        self._behave(behaviour)

    def _behave(self, behaviour: Behaviour) -> None:
        self.close_connection = True
        if behaviour == "hang":
            self.server.receiver.released.wait()
        elif behaviour == "drip":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            while not self.server.receiver.released.wait(0.05):
                self.wfile.write(b"x")
        elif behaviour == "redirect":
            self._answer(302, self.server.receiver.place)
        elif isinstance(behaviour, int):
            self._answer(behaviour)

    def _answer(self, status: int, place: str = "") -> None:
        text = f"status {status}".encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        if place:
            self.send_header("Location", place)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


class HookServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, receiver: HttpReceiver) -> None:
        self.receiver = receiver
        super().__init__(("127.0.0.1", port), HookHandler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect, which some tests do on purpose."""


@contextmanager
def serving(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


@contextmanager
def receiving(port: int = 0) -> Iterator[HttpReceiver]:
    """Run a receiver of requests."""
    receiver = HttpReceiver()
    with HookServer(port, receiver) as server, serving(server):
        receiver.port = server.server_port
        try:
            yield receiver
        finally:
            receiver.released.set()


@dataclass
class MailServer:
    """Accepts mail; offers TLS with a context, and answers every recipient with a refusal if there is one."""

    port: int = 0
    mails: list[str] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)
    context: ssl.SSLContext | None = None
    is_secure: bool = False
    """Whether TLS is spoken from the start."""
    refusal: str = ""
    is_mute: bool = False
    was_encrypted: bool = False
    released: threading.Event = field(default_factory=threading.Event)


class MailHandler(socketserver.BaseRequestHandler):
    server: "SmtpServer"

    def handle(self) -> None:
        self.stream: socket.socket = self.request
        if self.server.mailbox.is_secure and self.server.mailbox.context:
            self._encrypt(self.server.mailbox.context)
        if self.server.mailbox.is_mute:
            self.server.mailbox.released.wait()
            return
        self._open()
        self._say("220 mail.test ready")
        while line := self.lines.readline().decode().rstrip("\r\n"):
            if not self._answer(line):
                return

    def finish(self) -> None:
        self.stream.close()

    def _encrypt(self, context: ssl.SSLContext) -> None:
        self.stream = context.wrap_socket(self.stream, server_side=True)
        self.server.mailbox.was_encrypted = True

    def _open(self) -> None:
        self.lines = self.stream.makefile("rb")

    def _say(self, text: str) -> None:
        self.stream.sendall(f"{text}\r\n".encode())

    def _answer(self, line: str) -> bool:
        verb = line.split()[0].upper()
        match verb:
            case "EHLO":
                offers = ["mail.test", "AUTH PLAIN"]
                if self.server.mailbox.context and not self.server.mailbox.was_encrypted:
                    offers.insert(1, "STARTTLS")
                for place, offer in enumerate(offers):
                    self._say(f"250{' ' if place == len(offers) - 1 else '-'}{offer}")
            case "STARTTLS":
                assert self.server.mailbox.context
                self._say("220 go ahead")
                self._encrypt(self.server.mailbox.context)
                self._open()
            case "AUTH":
                self.server.mailbox.logins.append(base64.b64decode(line.split()[2]).decode())
                self._say("235 welcome")
            case "RCPT" if self.server.mailbox.refusal:
                self._say(self.server.mailbox.refusal)
            case "DATA":
                self._say("354 go on")
                self._take()
            case "QUIT":
                self._say("221 bye")
                return False
            case _:
                if verb == "RCPT":
                    self.server.mailbox.recipients.append(line)
                self._say("250 fine")
        return True

    def _take(self) -> None:
        lines = []
        while (line := self.lines.readline().decode().rstrip("\r\n")) != ".":
            lines.append(line)
        self.server.mailbox.mails.append("\n".join(lines))
        self._say("250 taken")


class SmtpServer(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self, mailbox: MailServer) -> None:
        self.mailbox = mailbox
        super().__init__(("127.0.0.1", 0), MailHandler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect, which some tests do on purpose."""


@contextmanager
def taking_mail(**members: Any) -> Iterator[MailServer]:
    """Run a small SMTP server."""
    mailbox = MailServer(**members)
    with SmtpServer(mailbox) as server, serving(server):
        mailbox.port = server.server_address[1]
        try:
            yield mailbox
        finally:
            mailbox.released.set()

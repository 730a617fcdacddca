"""Addresses at which something else than a logboom server answers."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from tests.cli.conftest import Logboom

from logboom.cli.remote.server import read_messages

NO_SERVER = "is not a logboom server, expected the address of one"


@contextmanager
def answering(status: int, kind: str, body: bytes) -> Iterator[str]:
    """The address of a server that gives everybody the same answer."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - named by the standard library

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("command", ["query", "tail"])
@pytest.mark.parametrize(
    ("status", "kind", "body", "said"),
    [
        (200, "text/html", b"<p>hello", NO_SERVER),
        (200, "application/json", b'{"rows": 1}', NO_SERVER),
        (200, "application/json", b"[]", NO_SERVER),
        (302, "text/html", b"", "127.0.0.1 answered 302"),
        (404, "text/html", b"<p>what?", "127.0.0.1 answered 404"),
        (500, "application/json", b'{"error": "text"}', "127.0.0.1 answered 500"),
        (
            503,
            "application/json",
            b'{"error": {"message": "not \\u001bready"}}',
            "not \\u001bready",
        ),
    ],
)
def test_what_is_no_good_answer_is_said(
    logboom: Logboom, command: str, status: int, kind: str, body: bytes, said: str
) -> None:
    with answering(status, kind, body) as url:
        outcome = logboom(command, "--url", url)
    assert (outcome.status, outcome.output) == (1, "")
    assert said in outcome.errors
    assert len(outcome.errors.splitlines()) == 1


def test_messages_end_at_blank_lines() -> None:
    lines = [": tail", "id: 1", "", "id: 2", "data: {}", "", ": ping", "", "id: 3", "data: cut"]
    assert list(read_messages(iter(lines))) == [("1", ""), ("2", "{}"), ("", "")]

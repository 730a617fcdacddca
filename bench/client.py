"""A light HTTP client for the server under measurement: one connection, kept alive."""

import http.client
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec

TIMEOUT_S = 600


class WrongAnswerError(Exception):
    """The server answered wrongly; the only way in which a benchmark can fail."""


class Client:
    """Not safe to share between threads."""

    def __init__(self, port: int, token: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def close(self) -> None:
        self._connection.close()

    def set_up(self, password: str) -> str:
        """Create the admin of a fresh server and log in; return the session's token."""
        account = {"username": "bench", "password": password}
        self.post("/api/setup", account)
        token = self.post("/api/auth/login", account)["token"]
        assert isinstance(token, str)
        return token

    def ingest(self, body: bytes, index: str = "default") -> None:
        """Send one batch and check that every event of it was accepted."""
        path = "/api/ingest?" + urlencode({"index": index})
        answer = self._request(path, body, {"Content-Type": "application/x-ndjson"})
        check_accepted(answer, body.count(b"\n"))

    def post_body(self, path: str, body: bytes, content_type: str) -> None:
        """Send one batch by another protocol; the caller must check afterwards that all of it arrived."""
        self._send(path, body, {"Content-Type": content_type})

    def ingest_stream(self, chunks: Iterable[bytes], events: int) -> None:
        """Send everything as one chunked request."""
        headers = {"Content-Type": "application/x-ndjson", "Transfer-Encoding": "chunked"}
        check_accepted(self._request("/api/ingest", chunks, headers), events)

    def flush(self) -> int:
        """Make everything searchable; return how many events were still waiting for it."""
        events: int = self.post("/api/admin/flush", {})["events"]
        return events

    def check_count(self, events: int) -> None:
        """Check that exactly `events` events are found."""
        rows = self.search("* | stats count by service", 100)["rows"]
        found = sum(row["count"] for row in rows)
        if found != events:
            raise WrongAnswerError(f"{found} events were found of {events} sent")

    def search(self, query: str, limit: int) -> dict[str, Any]:
        answer: dict[str, Any] = self.post("/api/search", {"query": query, "limit": limit})
        if not answer["complete"]:
            raise WrongAnswerError(f"{query!r} was answered incompletely: {answer['warnings']}")
        return answer

    def read_status(self) -> dict[str, Any]:
        """Return the status as an admin sees it."""
        self._connection.request("GET", "/api/admin/status", headers=self._headers)
        status: dict[str, Any] = msgspec.json.decode(self._connection.getresponse().read())
        return status

    def read_metrics(self) -> str:
        self._connection.request("GET", "/metrics", headers=self._headers)
        return self._connection.getresponse().read().decode()

    def post(self, path: str, document: object) -> Any:
        body = msgspec.json.encode(document)
        return self._request(path, body, {"Content-Type": "application/json"})

    def _request(self, path: str, body: bytes | Iterable[bytes], headers: Mapping[str, str]) -> Any:
        answer = self._send(path, body, headers)
        return msgspec.json.decode(answer) if answer else None

    def _send(self, path: str, body: bytes | Iterable[bytes], headers: Mapping[str, str]) -> bytes:
        is_stream = not isinstance(body, bytes)
        self._connection.request(
            "POST", path, body, {**self._headers, **headers}, encode_chunked=is_stream
        )
        response = self._connection.getresponse()
        answer = response.read()
        if response.status >= 300:
            text = answer[:500].decode(errors="replace")
            raise WrongAnswerError(f"POST {path} was answered with {response.status}: {text}")
        return answer


def check_accepted(answer: dict[str, Any], events: int) -> None:
    counts = answer["ingested"], answer["errors"], len(answer["write_errors"])
    if counts != (events, 0, 0):
        raise WrongAnswerError(
            f"of {events} events sent, (ingested, errors, write errors) = {counts}"
        )

"""The parser of requests. An offer to go on in another protocol is ignored, which HTTP allows.

Java's client and `curl --http2` offer HTTP/2 with every request. After such a head httptools takes the rest for the
other protocol, so the body would be lost.
"""

from typing import Protocol

from httptools import HttpParserUpgrade, HttpRequestParser

OFFER = frozenset({b"upgrade", b"http2-settings"})
"""Headers that make the offer, and their names in `Connection`."""

Headers = list[tuple[bytes, bytes]]


class Receiver(Protocol):
    """What is told about a request, as `httptools` describes it."""

    def get_refused_head(self) -> bytes | None:
        """Return the head that was just parsed, without its offer; None if it made none or the offer is accepted."""


class RequestParser(HttpRequestParser):
    """Parses the requests of a connection. A head with an offer that is refused is parsed again without it."""

    def __init__(self, receiver: Receiver) -> None:
        super().__init__(receiver)
        self._receiver = receiver

    def feed_data(self, data: bytes) -> None:  # type: ignore[override]
        """Raise HttpParserUpgrade if an offer was accepted."""
        rest = data
        while True:
            try:
                super().feed_data(rest)
            except HttpParserUpgrade as offer:
                head = self._receiver.get_refused_head()
                if head is None:
                    raise
                rest = head + rest[offer.args[0] :]
            else:
                return


def encode_head(method: bytes, url: bytes, version: str, headers: Headers) -> bytes:
    """Return a request's head as it would be without an offer of another protocol."""
    lines = [b"%b %b HTTP/%b" % (method, url, version.encode())]
    for name, value in headers:
        kept = drop_offer(value) if name == b"connection" else value
        if name not in OFFER and (kept or name != b"connection"):
            lines.append(b"%b: %b" % (name, kept))
    return b"\r\n".join([*lines, b"", b""])


def drop_offer(connection: bytes) -> bytes:
    options = [option.strip() for option in connection.split(b",")]
    return b", ".join(option for option in options if option.lower() not in OFFER)

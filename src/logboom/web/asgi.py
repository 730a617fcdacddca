"""Plain ASGI for the hot routes: parameters, headers, the body as a stream, one JSON answer."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from functools import lru_cache
from urllib.parse import parse_qsl

from logboom.base.errors import Invalid
from logboom.base.process.offload import Offload
from logboom.web.encodings import BodyDecoder
from logboom.web.errors import ErrorAnswer
from logboom.web.headers import encode, list_own
from logboom.web.types import Receive, Scope, Send

MAX_PARAMETERS = 100
REPEATED_BYTES = 256
"""Query strings up to this length are parsed once."""
INLINE_BYTES = 4 * 1024
"""Pieces of a compressed body up to this size are decoded on the event loop, which is faster than starting a thread."""


class ClientGone(Exception):
    """The client closed the connection before its request was complete."""


class RawRequest:
    """A request as the server passes it on."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        path_values: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> None:
        """`body` is the whole body as it was sent, if it was received already."""
        self.receive = receive
        self._body = body
        self.method = str(scope["method"])
        self.path = str(scope["path"])
        self.path_values = path_values or {}
        self.headers = join_headers(scope["headers"])
        client = scope.get("client")
        self.address = client[0] if client else ""
        """The address of the client; empty if the connection has none."""
        self._query = scope["query_string"]
        self._parameters: dict[str, str] | None = None

    @property
    def parameters(self) -> dict[str, str]:
        """The query parameters; raises Invalid if the query string is not valid."""
        if self._parameters is None:
            is_short = len(self._query) <= REPEATED_BYTES
            read = recall_parameters if is_short else parse_parameters
            self._parameters = dict(read(self._query))
        return self._parameters

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The query parameters in order, including repeated ones; raises Invalid like `parameters`."""
        return parse_pairs(self._query)

    @property
    def content_type(self) -> str:
        """The media type in lower case, without parameters; empty if none is given."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def find(self, parameter: str, header: str, default: str) -> str:
        """Return a query parameter, else a header, else a default; empty counts as absent."""
        return self.parameters.get(parameter) or self.headers.get(header) or default

    @property
    def body(self) -> bytes | None:
        """The whole body if it was received already and is not encoded."""
        return None if "content-encoding" in self.headers else self._body

    @property
    def announced_bytes(self) -> int | None:
        """The size of the body; None if it is encoded, or if the head does not say it."""
        text = self.headers.get("content-length", "")
        is_known = text.isdecimal() and "content-encoding" not in self.headers
        return int(text) if is_known else None

    async def collect(self, take: Callable[[int], Awaitable[None]]) -> None:
        """Wait for the whole body, calling `take` with the size of each piece; raise ClientGone like `stream`."""
        pieces: list[bytes] = []
        more = True
        while more:
            data, more = await self._receive_piece()
            await take(len(data))
            pieces.append(data)
        self._body = b"".join(pieces)

    async def stream(self, offload: Offload | None = None) -> AsyncIterator[bytes]:
        """Yield the decoded body, piece by piece; raise ClientGone if it ends too early.

        With an `offload`, slow decoding runs off the event loop.
        """
        decoder = BodyDecoder(self.headers.get("content-encoding", ""))
        more = True
        while more:
            data, more = await self._receive_piece()
            pieces = decoder.feed(data)
            if offload and decoder.is_encoded and len(data) > INLINE_BYTES:
                while piece := await offload.run(next, pieces, b""):
                    yield piece
            for piece in pieces:
                yield piece
        for piece in decoder.finish():
            yield piece

    async def _receive_piece(self) -> tuple[bytes, bool]:
        """Return the next piece of the body, and whether there is more."""
        if self._body is not None:
            return self._body, False
        message = await self.receive()
        if message["type"] != "http.request":
            raise ClientGone
        return message["body"], message["more_body"]


def join_headers(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return headers by name; repeated headers are joined to a list, as the standard says.

    A repeated equal value counts once, except for encodings, which may be applied twice.
    """
    headers: dict[str, str] = {}
    for raw_name, raw_value in pairs:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        if name not in headers:
            headers[name] = value
        elif headers[name] != value or name == "content-encoding":
            headers[name] = f"{headers[name]}, {value}"
    return headers


@lru_cache(maxsize=256)
def recall_parameters(query: bytes) -> Mapping[str, str]:
    """Return the parameters of a short query string: shippers send the same one with every request."""
    return parse_parameters(query)


def parse_parameters(query: bytes) -> dict[str, str]:
    pairs = parse_pairs(query)
    parameters = dict(pairs)
    if len(parameters) < len(pairs):
        raise Invalid("a query parameter is given twice")
    return parameters


def parse_pairs(encoded: bytes) -> list[tuple[str, str]]:
    """Return the names and values of a query string, or of a form in a body."""
    try:
        return parse_qsl(
            encoded.decode("ascii"),
            keep_blank_values=True,
            max_num_fields=MAX_PARAMETERS,
            errors="strict",
        )
    except (UnicodeDecodeError, ValueError) as error:
        raise Invalid("the query string is not valid") from error


async def send_answer(
    send: Send, status: int, body: bytes, headers: dict[str, str] | None = None
) -> None:
    framing = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    encoded = encode(list_own(status, framing | (headers or {})))
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def send_error(send: Send, answer: ErrorAnswer) -> None:
    await send_answer(send, answer.status, answer.body, answer.headers)

"""OTLP/HTTP logs: `POST /v1/logs` in protobuf or JSON, answered in the encoding of the request."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from logboom.base.errors import (
    Code,
    LogboomError,
    NotFound,
    TooLarge,
    Unavailable,
    UnsupportedEncoding,
)
from logboom.ingest.sink import Pieces
from logboom.ingest.visit import Intake, Visit, open_visit
from logboom.model.batch import Lines
from logboom.protocols.otlp.from_json import read_json
from logboom.protocols.otlp.record import Report
from logboom.web.asgi import RawRequest
from logboom.web.errors import WrongMethod, find_status, list_headers
from logboom.web.reply import Reply
from logboom.web.route import About, Protocol, Route

MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_LINES_BYTES = 4 * MAX_BODY_BYTES
"""Each record gets its resource's attributes, so a small body can make many lines."""
PIECE_BYTES = 1024 * 1024

RPC_CODES = {
    Code.INVALID: 3,
    Code.UNAUTHENTICATED: 16,
    Code.FORBIDDEN: 7,
    Code.NOT_FOUND: 5,
    Code.CONFLICT: 10,
    Code.TOO_LARGE: 8,
    Code.UNSUPPORTED: 12,
    Code.OVERLOADED: 8,
    Code.TIMEOUT: 4,
    Code.UNAVAILABLE: 14,
}
"""The google.rpc.Status codes of our errors."""


class Encoding(NamedTuple):
    """How requests are read and answered."""

    read: Callable[[bytes, Report], Iterator[bytes]]
    encode_answer: Callable[[Report], bytes]
    encode_status: Callable[[int, str], bytes]


# Loaded with the first protobuf request, because the library is slow to load and few services need it.


def read_protobuf(body: bytes, report: Report) -> Iterator[bytes]:
    from logboom.protocols.otlp import from_protobuf as otlp_protobuf  # noqa: PLC0415

    return otlp_protobuf.read_protobuf(body, report)


def encode_protobuf_answer(report: Report) -> bytes:
    from logboom.protocols.otlp import answers as otlp_answers  # noqa: PLC0415

    return otlp_answers.encode_answer(report)


def encode_protobuf_status(code: int, message: str) -> bytes:
    from logboom.protocols.otlp import answers as otlp_answers  # noqa: PLC0415

    return otlp_answers.encode_status(code, message)


def encode_json_answer(report: Report) -> bytes:
    if not report.text:
        return b"{}"
    partial = {"rejectedLogRecords": str(report.rejected), "errorMessage": report.text}
    return msgspec.json.encode({"partialSuccess": partial})


def encode_json_status(code: int, message: str) -> bytes:
    return msgspec.json.encode({"code": code, "message": message})


ENCODINGS = {
    "application/json": Encoding(read_json, encode_json_answer, encode_json_status),
    "application/x-protobuf": Encoding(
        read_protobuf, encode_protobuf_answer, encode_protobuf_status
    ),
}


async def handle_logs(intake: Intake, request: RawRequest) -> Reply:
    """Store the records of the body."""
    encoding = ENCODINGS.get(request.content_type)
    if encoding is None:
        supported = ", ".join(ENCODINGS)
        raise UnsupportedEncoding(f"415 unsupported media type, supported: [{supported}]")
    report = Report()
    with open_visit(intake, request) as visit:
        body = await visit.read(MAX_BODY_BYTES)
        receipt = await visit.store_stream(list_pieces(visit, body, encoding, report))
    refused, unparsed = len(receipt.refused), len(receipt.unparsed)
    if refused:
        are = "record is" if refused == 1 else "records are"
        report.reject(refused, f"{refused} {are} for an index that you may not write to")
    if unparsed:
        are = "record is" if unparsed == 1 else "records are"
        report.remark(f"{unparsed} {are} kept as text: nested too deeply")
    return Reply(body=encoding.encode_answer(report), content_type=request.content_type)


async def list_pieces(visit: Visit, body: bytes, encoding: Encoding, report: Report) -> Pieces:
    """Yield the events in pieces of bounded size."""
    lines = await visit.run(encoding.read, body, report)
    size_bytes = 0
    while piece := await visit.run(take_piece, body, lines):
        size_bytes += len(piece)
        if size_bytes > MAX_LINES_BYTES:
            raise TooLarge(
                f"the events are larger than {MAX_LINES_BYTES} bytes, expected smaller batches"
            )
        yield Lines(piece)


def take_piece(_body: bytes, lines: Iterator[bytes]) -> bytes:
    """Return the next lines; empty at the end."""
    taken: list[bytes] = []
    size_bytes = 0
    for line in lines:
        taken.append(line)
        size_bytes += len(line)
        if size_bytes >= PIECE_BYTES:
            break
    return b"\n".join(taken)


async def handle_others(_intake: Intake, request: RawRequest) -> Reply:
    """Answer traces and metrics, which clients send to the same address."""
    raise NotFound(f"{request.path} is not served: only logs are accepted, at /v1/logs")


def refuse(error: LogboomError, request: RawRequest) -> Reply:
    """Return an error as google.rpc.Status; plain text for unknown content types.

    Clients never retry after a 500, so an internal error is reported as a temporary one.
    """
    if error.code is Code.INTERNAL:
        error = Unavailable(error.message)
    status, headers = find_status(error), list_headers(error)
    encoding = ENCODINGS.get(request.content_type)
    if isinstance(error, WrongMethod):
        text = f"405 method not allowed, supported: [{error.allowed}]"
        return Reply(status, text.encode(), "text/plain", headers)
    if encoding is None:
        return Reply(status, error.message.encode(), "text/plain", headers)
    content = encoding.encode_status(RPC_CODES[error.code], error.message)
    return Reply(status, content, request.content_type, headers)


PROTOCOL = Protocol("otlp", refuse)
ABOUT = About(
    "Ingest OTLP logs",
    "An ExportLogsServiceRequest. Attributes keep their dotted names; a record that cannot be read does not "
    "affect the others and is reported in `partial_success`. Errors are google.rpc.Status.",
    tuple(ENCODINGS),
    "Every record is on disk, except those that `partial_success` counts.",
)
BASES = ("", "/api/otlp", "/otlp")
ROUTES = [
    *(Route("POST", f"{base}/v1/logs", handle_logs, PROTOCOL, ABOUT) for base in BASES),
    *(Route("POST", f"{base}/v1/traces", handle_others, PROTOCOL) for base in BASES),
    *(Route("POST", f"{base}/v1/metrics", handle_others, PROTOCOL) for base in BASES),
]

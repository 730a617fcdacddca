"""`POST /api/ingest`: takes NDJSON, answers with the ingest response."""

from typing import Any

import msgspec

from logboom.base.errors import LogboomError
from logboom.formats.ndjson import NdjsonReader
from logboom.ingest.receipt import Receipt
from logboom.ingest.sink import Pieces
from logboom.ingest.visit import NATIVE, Intake, Visit, open_visit
from logboom.model.batch import Lines
from logboom.web.asgi import RawRequest
from logboom.web.errors import render_error
from logboom.web.reply import Reply
from logboom.web.route import About, Protocol, Route


class IngestAnswer(msgspec.Struct):
    """The ingest response."""

    ingested: int
    errors: int
    partitions: list[str]
    write_errors: list[dict[str, str]]
    throttled: bool


async def handle_ingest(intake: Intake, request: RawRequest) -> Reply:
    """Store the lines of the body."""
    with open_visit(intake, request, NATIVE) as visit:
        lines = find_lines(await visit.find_body())
        if lines is None:
            receipt = await visit.store_stream(read_lines(visit))
        else:
            receipt = await visit.store(lines)
    return Reply(body=msgspec.json.encode(answer(receipt)))


def find_lines(body: bytes | None) -> Lines | None:
    """Return the lines of a whole body, if each of them looks like an object."""
    if body is None:
        return None
    return NdjsonReader().pass_on(body if body.endswith(b"\n") else body + b"\n")


async def read_lines(visit: Visit) -> Pieces:
    reader = NdjsonReader()
    async for chunk in visit.chunk_lines(splits_json=True):
        lines = reader.pass_on(chunk)
        if lines is None:
            lines = await visit.run(reader.feed, chunk)
        yield lines
    if reader.held:
        yield await visit.run(lambda _: reader.finish(), reader.held)


def answer(receipt: Receipt) -> IngestAnswer:
    return IngestAnswer(receipt.ingested, receipt.errors, receipt.partitions, [], receipt.throttled)


def refuse(error: LogboomError, _request: RawRequest) -> Reply:
    """Return the error envelope of our own API."""
    refusal = render_error(error)
    return Reply(refusal.status, refusal.body, headers=refusal.headers)


PROTOCOL = Protocol("native", refuse)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "ingested": {"type": "integer", "description": "Events durably accepted."},
        "errors": {
            "type": "integer",
            "description": "Lines that were not JSON objects, and rows refused.",
        },
        "partitions": {"type": "array", "items": {"type": "string"}},
        "write_errors": {"type": "array", "items": {"type": "object"}},
        "throttled": {
            "type": "boolean",
            "description": "Whether the request had to wait for room.",
        },
    },
    "required": ["ingested", "errors", "partitions", "write_errors", "throttled"],
}
ABOUT = About(
    "Ingest NDJSON",
    "One JSON object per line; arrays of objects and objects in any other layout are accepted too. A request is "
    "stored entirely or not at all; a line that is not a JSON object is kept as the message of an event and "
    "counted in `errors`.",
    ("application/x-ndjson", "application/json"),
    "Every event is on disk.",
    schema=SCHEMA,
    is_native=True,
)
ROUTES = [Route("POST", "/api/ingest", handle_ingest, PROTOCOL, ABOUT)]

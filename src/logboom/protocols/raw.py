"""`POST /api/ingest/raw`: takes text of any known format, answers with the ingest response."""

import msgspec

from logboom.base.errors import Invalid
from logboom.base.process.offload import Offload
from logboom.formats import FORMATS, open_reader
from logboom.formats.auto.reader import AutoReader
from logboom.formats.reader import Options, Reader
from logboom.ingest.receipt import Receipt
from logboom.ingest.sink import Pieces
from logboom.ingest.visit import NATIVE, Intake, Visit, open_visit
from logboom.protocols import native
from logboom.protocols.native import IngestAnswer
from logboom.web.asgi import RawRequest
from logboom.web.reply import Reply
from logboom.web.route import About, Route

DEFAULT_FORMAT = "auto"
JSON_FORMATS = ("ndjson", "json", "auto")
"""Formats that may be JSON without any line feed."""


class RawAnswer(IngestAnswer):
    """The ingest response, and the format: the requested one, or what `auto` detected.

    `confidence` is present with `auto`: the share of the first lines that match.
    """

    format: str
    confidence: float | msgspec.UnsetType = msgspec.UNSET


async def handle_raw(intake: Intake, request: RawRequest) -> Reply:
    """Store the body; invalid parameters are reported before it is read."""
    with open_visit(intake, request, NATIVE) as visit:
        name = request.parameters.get("format") or DEFAULT_FORMAT
        options = read_options(request, intake.clock())
        # Patterns may be slow to compile.
        reader = await intake.offload.run(open_reader, name, options)
        receipt = await visit.store_stream(read_body(visit, reader, intake.offload))
    return Reply(body=msgspec.json.encode(answer(receipt, reader)))


def read_options(request: RawRequest, now_ns: int) -> Options:
    parameters = request.parameters
    return Options(
        grok=parameters.get("grok", ""),
        multiline=parameters.get("multiline", ""),
        max_lines=read_max_lines(parameters.get("max_lines", "")),
        now_ns=now_ns,
    )


def read_max_lines(text: str) -> int:
    if not text:
        return Options().max_lines
    try:
        return int(text)
    except ValueError:
        message = f"max_lines is {text[:80]!r}, expected a whole number"
        raise Invalid(message, field="max_lines") from None


async def read_body(visit: Visit, reader: Reader, offload: Offload) -> Pieces:
    splits_json = reader.format in JSON_FORMATS
    async for chunk in visit.chunk_lines(splits_json=splits_json):
        yield await visit.run(reader.feed, chunk)
    yield await offload.run(reader.finish)


def answer(receipt: Receipt, reader: Reader) -> RawAnswer:
    ingested, errors = receipt.ingested, receipt.errors
    plain = RawAnswer(ingested, errors, receipt.partitions, [], receipt.throttled, reader.format)
    if not isinstance(reader, AutoReader) or reader.choice is None:
        return plain
    name, confidence = reader.choice.name, round(reader.choice.confidence, 2)
    return msgspec.structs.replace(plain, format=name, confidence=confidence)


READ = {
    "format": {
        "type": "string",
        "description": "The requested format; with `auto` the detected one: a format, a grok preset, a kind that "
        "only `auto` reads, or `log` for lines that start with a time.",
    },
    "confidence": {
        "type": "number",
        "minimum": 0,
        "maximum": 1,
        "description": "With `auto`: the share of the first lines that match.",
    },
}
SCHEMA = {
    "type": "object",
    "properties": {**native.SCHEMA["properties"], **READ},
    "required": [*native.SCHEMA["required"], "format"],
}
ABOUT = About(
    "Ingest text",
    "Lines of text, log files, CSV and the like, of any size. A request is stored entirely or not at all; what "
    "does not match the format is kept as the message of an event and counted in `errors`.",
    ("text/plain",),
    "Every event is on disk.",
    schema=SCHEMA,
    is_native=True,
    parameters={
        "format": f"Format of the body: {', '.join(FORMATS)}. Default `{DEFAULT_FORMAT}`, which detects it.",
        "grok": "For format `grok`: the name of a preset, a `%{…}` pattern, or a regex with named groups.",
        "multiline": "A regex that matches the first line of each event; the lines after it belong to it.",
        "max_lines": f"Maximum number of lines in one event. Default {Options().max_lines}.",
    },
)
ROUTES = [Route("POST", "/api/ingest/raw", handle_raw, native.PROTOCOL, ABOUT)]

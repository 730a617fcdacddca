"""`POST /api/ingest/raw`: text of any known format in, the ingest response out."""

import msgspec

from logboom.base.errors import Invalid
from logboom.base.offload import Offload
from logboom.formats import FORMATS, open_reader
from logboom.formats.auto.reader import AutoReader
from logboom.formats.reader import Options, Reader
from logboom.ingest.receipt import Receipt
from logboom.ingest.sink import Pieces
from logboom.ingest.visit import NATIVE, Intake, Visit, open_visit
from logboom.protocols import native
from logboom.protocols.native import IngestAnswer
from logboom.protocols.reply import Reply
from logboom.protocols.route import About, Route
from logboom.web.asgi import RawRequest

DEFAULT_FORMAT = "auto"
JSON_FORMATS = ("ndjson", "json", "auto")
"""Those that may get JSON without any line feed."""


class RawAnswer(IngestAnswer):
    """The ingest response, and which format was read: the one that was asked for, or what `auto` found.

    `confidence` is there with `auto`: the share of the first lines that this explains.
    """

    format: str
    confidence: float | msgspec.UnsetType = msgspec.UNSET


async def handle_raw(intake: Intake, request: RawRequest) -> Reply:
    """Store what the body holds; whatever is wrong with the parameters is said before it is read."""
    async with open_visit(intake, request, NATIVE) as visit:
        name = request.parameters.get("format") or DEFAULT_FORMAT
        options = read_options(request, intake.clock())
        # Patterns may take their time to compile.
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
        raise Invalid(f"max_lines is {text!r}, expected a whole number") from None


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
        "description": "The format that was asked for; with `auto` what the text was taken for: a format, a grok "
        "preset, or `log` for lines with a time in front.",
    },
    "confidence": {
        "type": "number",
        "minimum": 0,
        "maximum": 1,
        "description": "With `auto`: the share of the first lines that this explains.",
    },
}
SCHEMA = {
    "type": "object",
    "properties": {**native.SCHEMA["properties"], **READ},
    "required": [*native.SCHEMA["required"], "format"],
}
ABOUT = About(
    "Ingest text",
    "Lines of text, log files, CSV and the like, of any size. All of a request is stored or nothing of it; "
    "what is not of the format is kept as the message of an event and counted in `errors`.",
    ("text/plain",),
    "Every event is on disk.",
    schema=SCHEMA,
    is_native=True,
    parameters={
        "format": f"What the body is: {', '.join(FORMATS)}. Default `{DEFAULT_FORMAT}`, which looks at the content.",
        "grok": "For format `grok`: the name of a preset, a `%{…}` pattern, or a regex with named groups.",
        "multiline": "A regex of the lines that begin an event; the lines after such a line belong to it.",
        "max_lines": f"How many lines one event may have at most. Default {Options().max_lines}.",
    },
)
ROUTES = [Route("POST", "/api/ingest/raw", handle_raw, native.PROTOCOL, ABOUT)]

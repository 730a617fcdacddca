"""`POST /upload`: what systemd-journal-upload sends, answered like systemd-journal-remote."""

from logboom.base.errors import Forbidden, UnsupportedEncoding
from logboom.ingest.receipt import Receipt
from logboom.ingest.sink import Pieces
from logboom.ingest.visit import Intake, Visit, open_visit
from logboom.model.batch import Lines, Routes
from logboom.model.names import normalise_index
from logboom.protocols.journal.export import ExportReader
from logboom.web.asgi import RawRequest
from logboom.web.errors import refuse_in_one_line
from logboom.web.reply import PLAIN_TEXT, Reply
from logboom.web.route import About, Protocol, Route

EXPORT = "application/vnd.fdo.journal"


async def handle_upload(intake: Intake, request: RawRequest) -> Reply:
    """Store the entries of the body."""
    reader = ExportReader()
    index = request.path_values.get("index")
    with open_visit(intake, request) as visit:
        check_type(request)
        pieces = read_pieces(visit, reader, index and normalise_index(index))
        check_receipt(await visit.store_stream(pieces))
    return Reply(202, describe(reader.damaged).encode(), PLAIN_TEXT)


def check_type(request: RawRequest) -> None:
    if request.content_type != EXPORT:
        raise UnsupportedEncoding(f'content type "{request.content_type[:100]}", expected {EXPORT}')


async def read_pieces(visit: Visit, reader: ExportReader, index: str | None) -> Pieces:
    """Yield the events in pieces of bounded size; all of them for the index of the path, if there is one."""
    async for data in visit.chunk():
        lines = await visit.run(reader.feed, data)
        if lines.data:
            yield route(lines, index)
    last = reader.finish()
    if last.data:
        yield route(last, index)


def route(lines: Lines, index: str | None) -> Lines:
    if index is None:
        return lines
    return lines._replace(routes=Routes.of([index] * (lines.data.count(b"\n") + 1)))


def check_receipt(receipt: Receipt) -> None:
    """Raise Forbidden if anything was refused: all entries of a request have the same index."""
    if receipt.refused:
        raise Forbidden("the index is not allowed for this sender, nothing was stored")


def describe(damaged: int) -> str:
    """Return the text of a success, even with damaged entries: after an error the sender would upload all again."""
    if not damaged:
        return "OK.\n"
    entries = "1 entry was" if damaged == 1 else f"{damaged} entries were"
    return f"OK, but {entries} damaged and kept as far as possible.\n"


PROTOCOL = Protocol("journal", refuse_in_one_line)
ABOUT = About(
    "Upload entries of the systemd journal",
    "Entries in the journal's export format. A damaged entry is kept as far as it can be read, and the answer says how "
    "many there are. Errors are one line of text.",
    (EXPORT,),
    "Every entry is on disk.",
    202,
)
ROUTES = [
    Route("POST", "/upload", handle_upload, PROTOCOL, ABOUT),
    Route("POST", "/api/journal/upload", handle_upload, PROTOCOL, ABOUT),
    Route("POST", "/api/journal/{index}/upload", handle_upload, PROTOCOL, ABOUT),
]

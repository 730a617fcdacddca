"""The routes of the Loki API for reading."""

from logboom.base.errors import Forbidden, Invalid
from logboom.base.process.deadline import Deadline
from logboom.control.access.principal import Principal
from logboom.readers.loki.asking import Asker, read_asked
from logboom.readers.loki.replies import PROTOCOL
from logboom.readers.reader import Reader
from logboom.web.asgi import RawRequest
from logboom.web.reply import Reply
from logboom.web.route import Handler, Route
from logboom.web.sockets import Socket, SocketHandler, SocketRoute

TAIL = "/loki/api/v1/tail"
REMOVALS = "/loki/api/v1/delete"


def answering(name: str) -> Handler[Reader]:
    """Return a handler that reads the parameters of a request, and finds the answer of this name off the event loop."""

    async def handle(reader: Reader, request: RawRequest) -> Reply:
        asked = await read_asked(reader, request)

        def answer(principal: Principal, deadline: Deadline) -> Reply:
            from logboom.readers.loki.answers import WORK  # noqa: PLC0415 - few services need it

            return WORK[name](Asker(reader.search, principal, asked, deadline))

        return await reader.run(request, answer)

    return handle


def load_tail() -> SocketHandler[Reader]:
    from logboom.readers.loki.tail import follow  # noqa: PLC0415 - few services need it

    return follow


async def follow_lines(reader: Reader, request: RawRequest, socket: Socket) -> None:
    follow = await reader.offload.run(load_tail)
    await follow(reader, request, socket)


async def refuse_plain(reader: Reader, request: RawRequest) -> Reply:
    """Refuse a request to follow lines that is not for a WebSocket."""
    reader.admit(request)
    raise Invalid(f"{TAIL} is a WebSocket, expected a request to upgrade the connection")


async def list_removals(reader: Reader, request: RawRequest) -> Reply:
    """Answer that no removal was asked for."""
    reader.admit(request)
    return Reply(body=b"[]")


async def refuse_removal(reader: Reader, request: RawRequest) -> Reply:
    reader.admit(request)
    raise Forbidden("events cannot be deleted, only their environment's retention removes them")


ROUTES: list[Route[Reader]] = [
    Route("GET POST", "/loki/api/v1/query", answering("query"), PROTOCOL),
    Route("GET POST", "/loki/api/v1/query_range", answering("query_range"), PROTOCOL),
    Route("GET POST", "/loki/api/v1/labels", answering("labels"), PROTOCOL),
    Route("GET POST", "/loki/api/v1/label", answering("labels"), PROTOCOL),
    Route("GET POST", "/loki/api/v1/label/{name}/values", answering("label_values"), PROTOCOL),
    Route("GET POST", "/loki/api/v1/series", answering("series"), PROTOCOL),
    Route("GET POST", "/loki/api/v1/index/stats", answering("stats"), PROTOCOL),
    Route("GET POST", "/loki/api/v1/index/volume", answering("volume"), PROTOCOL),
    Route("GET POST", "/loki/api/v1/index/volume_range", answering("volume_range"), PROTOCOL),
    Route("GET POST", "/loki/api/v1/detected_fields", answering("detected_fields"), PROTOCOL),
    Route(
        "GET POST",
        "/loki/api/v1/detected_field/{name}/values",
        answering("detected_values"),
        PROTOCOL,
    ),
    Route("GET POST", "/loki/api/v1/detected_labels", answering("detected_labels"), PROTOCOL),
    Route("GET POST", "/loki/api/v1/patterns", answering("patterns"), PROTOCOL),
    Route("GET POST", "/loki/api/v1/format_query", answering("format_query"), PROTOCOL),
    Route("GET", "/loki/api/v1/status/buildinfo", answering("build"), PROTOCOL),
    Route("GET", REMOVALS, list_removals, PROTOCOL),
    Route("PUT POST DELETE", REMOVALS, refuse_removal, PROTOCOL),
    Route("GET", TAIL, refuse_plain, PROTOCOL),
]
SOCKETS: list[SocketRoute[Reader]] = [SocketRoute(TAIL, follow_lines, PROTOCOL)]

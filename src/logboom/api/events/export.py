"""`/api/export`: all matches as a file, streamed."""

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from litestar import Request as HttpRequest
from litestar import get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.response import Stream

from logboom.api.events.requests import Raw, ScopeBody, check_unseen
from logboom.api.head import is_head
from logboom.api.parameters import document, read_parameters
from logboom.api.services import Services
from logboom.base.errors import LogboomError
from logboom.base.process.deadline import Deadline
from logboom.base.process.offload import Offload
from logboom.control.access.principal import Principal
from logboom.search.answers import EXPORT_FORMATS
from logboom.web.cancelling import run_cancellable
from logboom.web.errors import describe_fault, render_error

log = logging.getLogger(__name__)

Pieces = Generator[bytes, None, None]


class ExportBody(ScopeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What to export, and in which format; `columns` is a comma list."""

    format: Annotated[
        Literal["ndjson", "csv", "parquet"], msgspec.Meta(description="Format of the file.")
    ] = "ndjson"
    columns: Annotated[
        str, msgspec.Meta(description="Columns to write, a comma list; all by default.")
    ] = ""
    raw: Raw = False


class Pump:
    """Reads from a generator off the event loop, with one thread at a time."""

    def __init__(self, pieces: Pieces, offload: Offload, stopped: threading.Event) -> None:
        self._pieces = pieces
        self._offload = offload
        self._stopped = stopped
        self._lock = threading.Lock()
        self._closing: asyncio.Future[None] | None = None

    async def stream(self) -> AsyncGenerator[bytes, None]:
        try:
            while piece := await self._offload.run(self._take):
                yield piece
        finally:
            # The reader has everything or is gone: either way nobody waits for this.
            self._stopped.set()
            self._closing = asyncio.ensure_future(self._offload.run(self._close))

    def _take(self) -> bytes:
        with self._lock:
            return next(filter(None, self._pieces), b"")

    def _close(self) -> None:
        with self._lock:
            self._pieces.close()


async def end_with_error(lines: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """Yield a stream, and an error in the middle of it as the last line, because the status was already sent."""
    try:
        async for line in lines:
            yield line
    except LogboomError as error:
        yield render_error(error).body + b"\n"
    except Exception:
        log.exception("export failed")
        yield render_error(describe_fault()).body + b"\n"


async def open_export(
    request: HttpRequest[Any, Any, Any], body: ExportBody, services: Services, principal: Principal
) -> AsyncGenerator[bytes, None]:
    question, stopped = body.make_question(raw=body.raw), Deadline()
    columns = tuple(filter(None, (name.strip() for name in body.columns.split(",")))) or None
    work = partial(services.search.export, principal, question, body.format, columns, stopped)
    pieces = await run_cancellable(request.receive, services.search_offload, work)
    stream = Pump(pieces, services.search_offload, stopped).stream()
    return end_with_error(stream) if body.format == "ndjson" else stream


@get(
    "/api/export",
    tags=["search"],
    summary="Export all matches",
    description="Everything that the query finds, newest first, as `ndjson` (default), `csv` or `parquet`; "
    "`columns` is a comma list of names. In CSV, texts that a spreadsheet would run as a formula "
    "start with an apostrophe. An error after the first row is the last line of NDJSON; in other "
    "formats the connection is closed before the end. If blocks are damaged, all other rows are "
    "sent first, and the error or the early close follows them.",
    operation_class=document(ExportBody),
)
async def handle_export(
    request: HttpRequest[Any, Any, Any],
    services: NamedDependency[Services],
    searcher: NamedDependency[Principal],
    until_end: NamedDependency[ExitStack],
) -> Stream:
    body = read_parameters(request, ExportBody)
    if is_head(request):
        stream = await check_unseen(body.make_question(), services, searcher)
    else:
        until_end.enter_context(services.search.streams.hold(searcher.owner))
        stream = await open_export(request, body, services, searcher)
    return Stream(
        stream,
        media_type=EXPORT_FORMATS[body.format].media_type,
        headers={"Content-Disposition": f'attachment; filename="logboom.{body.format}"'},
    )


ROUTES: list[HTTPRouteHandler] = [handle_export]

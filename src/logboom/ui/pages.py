"""`/` and `/ui/…`: the pages, wrapped around the application that answers everything else."""

from collections.abc import Mapping

from logboom.base.errors import NotFound
from logboom.ui.files import FIRST_PAGE, PageFile
from logboom.ui.missing import explain_missing, is_person
from logboom.ui.sending import refuse_method, send_file
from logboom.web.asgi import join_headers, send_error
from logboom.web.errors import render_error
from logboom.web.types import HTTP, ASGIApp, Receive, Scope, Send

FOLDER = "/ui/"


class Pages:
    """The ASGI application of the pages."""

    def __init__(self, files: Mapping[str, PageFile], rest: ASGIApp) -> None:
        self._files = files
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == HTTP and is_person(scope):
            send = explain_missing(send, path)
        if scope["type"] != HTTP or not (path == "/" or path.startswith(FOLDER)):
            await self._rest(scope, receive, send)
            return
        if await refuse_method(scope, send):
            return
        name = FIRST_PAGE if path == "/" else path.removeprefix(FOLDER)
        file = self._files.get(name)
        if file is None:
            await send_error(send, render_error(NotFound(f"no page {path}")))
            return
        is_first = name == FIRST_PAGE
        asked = join_headers(scope["headers"])
        await send_file(send, file, asked, is_kept=not is_first, vary="Accept" if is_first else "")

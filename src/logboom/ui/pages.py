"""`/` and `/ui/…`: the pages, around the application that answers everything else."""

from collections.abc import Mapping
from typing import Any

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from logboom.base.errors import NotFound
from logboom.ui.files import FIRST_PAGE, PageFile
from logboom.web.asgi import join_headers, send_answer, send_error
from logboom.web.errors import WrongMethod, render_error

FOLDER = "/ui/"
# The names of files hold a hash of what is in them; the first page, which names them, is always asked for.
CACHED = "public, max-age=31536000, immutable"
CHECKED = "no-cache"


class Pages:
    """The ASGI application of the pages."""

    def __init__(self, files: Mapping[str, PageFile], rest: ASGIApp) -> None:
        self._files = files
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] != ScopeType.HTTP or not (path == "/" or path.startswith(FOLDER)):
            await self._rest(scope, receive, send)
            return
        method = str(scope["method"])
        if method not in ("GET", "HEAD"):
            await send_error(send, render_error(WrongMethod(method, "GET, HEAD")))
            return
        name = FIRST_PAGE if path == "/" else path.removeprefix(FOLDER)
        file = self._files.get(name)
        if file is None:
            await send_error(send, render_error(NotFound(f"no page {path}")))
            return
        await send_file(send, file, join_headers(scope["headers"]), is_first=name == FIRST_PAGE)


async def send_file(send: Send, file: PageFile, asked: dict[str, str], *, is_first: bool) -> None:
    """The file, or 304 when the browser has it."""
    body, encoding = file.encode(asked.get("accept-encoding", ""))
    headers: dict[str, Any] = {
        "Content-Type": file.media_type,
        "Cache-Control": CHECKED if is_first else CACHED,
        "ETag": file.etag,
        "Vary": "Accept-Encoding, Accept" if is_first else "Accept-Encoding",
    }
    if asked.get("if-none-match") == file.etag:
        await send_answer(send, 304, b"", headers)
        return
    if encoding:
        headers["Content-Encoding"] = encoding
    await send_answer(send, 200, body, headers)

"""`/docs/…`: the documentation as a site, open to everybody. It contains no data of this service."""

from collections.abc import Mapping
from pathlib import Path

from logboom.base.errors import NotFound
from logboom.base.version import __version__
from logboom.ui.files import FIRST_PAGE, PageFile, read_files
from logboom.ui.sending import refuse_method, send_file
from logboom.web.asgi import join_headers, send_answer, send_error
from logboom.web.errors import render_error
from logboom.web.types import HTTP, ASGIApp, Receive, Scope, Send

FOLDER = "/docs/"
SITE = Path(__file__).with_name("site")
UNBUILT = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Logboom documentation</title>
<meta name="viewport" content="width=device-width"></head>
<body><h1>Logboom {__version__}</h1>
<p>The documentation was not built: <code>make docs</code> does that.
The API is described by the OpenAPI document: <a href="/api/openapi.json">/api/openapi.json</a>.</p>
</body></html>
"""
ENTRANCE = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Logboom documentation</title>
<meta http-equiv="refresh" content="0; url={FOLDER}"></head>
<body><h1>Logboom {__version__}</h1>
<p><a href="{FOLDER}">Documentation</a>, <a href="{FOLDER}reference/api.html">API reference</a>,
<a href="/api/openapi.json">OpenAPI document</a></p>
</body></html>
""".encode()


class Docs:
    """The ASGI application of the documentation, wrapped around the rest."""

    def __init__(self, files: Mapping[str, PageFile], rest: ASGIApp) -> None:
        self._files = files
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = f"{scope.get('path', '')}"
        is_asked = scope["type"] == HTTP and f"{path}/".startswith(FOLDER)
        if not is_asked:
            await self._rest(scope, receive, send)
        elif not await refuse_method(scope, send):
            await self._answer(path, join_headers(scope["headers"]), send)

    async def _answer(self, path: str, asked: dict[str, str], send: Send) -> None:
        if f"{path}/" == FOLDER:
            # Links between pages are relative and need the slash, but the address without it must still work.
            headers = {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache"}
            await send_answer(send, 200, ENTRANCE, headers)
            return
        name = path.removeprefix(FOLDER)
        file = self._files.get(f"{name}{FIRST_PAGE}" if name.endswith("/") or not name else name)
        if file is None:
            await send_error(send, render_error(NotFound(f"no page {path}")))
            return
        await send_file(send, file, asked, is_kept=not file.is_page)


def read_docs(folder: Path = SITE) -> dict[str, PageFile]:
    """Return every file of the site; if it was not built, a first page that says so."""
    return read_files(folder, UNBUILT)

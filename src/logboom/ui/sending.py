"""Sends files: compressed, and only if the browser does not have them."""

from typing import Any

from logboom.ui.files import PageFile
from logboom.web.asgi import send_answer, send_error
from logboom.web.errors import WrongMethod, render_error
from logboom.web.types import Scope, Send

# Names of files contain a hash of their contents; pages, which name them, are always revalidated.
KEPT = "public, max-age=31536000, immutable"
CHECKED = "no-cache"


async def refuse_method(scope: Scope, send: Send) -> bool:
    """Answer a method that does more than read with an error; return whether it did."""
    method = str(scope["method"])
    if method in ("GET", "HEAD"):
        return False
    await send_error(send, render_error(WrongMethod(method, "GET, HEAD")))
    return True


async def send_file(
    send: Send, file: PageFile, asked: dict[str, str], *, is_kept: bool, vary: str = ""
) -> None:
    """Send the file, or 304 if the browser has it; `vary` names the header that selected it."""
    body, encoding = file.encode(asked.get("accept-encoding", ""))
    headers: dict[str, Any] = {
        "Content-Type": file.media_type,
        "Cache-Control": KEPT if is_kept else CHECKED,
        "ETag": file.etag,
        "Vary": f"Accept-Encoding, {vary}" if vary else "Accept-Encoding",
    }
    if asked.get("if-none-match") == file.etag:
        await send_answer(send, 304, b"", headers)
        return
    if encoding:
        headers["Content-Encoding"] = encoding
    await send_answer(send, 200, body, headers)

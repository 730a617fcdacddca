"""The page for people whose browser opens an address where there is nothing."""

from html import escape

from logboom.web.asgi import send_answer
from logboom.web.types import Message, Scope, Send

NOT_FOUND = 404
API = "/api/"
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Page not found · Logboom</title>
</head>
<body>
<main>
<h1>Page not found</h1>
<p>There is nothing at <code>{path}</code>.</p>
<p><a href="/">Open Logboom</a> · <a href="/docs/">Documentation</a></p>
</main>
</body>
</html>
"""


def is_person(scope: Scope) -> bool:
    """Return whether a browser asks for a page. Programs accept anything, or JSON; the API always answers JSON."""
    if scope["path"].startswith(API):
        return False
    accepted = next((value for name, value in scope["headers"] if name == b"accept"), b"")
    return b"text/html" in accepted and str(scope["method"]) in ("GET", "HEAD")


def explain_missing(send: Send, path: str) -> Send:
    """Return the `send` callable, which sends a page instead of an error that nothing was found."""
    is_missing = False

    async def send_explained(message: Message) -> None:
        nonlocal is_missing
        if message["type"] == "http.response.start" and message["status"] == NOT_FOUND:
            is_missing = True
            body = PAGE.format(path=escape(path)).encode()
            await send_answer(send, NOT_FOUND, body, {"Content-Type": "text/html; charset=utf-8"})
        elif not is_missing:
            await send(message)

    return send_explained

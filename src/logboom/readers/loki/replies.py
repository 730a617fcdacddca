"""The form of answers and errors."""

from collections.abc import Sequence

import msgspec

from logboom.base.errors import LogboomError
from logboom.web.asgi import RawRequest
from logboom.web.errors import find_status, list_headers
from logboom.web.reply import Reply
from logboom.web.route import Protocol

PLAIN = "text/plain; charset=utf-8"


def refuse(error: LogboomError, _request: RawRequest) -> Reply:
    """One line of text, which Grafana and logcli show as it is."""
    line = " ".join(error.message.split())
    return Reply(find_status(error), f"{line}\n".encode(), PLAIN, list_headers(error))


def succeed(data: object, warnings: Sequence[str] = ()) -> Reply:
    """An answer with its data; `warnings` say what it lacks."""
    content: dict[str, object] = {"status": "success", "data": data}
    if warnings:
        content["warnings"] = list(warnings)
    return show(content)


def show(content: object) -> Reply:
    """An answer of a form of its own."""
    return Reply(body=msgspec.json.encode(content))


PROTOCOL = Protocol("loki", refuse)

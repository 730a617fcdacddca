"""The form of answers and errors."""

from collections.abc import Sequence

import msgspec

from logboom.web.errors import refuse_in_one_line
from logboom.web.reply import Reply
from logboom.web.route import Protocol


def succeed(data: object, warnings: Sequence[str] = ()) -> Reply:
    """Return an answer with its data; `warnings` say what it lacks."""
    content: dict[str, object] = {"status": "success", "data": data}
    if warnings:
        content["warnings"] = list(warnings)
    return show(content)


def show(content: object) -> Reply:
    """Return an answer of a form of its own."""
    return Reply(body=msgspec.json.encode(content))


PROTOCOL = Protocol("loki", refuse_in_one_line)

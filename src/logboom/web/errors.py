"""Errors as HTTP answers: one table of statuses, one envelope, and the form for clients that expect text."""

import msgspec

from logboom.base.errors import Code, Invalid, LogboomError
from logboom.web.reply import PLAIN_TEXT, Reply

STATUSES = {
    Code.INVALID: 400,
    Code.UNAUTHENTICATED: 401,
    Code.FORBIDDEN: 403,
    Code.NOT_FOUND: 404,
    Code.CONFLICT: 409,
    Code.TOO_LARGE: 413,
    Code.UNSUPPORTED: 415,
    Code.OVERLOADED: 429,
    Code.TIMEOUT: 504,
    Code.UNAVAILABLE: 503,
    Code.INTERNAL: 500,
}
DEFAULT_RETRY_S = 1


class WrongMethod(Invalid):
    """The path exists, but not for this method."""

    def __init__(self, method: str, allowed: str) -> None:
        super().__init__(f"method {method}, expected {allowed}")
        self.allowed = allowed


class ErrorAnswer(msgspec.Struct):
    """An error ready to be sent."""

    status: int
    headers: dict[str, str]
    body: bytes


def find_status(error: LogboomError) -> int:
    return 405 if isinstance(error, WrongMethod) else STATUSES[error.code]


def list_headers(error: LogboomError) -> dict[str, str]:
    """Return the headers of an error: when to retry, how to authenticate, which methods are allowed."""
    status = find_status(error)
    if status in (429, 503):
        return {"Retry-After": str(error.data.get("retry_after_s", DEFAULT_RETRY_S))}
    if status == 401:
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, WrongMethod):
        return {"Allow": error.allowed}
    return {}


def render_error(error: LogboomError) -> ErrorAnswer:
    """Return the envelope: `{"error": {"code", "message", …}}`."""
    data = {name: value for name, value in error.data.items() if name != "retry_after_s"}
    headers = {"Content-Type": "application/json", **list_headers(error)}
    content = {"error": {"code": error.code.value, "message": error.message, **data}}
    return ErrorAnswer(find_status(error), headers, msgspec.json.encode(content))


def refuse_in_one_line(error: LogboomError, _request: object) -> Reply:
    """Return an error as one line of text, for clients that show or log it as it is."""
    line = " ".join(error.message.split())
    return Reply(find_status(error), f"{line}\n".encode(), PLAIN_TEXT, list_headers(error))


def describe_fault() -> LogboomError:
    """Return the error for an internal fault: it reveals no details."""
    return LogboomError("internal error, see the server's log")

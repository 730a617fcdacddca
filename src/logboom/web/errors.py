"""Errors as HTTP answers: one table of statuses, one envelope."""

import logging
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.types import ExceptionHandlersMap

from logboom.base.errors import Code, Invalid, LogboomError
from logboom.base.misfits import describe_misfit, find_field

log = logging.getLogger(__name__)

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
CODES = {status: code for code, status in STATUSES.items()} | {405: Code.INVALID}
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
    """The headers of an error: when to retry, how to authenticate, which methods are allowed."""
    status = find_status(error)
    if status in (429, 503):
        return {"Retry-After": str(error.data.get("retry_after_s", DEFAULT_RETRY_S))}
    if status == 401:
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, WrongMethod):
        return {"Allow": error.allowed}
    return {}


def render_error(error: LogboomError) -> ErrorAnswer:
    """The envelope: `{"error": {"code", "message", …}}`."""
    data = {name: value for name, value in error.data.items() if name != "retry_after_s"}
    headers = {"Content-Type": "application/json", **list_headers(error)}
    content = {"error": {"code": error.code.value, "message": error.message, **data}}
    return ErrorAnswer(find_status(error), headers, msgspec.json.encode(content))


def describe_fault() -> LogboomError:
    """The answer for an internal error: it reveals no details."""
    return LogboomError("internal error, see the server's log")


def respond(answer: ErrorAnswer) -> Response[bytes]:
    return Response(answer.body, status_code=answer.status, headers=answer.headers)


def handle_known(_request: Request[Any, Any, Any], error: LogboomError) -> Response[bytes]:
    return respond(render_error(error))


def handle_http(_request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """Errors of the framework: no such route, wrong method, a body that does not fit."""
    known = LogboomError(describe(error), **find_misfit(error))
    known.code = CODES.get(
        error.status_code, Code.INVALID if error.status_code < 500 else Code.INTERNAL
    )
    answer = render_error(known)
    answer.status = error.status_code
    answer.headers |= error.headers or {}
    return respond(answer)


def describe(error: HTTPException) -> str:
    faults = [describe_misfit(write_reason(each)) for each in list_details(error)]
    return "; ".join(faults) or error.detail


def find_misfit(error: HTTPException) -> dict[str, object]:
    """The first member of the body that does not fit, as error data."""
    for detail in list_details(error):
        if detail.get("source") == "body":
            return find_field(write_reason(detail))
    return {}


def write_reason(detail: dict[str, Any]) -> str:
    """The decoder's message with its place, which the framework removes; an empty one is the whole body."""
    key = detail.get("key", "data")
    return f"{detail['message']} - at `${'' if key == 'data' else f'.{key}'}`"


def list_details(error: HTTPException) -> list[dict[str, Any]]:
    details = error.extra if isinstance(error.extra, list) else []
    return [each for each in details if isinstance(each, dict) and each.get("message")]


def handle_unknown(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    log.error("request failed", exc_info=error, extra={"path": request.scope["path"]})
    return respond(render_error(describe_fault()))


EXCEPTION_HANDLERS: ExceptionHandlersMap = {
    LogboomError: handle_known,
    HTTPException: handle_http,
    Exception: handle_unknown,
}

"""Errors of the framework's routes as answers."""

import logging
from typing import Any

from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.types import ExceptionHandlersMap

from logboom.base.decoding_errors import describe_decoding_error, find_field
from logboom.base.errors import Code, LogboomError
from logboom.web.errors import STATUSES, ErrorAnswer, describe_fault, render_error

log = logging.getLogger(__name__)

CODES = {status: code for code, status in STATUSES.items()} | {405: Code.INVALID}


def respond(answer: ErrorAnswer) -> Response[bytes]:
    return Response(answer.body, status_code=answer.status, headers=answer.headers)


def handle_known(_request: Request[Any, Any, Any], error: LogboomError) -> Response[bytes]:
    return respond(render_error(error))


def handle_http(_request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """Answer an error of the framework: no such route, wrong method, a body that does not fit."""
    known = LogboomError(describe(error), **find_misfit(error))
    known.code = CODES.get(
        error.status_code, Code.INVALID if error.status_code < 500 else Code.INTERNAL
    )
    answer = render_error(known)
    answer.status = error.status_code
    answer.headers |= error.headers or {}
    return respond(answer)


def describe(error: HTTPException) -> str:
    faults = [describe_decoding_error(write_reason(each)) for each in list_details(error)]
    return "; ".join(faults) or error.detail


def find_misfit(error: HTTPException) -> dict[str, object]:
    """Return the first member of the body that does not fit, as error data."""
    for detail in list_details(error):
        if detail.get("source") == "body":
            return find_field(write_reason(detail))
    return {}


def write_reason(detail: dict[str, Any]) -> str:
    """Return the decoder's message with its place, which the framework removes; an empty one is the whole body."""
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

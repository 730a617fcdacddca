"""Errors in the form of the search engine's API."""

from typing import NamedTuple

import msgspec

from logboom.base.errors import Code, LogboomError
from logboom.web.asgi import RawRequest
from logboom.web.errors import find_status, list_headers
from logboom.web.reply import Reply

PRODUCT = {"X-Elastic-Product": "Elasticsearch"}
"""Clients refuse answers without this header."""

ERROR_TYPES = {
    Code.INVALID: "illegal_argument_exception",
    Code.UNAUTHENTICATED: "security_exception",
    Code.FORBIDDEN: "security_exception",
    Code.NOT_FOUND: "resource_not_found_exception",
    Code.CONFLICT: "version_conflict_engine_exception",
    Code.TOO_LARGE: "content_too_long_exception",
    Code.UNSUPPORTED: "media_type_header_exception",
    Code.OVERLOADED: "circuit_breaking_exception",
    Code.TIMEOUT: "process_cluster_event_timeout_exception",
    Code.UNAVAILABLE: "unavailable_shards_exception",
    Code.INTERNAL: "exception",
}


class Fault(NamedTuple):
    """Why something was not done as asked, in the protocol's terms."""

    status: int
    type: str
    reason: str


def refuse(error: LogboomError, _request: RawRequest) -> Reply:
    """Return the error object of the search engine."""
    return reply_fault(find_fault(error), list_headers(error))


def find_fault(error: LogboomError) -> Fault:
    """Return the fault that describes an error, which may bring its own type."""
    kind = str(error.data.get("type", ERROR_TYPES[error.code]))
    return Fault(find_status(error), kind, error.message)


def reply_fault(fault: Fault, headers: dict[str, str] | None = None) -> Reply:
    body = msgspec.json.encode(describe_fault(fault))
    return Reply(fault.status, body, headers={**PRODUCT, **(headers or {})})


def describe_fault(fault: Fault) -> dict[str, object]:
    cause = {"type": fault.type, "reason": fault.reason}
    return {"error": {"root_cause": [cause], **cause}, "status": fault.status}

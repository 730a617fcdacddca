"""The event collector: takes envelopes or text, answers `{"text","code"}`, and acknowledges on request."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple
from uuid import UUID

import msgspec

from logboom.base.errors import Code, Invalid, LogboomError, Unauthenticated
from logboom.control.access.tokens import TokenDisabled
from logboom.control.control import Control
from logboom.ingest.admission import find_credential, identify
from logboom.ingest.receipt import Receipt
from logboom.ingest.sink import Pieces
from logboom.ingest.visit import (
    COMPATIBILITY,
    EndpointClass,
    Intake,
    Visit,
    check_switch,
    open_visit,
)
from logboom.protocols.collector.acks import PURPOSE, check_acks, issue_ack
from logboom.protocols.collector.events import (
    BadEvent,
    EnvelopeReader,
    EventFault,
    read_defaults,
    read_text,
)
from logboom.web.asgi import RawRequest
from logboom.web.errors import find_status, list_headers
from logboom.web.lines import BOM
from logboom.web.reply import Reply
from logboom.web.route import About, Protocol, Route

MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_ACK_BYTES = 4 * 1024 * 1024
CHANNEL_HEADER = "x-splunk-request-channel"
PATIENT = COMPATIBILITY._replace(is_patient=True)
"""Asking for acknowledgements needs no room in the writer queue."""


class CollectorAnswer(NamedTuple):
    status: int
    text: str


ANSWERS: dict[int, CollectorAnswer] = {
    0: CollectorAnswer(200, "Success"),
    1: CollectorAnswer(403, "Token disabled"),
    2: CollectorAnswer(401, "Token is required"),
    3: CollectorAnswer(401, "Invalid authorization"),
    4: CollectorAnswer(403, "Invalid token"),
    5: CollectorAnswer(400, "No data"),
    6: CollectorAnswer(400, "Invalid data format"),
    7: CollectorAnswer(400, "Incorrect index"),
    8: CollectorAnswer(500, "Internal server error"),
    9: CollectorAnswer(503, "Server is busy"),
    10: CollectorAnswer(400, "Data channel is missing"),
    11: CollectorAnswer(400, "Invalid data channel"),
    12: CollectorAnswer(400, "Event field is required"),
    13: CollectorAnswer(400, "Event field cannot be blank"),
    14: CollectorAnswer(400, "ACK is disabled"),
    15: CollectorAnswer(400, "Error in handling indexed fields"),
    16: CollectorAnswer(400, "Query string authorization is not enabled"),
    17: CollectorAnswer(200, "HEC is healthy"),
    18: CollectorAnswer(503, "HEC is unhealthy, queues are full"),
    19: CollectorAnswer(503, "HEC is unhealthy, ack service unavailable"),
    20: CollectorAnswer(503, "HEC is unhealthy, queues are full, ack service unavailable"),
    21: CollectorAnswer(400, "Invalid token"),
    22: CollectorAnswer(400, "Token disabled"),
}
"""The protocol's codes, including those that never occur here, because acknowledgements are always on."""

CODES: dict[Code, int] = {
    Code.INVALID: 6,
    Code.UNAUTHENTICATED: 4,
    Code.FORBIDDEN: 4,
    Code.NOT_FOUND: 6,
    Code.CONFLICT: 6,
    Code.TOO_LARGE: 6,
    Code.UNSUPPORTED: 6,
    Code.OVERLOADED: 9,
    Code.TIMEOUT: 9,
    Code.UNAVAILABLE: 9,
    Code.INTERNAL: 8,
}
"""The closest code of the protocol for each kind of error."""
EXPLAINED = (4, 6)
"""Generic codes: the error's own message says more than their text."""
HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "1"}}


class Refusal(Invalid):
    """An error that has its own code in the protocol."""

    def __init__(self, answer: int) -> None:
        super().__init__(ANSWERS[answer].text)
        self.answer = answer


class AckRequest(msgspec.Struct):
    acks: list[int]


class Post(NamedTuple):
    """An admitted request, and its channel, if any."""

    visit: Visit
    channel: UUID | None


async def handle_event(intake: Intake, request: RawRequest) -> Reply:
    """Store the events of all envelopes."""
    async with open_post(intake, request) as (visit, channel):
        reader = EnvelopeReader(read_defaults(request.parameters))
        data = await visit.read(MAX_BODY_BYTES)
        receipt = await visit.store_stream(read_pieces(visit, data.removeprefix(BOM), reader))
    if not reader.count:
        raise Refusal(5)
    bad = find_first_bad(reader, receipt)
    return reply_bad(bad) if bad else reply_success(intake.control, channel)


async def read_pieces(visit: Visit, data: bytes, reader: EnvelopeReader) -> Pieces:
    pieces = reader.read(data)
    while (lines := await visit.run(lambda _: next(pieces, None), data)) is not None:
        yield lines


def find_first_bad(reader: EnvelopeReader, receipt: Receipt) -> BadEvent | None:
    """Return the first event that was not stored as it is, because of its content or its index."""
    bad = [reader.first_bad] if reader.first_bad else []
    for lines, fault in (
        (receipt.refused, EventFault.WRONG_INDEX),
        (receipt.unparsed, EventFault.BROKEN),
    ):
        if lines:
            bad.append(BadEvent(reader.number_line(min(lines)), fault))
    return min(bad, default=None)


async def handle_raw(intake: Intake, request: RawRequest) -> Reply:
    """Store the lines of a text as messages."""
    async with open_post(intake, request) as (visit, channel):
        receipt = await visit.store_stream(read_texts(visit))
    if receipt.refused:
        return reply_bad(BadEvent(receipt.refused[0], EventFault.WRONG_INDEX))
    if not receipt.ingested:
        raise Refusal(5)
    return reply_success(intake.control, channel)


async def read_texts(visit: Visit) -> Pieces:
    defaults = read_defaults(visit.request.parameters)
    async for chunk in visit.chunk_lines():
        yield await visit.run(read_text, chunk, defaults)


async def handle_ack(intake: Intake, request: RawRequest) -> Reply:
    """Tell for which requests the events are durable: for all that were given an id."""
    async with open_post(intake, request, PATIENT) as (visit, channel):
        if channel is None:
            raise Refusal(10)
        data = await visit.read(MAX_ACK_BYTES)
        acks = await visit.run(read_acks, data, make_key(intake.control), channel)
    return make_reply(200, {"acks": acks})


def read_acks(data: bytes, key: bytes, channel: UUID) -> dict[str, bool]:
    try:
        asked = msgspec.json.decode(data, type=AckRequest)
    except (ValueError, RecursionError) as error:
        raise Refusal(6) from error
    return check_acks(key, channel, asked.acks)


async def handle_health(intake: Intake, request: RawRequest) -> Reply:
    """Return whether events would be accepted now; credentials are optional, but wrong ones are refused."""
    check_switch(intake.control, COMPATIBILITY)
    try:
        if find_credential(request.headers, any_scheme=True) is not None:
            identify(intake.control, request.headers, any_scheme=True)
    except TokenDisabled as error:
        raise Refusal(22) from error
    except Unauthenticated as error:
        raise Refusal(21) from error
    if intake.sink.is_full:
        raise Refusal(18)
    intake.sink.check_room()
    return reply_code(17)


async def handle_options(_intake: Intake, _request: RawRequest) -> Reply:
    """Answer the Docker driver, which checks without a token whether there is a collector."""
    return Reply(headers={"Allow": "POST"})


@asynccontextmanager
async def open_post(
    intake: Intake, request: RawRequest, endpoints: EndpointClass = COMPATIBILITY
) -> AsyncIterator[Post]:
    """Open a visit with everything that the protocol's requests share."""
    has_credential = find_credential(request.headers, any_scheme=True) is not None
    if "token" in request.parameters and not has_credential:
        raise Refusal(16)
    with open_visit(intake, request, endpoints, any_scheme=True) as visit:
        yield Post(visit, read_channel(request))


def read_channel(request: RawRequest) -> UUID | None:
    text = request.find("channel", CHANNEL_HEADER, "")
    try:
        return UUID(text) if text else None
    except ValueError as error:
        raise Refusal(11) from error


def reply_success(control: Control, channel: UUID | None) -> Reply:
    """Reply that everything is durable; a request on a channel gets an id to ask about it."""
    if channel is None:
        return reply_code(0)
    return reply_code(0, ackId=issue_ack(make_key(control), channel))


def make_key(control: Control) -> bytes:
    return control.sessions.derive_key(PURPOSE)


def reply_bad(event: BadEvent) -> Reply:
    return reply_code(event.fault, **{"invalid-event-number": event.number})


def reply_code(code: int, **members: object) -> Reply:
    """Return an answer from the table; `members` follow the code."""
    status, text = ANSWERS[code]
    content = {"text": text, "code": code, **members}
    return make_reply(status, content, HEADERS.get(status))


def make_reply(status: int, content: object, headers: dict[str, str] | None = None) -> Reply:
    return Reply(status, msgspec.json.encode(content), headers=headers or {})


def refuse(error: LogboomError, request: RawRequest) -> Reply:
    """Return an error with the closest code, and its usual status."""
    if isinstance(error, Refusal):
        return reply_code(error.answer)
    if isinstance(error, Unauthenticated):
        return reply_code(judge_credential(error, request))
    code = CODES[error.code]
    text = error.message if code in EXPLAINED else ANSWERS[code].text
    return make_reply(find_status(error), {"text": text, "code": code}, list_headers(error))


def judge_credential(error: Unauthenticated, request: RawRequest) -> int:
    """Return the code for a token that is disabled, missing, malformed or wrong."""
    if isinstance(error, TokenDisabled):
        return 1
    try:
        credential = find_credential(request.headers, any_scheme=True)
    except Unauthenticated:
        return 3
    if credential is None:
        return 2
    return 4 if credential else 3


PROTOCOL = Protocol("collector", refuse)
BASE = "/services/collector"
EVENT_PATHS = (BASE, f"{BASE}/event", f"{BASE}/event/1.0")
RAW_PATHS = (f"{BASE}/raw", f"{BASE}/raw/1.0")
ACK_PATHS = (f"{BASE}/ack", f"{BASE}/ack/1.0")
HEALTH_PATHS = (f"{BASE}/health", f"{BASE}/health/1.0")
ABOUT_EVENTS = About(
    "Collect events",
    "Consecutive envelopes: `event` is unwrapped, `fields` are merged, `time`, `host`, `source` and `sourcetype` "
    "are kept, `index` routes. The token is in the Authorization header, after any word. A request on a channel "
    "gets an `ackId`. Errors are `{text, code}`.",
    ("application/json",),
    "Every event is on disk.",
)
ABOUT_RAW = About(
    "Collect text",
    "Every line is the message of an event.",
    ("text/plain",),
    "Every line is on disk.",
)
ROUTES = [
    *(Route("POST", path, handle_event, PROTOCOL, ABOUT_EVENTS) for path in EVENT_PATHS),
    *(Route("POST", path, handle_raw, PROTOCOL, ABOUT_RAW) for path in RAW_PATHS),
    *(Route("OPTIONS", path, handle_options, PROTOCOL) for path in (*EVENT_PATHS, *RAW_PATHS)),
    *(Route("POST", path, handle_ack, PROTOCOL) for path in ACK_PATHS),
    *(Route("GET", path, handle_health, PROTOCOL) for path in HEALTH_PATHS),
]

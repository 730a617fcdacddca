"""`POST /api/ingest`: NDJSON in, the ingest response out, on the hot path without the framework."""

from collections.abc import AsyncIterator

import msgspec
from litestar.types import Receive, Scope, Send

from logboom.api.admission import Admission, admit
from logboom.api.services import Services
from logboom.base.errors import Forbidden, Invalid
from logboom.control.control import Control
from logboom.model.batch import Target
from logboom.model.names import DEFAULT_INDEX, check_open, parse_template
from logboom.web.asgi import RawRequest, send_answer
from logboom.web.lines import LineChunker

MAX_KEY_LENGTH = 256
MAX_SOURCE_LENGTH = 1024


async def handle_ingest(services: Services, scope: Scope, receive: Receive, send: Send) -> None:
    """Store the lines of the body."""
    request = RawRequest(scope, receive)
    check_switch(services.control)
    admission = admit(services.control, request)
    target = read_target(admission, request)
    answer = await services.sink.ingest(
        target,
        chunk_lines(request.stream()),
        admits=admission.admits,
        key=admission.scope_key(read_key(request)),
    )
    await send_answer(send, 200, msgspec.json.encode(answer))


def check_switch(control: Control) -> None:
    if not control.settings.effective.ingest.native_enabled:
        raise Forbidden("native ingest is switched off, an admin may switch it on in the settings")


def read_target(admission: Admission, request: RawRequest) -> Target:
    """Where the events go: query parameter before header before default."""
    index = request.find("index", "x-service-index", DEFAULT_INDEX)
    source = request.parameters.get("source") or None
    if source and len(source) > MAX_SOURCE_LENGTH:
        raise Invalid(
            f"source is {len(source)} characters long, expected at most {MAX_SOURCE_LENGTH}"
        )
    check_open(parse_template(index))
    return Target(admission.env, index, source)


def read_key(request: RawRequest) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not 0 < len(key) <= MAX_KEY_LENGTH:
        raise Invalid(f"Idempotency-Key of {len(key)} characters, expected 1 to {MAX_KEY_LENGTH}")
    return key


async def chunk_lines(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    chunker = LineChunker()
    async for data in stream:
        for chunk in chunker.feed(data):
            yield chunk
    rest = chunker.finish()
    if rest:
        yield rest

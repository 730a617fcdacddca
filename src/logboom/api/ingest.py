"""`POST /api/ingest`: NDJSON in, the ingest response out, on the hot path without the framework."""

from collections.abc import AsyncIterator

import msgspec
from litestar.types import Receive, Scope, Send

from logboom.api.services import Services
from logboom.base.errors import Forbidden, Invalid, Unauthenticated
from logboom.control.users import Role
from logboom.model.batch import Target
from logboom.model.names import DEFAULT_INDEX, check_open, parse_template
from logboom.web.asgi import RawRequest, send_answer
from logboom.web.lines import LineChunker

DEFAULT_ENV = "default"
MAX_KEY_LENGTH = 256
MAX_SOURCE_LENGTH = 1024


async def handle_ingest(services: Services, scope: Scope, receive: Receive, send: Send) -> None:
    """Store the lines of the body."""
    request = RawRequest(scope, receive)
    authorise(services, request)
    target = read_target(services, request)
    key = read_key(request)
    answer = await services.sink.ingest(target, chunk_lines(request.stream()), key=key)
    await send_answer(send, 200, msgspec.json.encode(answer))


def authorise(services: Services, request: RawRequest) -> None:
    """Credentials are not required, but wrong ones are refused."""
    scheme, _, credential = request.headers.get("authorization", "").partition(" ")
    if not scheme:
        return
    if scheme.lower() != "bearer":
        raise Unauthenticated(f"authorization scheme {scheme!r}, expected Bearer")
    user = services.control.authenticate(credential.strip())
    if user.role is not Role.ADMIN:
        raise Forbidden(f"user {user.username!r} has the role {user.role.value}, expected admin")


def read_target(services: Services, request: RawRequest) -> Target:
    """Where the events go: query parameter before header before default."""
    env = request.find("env", "x-service-env", DEFAULT_ENV)
    index = request.find("index", "x-service-index", DEFAULT_INDEX)
    source = request.parameters.get("source") or None
    if source and len(source) > MAX_SOURCE_LENGTH:
        raise Invalid(
            f"source is {len(source)} characters long, expected at most {MAX_SOURCE_LENGTH}"
        )
    services.control.environments.get(env)
    check_open(parse_template(index))
    return Target(env, index, source)


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

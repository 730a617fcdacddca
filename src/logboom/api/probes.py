"""`/health` and `/ready`: the state of the service in a word, also before the framework is loaded."""

from collections.abc import Callable

import msgspec

from logboom.api.services import Services
from logboom.base.errors import LogboomError
from logboom.web.errors import render_error
from logboom.web.reply import Reply
from logboom.web.types import Scope


class Status(msgspec.Struct):
    """The state of the service."""

    status: str


def read_health(services: Services) -> Status:  # noqa: ARG001 - the process lives, whatever they say
    return Status("ok")


def read_readiness(services: Services) -> Status:
    """Return the status; raise Unavailable, with the reason, while events cannot be accepted."""
    services.store.check_ready()
    return Status("ready")


PROBES: dict[str, Callable[[Services], Status]] = {
    "/health": read_health,
    "/ready": read_readiness,
}


def is_probe(scope: Scope) -> bool:
    return scope["path"] in PROBES and scope.get("method") == "GET"


async def probe(services: Services, path: str) -> Reply:
    """Return the answer, read off the event loop because the disk may be slow."""
    try:
        status = await services.offload.run(PROBES[path], services)
    except LogboomError as error:
        answer = render_error(error)
        return Reply(answer.status, answer.body, headers=answer.headers)
    return Reply(body=msgspec.json.encode(status))

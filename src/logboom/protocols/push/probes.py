"""What clients of the log-aggregator push ask besides pushing; answered like a store without streams."""

import msgspec

from logboom.base.errors import LogboomError, NotFound
from logboom.base.version import __version__
from logboom.ingest.admission import identify
from logboom.ingest.visit import COMPATIBILITY, Intake, check_switch
from logboom.web.asgi import RawRequest
from logboom.web.errors import find_status, list_headers
from logboom.web.reply import Reply
from logboom.web.route import Handler, Protocol, Route

PLAIN = "text/plain; charset=utf-8"
NOTHING = Reply(body=b'{"status":"success","data":[]}')
UNKNOWN = dict.fromkeys(("revision", "branch", "buildUser", "buildDate", "goVersion"), "")
READY = Reply(body=b"ready\n", content_type=PLAIN)
BUILD = Reply(body=msgspec.json.encode({"version": __version__, **UNKNOWN}))


def refuse(error: LogboomError, _request: RawRequest) -> Reply:
    """One line of text, because some clients log only the first."""
    line = " ".join(error.message.split())
    return Reply(find_status(error), f"{line}\n".encode(), PLAIN, list_headers(error))


def enter(intake: Intake, request: RawRequest) -> None:
    """Admit a request."""
    check_switch(intake.control, COMPATIBILITY)
    identify(intake.control, request.headers)


def always(reply: Reply) -> Handler[Intake]:
    async def handle(intake: Intake, request: RawRequest) -> Reply:
        enter(intake, request)
        return reply

    return handle


async def refuse_query(intake: Intake, request: RawRequest) -> Reply:
    """Events can be queried only through our own API."""
    enter(intake, request)
    raise NotFound(f"{request.path} is not supported, expected a search by POST /api/search")


PROTOCOL = Protocol("push", refuse)
ROUTES = [
    Route("GET", "/loki/api/v1/labels", always(NOTHING), PROTOCOL),
    Route("GET", "/loki/api/v1/label", always(NOTHING), PROTOCOL),
    Route("GET", "/loki/api/v1/label/{name}/values", always(NOTHING), PROTOCOL),
    Route("GET", "/loki/api/v1/series", always(NOTHING), PROTOCOL),
    Route("GET POST", "/loki/api/v1/query", refuse_query, PROTOCOL),
    Route("GET POST", "/loki/api/v1/query_range", refuse_query, PROTOCOL),
    Route("GET", "/loki/api/v1/status/buildinfo", always(BUILD), PROTOCOL),
    Route("GET", "/loki/ready", always(READY), PROTOCOL),
]

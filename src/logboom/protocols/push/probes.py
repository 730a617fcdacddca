"""The form of answers to clients of the log-aggregator push, and whether the service is ready for them."""

from logboom.base.errors import LogboomError
from logboom.ingest.admission import identify
from logboom.ingest.visit import COMPATIBILITY, Intake, check_switch
from logboom.web.asgi import RawRequest
from logboom.web.errors import find_status, list_headers
from logboom.web.reply import Reply
from logboom.web.route import Protocol, Route

PLAIN = "text/plain; charset=utf-8"
READY = Reply(body=b"ready\n", content_type=PLAIN)


def refuse(error: LogboomError, _request: RawRequest) -> Reply:
    """Return one line of text, because some clients log only the first."""
    line = " ".join(error.message.split())
    return Reply(find_status(error), f"{line}\n".encode(), PLAIN, list_headers(error))


async def tell_ready(intake: Intake, request: RawRequest) -> Reply:
    check_switch(intake.control, COMPATIBILITY)
    identify(intake.control, request.headers)
    return READY


PROTOCOL = Protocol("push", refuse)
ROUTES = [Route("GET", "/loki/ready", tell_ready, PROTOCOL)]

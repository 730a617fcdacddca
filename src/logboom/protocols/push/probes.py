"""The form of answers to clients of the log-aggregator push, and whether the service is ready for them."""

from logboom.ingest.admission import identify
from logboom.ingest.visit import COMPATIBILITY, Intake, check_switch
from logboom.web.asgi import RawRequest
from logboom.web.errors import refuse_in_one_line
from logboom.web.reply import PLAIN_TEXT, Reply
from logboom.web.route import Protocol, Route

READY = Reply(body=b"ready\n", content_type=PLAIN_TEXT)


async def answer_ready(intake: Intake, request: RawRequest) -> Reply:
    check_switch(intake.control, COMPATIBILITY)
    identify(intake.control, request.headers)
    return READY


PROTOCOL = Protocol("push", refuse_in_one_line)
ROUTES = [Route("GET", "/loki/ready", answer_ready, PROTOCOL)]

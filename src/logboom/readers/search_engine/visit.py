"""A request for reading: admitted, with its body, and answered off the event loop."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from logboom.base.process.deadline import Deadline
from logboom.control.access.principal import Principal
from logboom.ingest.memory import Share
from logboom.readers.reader import Reader
from logboom.readers.search_engine.asking import Asker
from logboom.readers.search_engine.body import decode_body
from logboom.readers.search_engine.dsl.members import read_flag
from logboom.readers.search_engine.places import Place, check_place, choose_env, read_place
from logboom.web.asgi import RawRequest
from logboom.web.reply import Reply
from logboom.web.route import Handler
from logboom.web.search_engine.errors import PRODUCT
from logboom.web.search_engine.filter_path import parse_filter_path

MOST_BODY_BYTES = 4 * 1024 * 1024

Answer = dict[str, Any]
Work = Callable[["Visit"], Answer]


class Visit:
    """A request that was admitted, with its body."""

    def __init__(self, request: RawRequest, asker: Asker, body: bytes) -> None:
        self.request = request
        self.asker = asker
        self.data = body
        self.parameters: Mapping[str, str] = request.parameters
        self.env = choose_env(request, asker.principal)

    @property
    def is_typed(self) -> bool:
        """Whether the names of aggregations tell their types."""
        return read_flag(self.parameters.get("typed_keys", False), "typed_keys")

    def read_json(self) -> Answer:
        return decode_body(self.data)

    def find_place(self) -> Place:
        """Return the place that the address names."""
        written = self.request.path_values.get("index")
        place = read_place(written, self.env)
        check_place(self.asker, place, written, self.parameters)
        return place


def answer(work: Work) -> Handler[Reader]:
    """Return a handler that answers with JSON what `work` makes of a request."""
    return reply(lambda visit: render(work(visit), visit.request))


def reply(work: Callable[[Visit], Reply]) -> Handler[Reader]:
    """Return a handler that answers what `work` makes of a request."""

    async def handle(reader: Reader, request: RawRequest) -> Reply:
        return await run(reader, request, work)

    return handle


async def run(reader: Reader, request: RawRequest, work: Callable[[Visit], Reply]) -> Reply:
    """Do work for a request off the event loop."""
    with reader.memory.share() as share:
        body = await read_whole_body(reader, request, share)
        now_ns = reader.clock()

        def visit(principal: Principal, deadline: Deadline) -> Reply:
            return work(Visit(request, Asker(reader.search, principal, deadline, now_ns), body))

        return await reader.run(request, visit)


def render(content: Answer, request: RawRequest) -> Reply:
    wanted = parse_filter_path(request.parameters.get("filter_path", ""))
    return Reply(
        body=msgspec.json.encode(wanted.apply(content) if wanted else content), headers=PRODUCT
    )


async def read_whole_body(reader: Reader, request: RawRequest, share: Share) -> bytes:
    """Return the body, or its replacement in the address, of a request that may search: only such a body is held."""
    reader.admit(request)
    body = await reader.receive_body(request, MOST_BODY_BYTES, share)
    return body or request.parameters.get("source", "").encode()


def mention(visit: Visit) -> bytes:
    """Return all texts in a request that may name fields."""
    return visit.data + " ".join(visit.parameters.values()).encode()


def show_total(visit: Visit, found: Answer) -> Answer:
    """Return the answer, with its total as a mere number if the address asks for that."""
    if visit.parameters.get("rest_total_hits_as_int") == "true" and "total" in found["hits"]:
        found["hits"]["total"] = found["hits"]["total"]["value"]
    return found

"""The application that answers requests: the layers around the routes of the API."""

import asyncio
import gc
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from logboom.api.events.direct import DirectSearch
from logboom.api.probes import is_probe, probe
from logboom.api.services import Services
from logboom.base.structs import prepare_structs
from logboom.ingest.memory import MemoryBudget
from logboom.ingest.visit import Intake
from logboom.mcp.document import describe_endpoint
from logboom.mcp.endpoint import Endpoint
from logboom.mcp.limits import Allowance, Budget
from logboom.mcp.tool_runner import ToolRunner
from logboom.mcp.tools.asking import Toolbox
from logboom.protocols.document import describe_routes
from logboom.protocols.routes import TABLE as INGEST_TABLE
from logboom.readers.reader import Reader
from logboom.readers.routes import SOCKETS
from logboom.readers.routes import TABLE as READING_TABLE
from logboom.ui.docs import Docs, read_docs
from logboom.ui.files import read_files
from logboom.ui.pages import Pages
from logboom.web.asgi import send_answer
from logboom.web.direct import Answering, FindAnswer, WholeRequest
from logboom.web.dispatch import Dispatcher
from logboom.web.readiness import Readiness
from logboom.web.sockets import Sockets
from logboom.web.types import ASGIApp, Receive, Scope, Send

SHORT_TURN_S = 0.0002


class LateApi:
    """The routes of the API as an ASGI application.

    The framework takes a third of the time of a start, so it is loaded later, or with the first request that needs it.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._app: ASGIApp | None = None
        self._loading = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_probe(scope):
            reply = await probe(self._services, scope["path"])
            await send_answer(send, reply.status, reply.body, dict(reply.headers))
            return
        if self._app is None:
            await self.load()
        assert self._app is not None
        await self._app(scope, receive, send)

    async def load(self) -> None:
        async with self._loading:
            if self._app is None:
                with short_turns():
                    self._app = await self._services.offload.run(open_api, self._services)
                # What was loaded lives as long as the process: the collector can skip it.
                gc.freeze()


@contextmanager
def short_turns() -> Iterator[None]:
    """Let threads of Python take turns more often, so that nobody waits long for one that is busy throughout."""
    usual_s = sys.getswitchinterval()
    sys.setswitchinterval(SHORT_TURN_S)
    try:
        yield
    finally:
        sys.setswitchinterval(usual_s)


class Application(Readiness):
    """Everything that answers requests."""

    def __init__(
        self, app: ASGIApp, find_answer: FindAnswer, api: LateApi, sockets: Collection[str]
    ) -> None:
        super().__init__(app, find_answer)
        self._api = api
        self.sockets = sockets
        """The paths of WebSockets."""
        self._requests, self._requests_before = 0, -1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._requests += 1
        await super().__call__(scope, receive, send)

    def find_answer(self, request: WholeRequest) -> Answering | None:
        self._requests += 1
        return super().find_answer(request)

    async def load_if_quiet(self) -> None:
        """Load the framework, unless there were requests since the last call: loading would slow them down."""
        is_quiet = self._requests == self._requests_before
        self._requests_before = self._requests
        if is_quiet:
            await self._api.load()


def make_app(
    services: Services, intake: Intake, *, bodies_bytes: int, mcp_calls_per_minute: int
) -> Application:
    """Return the application for these services, with its layers; `bodies_bytes` bound the bodies of all readers."""
    budget = Budget(Allowance(mcp_calls_per_minute), services.clock)
    runner = ToolRunner(Toolbox(services.control, services.search), budget, services.clock)
    api = LateApi(services)
    docs = Docs(read_docs(), Endpoint(runner, services.search_offload, api))
    reader = Reader(
        *(services.control, services.search, services.search_offload, services.clock),
        MemoryBudget(bodies_bytes),
    )
    protocols = Dispatcher(INGEST_TABLE, intake, Pages(read_files(), docs))
    readers = Dispatcher(READING_TABLE, reader, protocols)
    search = DirectSearch(services)

    def find_answer(request: WholeRequest) -> Answering | None:
        return (
            readers.find_answer(request)
            or protocols.find_answer(request)
            or search.find_answer(request)
        )

    sockets = Sockets(SOCKETS, reader, readers)
    return Application(sockets, find_answer, api, [route.path for route in SOCKETS])


def open_api(services: Services) -> ASGIApp:
    from logboom.api.app import Api  # noqa: PLC0415 - loads the framework

    return Api(find_routes(), services)


@cache
def find_routes() -> Any:
    """Return the routes of the API; the framework takes a quarter of a second to register them."""
    from logboom.api.app import make_routes  # noqa: PLC0415 - loads the framework

    routes = make_routes(describe_routes() | describe_endpoint())
    prepare_structs()
    return routes

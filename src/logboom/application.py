"""The application that answers requests: the layers around the routes of the API."""

from functools import cache

from litestar import Litestar

from logboom.api.app import Api, make_routes
from logboom.api.direct import DirectSearch
from logboom.api.services import Services
from logboom.ingest.visit import Intake
from logboom.mcp.desk import Desk
from logboom.mcp.document import describe_door
from logboom.mcp.door import Door
from logboom.mcp.limits import Allowance, Budget
from logboom.mcp.tools.asking import Toolbox
from logboom.protocols.dispatch import Dispatcher
from logboom.protocols.document import describe_routes
from logboom.ui.docs import Docs, read_docs
from logboom.ui.files import read_files
from logboom.ui.pages import Pages
from logboom.web.prompt import Answering, WholeRequest
from logboom.web.readiness import Readiness


def make_app(services: Services, intake: Intake, mcp_calls_per_minute: int) -> Readiness:
    """The application for these services, with its layers."""
    budget = Budget(Allowance(mcp_calls_per_minute), services.clock)
    desk = Desk(Toolbox(services.control, services.search), budget, services.clock)
    docs = Docs(read_docs(), Door(desk, services.search_offload, Api(find_routes(), services)))
    protocols = Dispatcher(intake, Pages(read_files(), docs))
    search = DirectSearch(services)

    def find_answer(request: WholeRequest) -> Answering | None:
        return protocols.find_answer(request) or search.find_answer(request)

    return Readiness(protocols, find_answer)


@cache
def find_routes() -> Litestar:
    """The routes of the API; the framework takes a quarter of a second to register them."""
    return make_routes(describe_routes() | describe_door())

"""All routes for reading in one table."""

from logboom.readers.loki import endpoints as loki
from logboom.readers.reader import Reader
from logboom.readers.search_engine import routes as search_engine
from logboom.web.matching import RouteTable
from logboom.web.route import Route
from logboom.web.sockets import SocketRoute

ROUTES: list[Route[Reader]] = [
    *loki.ROUTES,
    *search_engine.ROUTES,
]
"""The first row that matches a request's path and method answers it."""
TABLE = RouteTable(ROUTES)
SOCKETS: list[SocketRoute[Reader]] = [*loki.SOCKETS]

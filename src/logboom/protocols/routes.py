"""All HTTP ingest routes in one table."""

from logboom.ingest.visit import Intake
from logboom.protocols import native, raw
from logboom.protocols.collector import endpoint as collector
from logboom.protocols.journal import endpoint as journal
from logboom.protocols.otlp import endpoint as otlp
from logboom.protocols.push import endpoint as push
from logboom.protocols.search_engine import endpoint as elastic
from logboom.web.matching import RouteTable
from logboom.web.route import Route

ROUTES: list[Route[Intake]] = [
    *native.ROUTES,
    *raw.ROUTES,
    *otlp.ROUTES,
    *push.ROUTES,
    *collector.ROUTES,
    *journal.ROUTES,
    *elastic.ROUTES,
]
"""The first row that matches a request's path and method answers it."""
TABLE = RouteTable(ROUTES)

"""All routes for reading in one table."""

from logboom.readers.reader import Reader
from logboom.web.matching import RouteTable
from logboom.web.route import Route

ROUTES: list[Route[Reader]] = []
"""The first row that matches a request's path and method answers it."""
TABLE = RouteTable(ROUTES)

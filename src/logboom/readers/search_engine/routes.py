"""All routes of the search engine's API for reading in one table."""

from logboom.readers.reader import Reader
from logboom.readers.search_engine import catalogue, endpoint, multi
from logboom.readers.search_engine.cat import cat_indexes
from logboom.readers.search_engine.visit import answer, reply
from logboom.web.route import Handler, Protocol, Route
from logboom.web.search_engine.errors import refuse

PREFIXES = ("", "/api/es")
PROTOCOL = Protocol("search engine", refuse)
ANYWHERE = ("", "/_all", "/{index}")
"""A request may name indexes in its path; without, it looks at all of them."""

SURFACE: list[tuple[str, str, Handler[Reader]]] = [
    *(
        (methods, f"{index}/{name}", handler)
        for methods, name, handler in (
            ("GET POST", "_search", answer(endpoint.search)),
            ("GET POST", "_count", answer(endpoint.count)),
            ("GET POST", "_msearch", answer(multi.search_all)),
            ("GET", "_mapping", answer(catalogue.map_fields)),
            ("GET", "_mappings", answer(catalogue.map_fields)),
            ("GET", "_mapping/field/{fields}", answer(catalogue.map_one_field)),
            ("GET POST", "_field_caps", answer(catalogue.describe_capabilities)),
        )
        for index in ANYWHERE
    ),
    ("GET", "/_cat/indices", reply(cat_indexes)),
    ("GET", "/_cat/indices/{index}", reply(cat_indexes)),
]
"""The first row that matches a request's method and path answers it."""
ROUTES = [
    Route(methods, prefix + path, handler, PROTOCOL)
    for prefix in PREFIXES
    for methods, path, handler in SURFACE
]

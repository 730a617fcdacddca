"""All routes of the search engine's API for reading in one table."""

from logboom.readers.reader import Reader
from logboom.readers.search_engine import catalogue, documents, endpoint, multi, scrolling
from logboom.readers.search_engine.cat import cat_aliases, cat_count, cat_indexes
from logboom.readers.search_engine.indexes import (
    describe_aliases,
    describe_settings,
    measure_indexes,
    tell_all,
    tell_existence,
)
from logboom.readers.search_engine.visit import answer, reply
from logboom.web.route import Handler, Protocol, Route
from logboom.web.search_engine.errors import refuse

PREFIXES = ("", "/api/es")
PROTOCOL = Protocol("search engine", refuse)
ANYWHERE = ("", "/_all", "/{index}")
"""A request may name indexes in its path; without, it looks at all of them."""

SURFACE: list[tuple[str, str, Handler[Reader]]] = [
    ("GET POST", "/_search/scroll", answer(scrolling.continue_scroll)),
    ("GET POST", "/_search/scroll/{id}", answer(scrolling.continue_scroll)),
    ("DELETE", "/_search/scroll", answer(scrolling.close_scrolls)),
    ("DELETE", "/_search/scroll/{id}", answer(scrolling.close_scrolls)),
    ("DELETE", "/_pit", answer(scrolling.close_point)),
    ("DELETE", "/_search/point_in_time", answer(scrolling.close_points_as_opensearch)),
    ("DELETE", "/_search/point_in_time/_all", answer(scrolling.close_points_as_opensearch)),
    *(
        (methods, f"{index}/{name}", handler)
        for methods, name, handler in (
            ("GET POST", "_search", answer(endpoint.search)),
            ("GET POST", "_count", answer(endpoint.count)),
            ("POST", "_pit", answer(scrolling.answer_open)),
            ("POST", "_search/point_in_time", answer(scrolling.answer_open_as_opensearch)),
            ("GET POST", "_msearch", answer(multi.search_all)),
            ("GET", "_mapping", answer(catalogue.map_fields)),
            ("GET", "_mappings", answer(catalogue.map_fields)),
            ("GET", "_mapping/field/{fields}", answer(catalogue.map_one_field)),
            ("GET POST", "_field_caps", answer(catalogue.describe_capabilities)),
            ("GET", "_settings", answer(describe_settings)),
            ("GET", "_settings/{name}", answer(describe_settings)),
            ("GET", "_stats", answer(measure_indexes)),
            ("GET", "_stats/{metrics}", answer(measure_indexes)),
            ("GET POST", "_mget", answer(documents.get_documents)),
        )
        for index in ANYWHERE
    ),
    ("HEAD", "/{index}", tell_existence),
    ("GET", "/{index}", tell_all),
    ("GET", "/{index}/_alias", answer(describe_aliases)),
    ("GET", "/{index}/_alias/{name}", answer(describe_aliases)),
    ("GET", "/{index}/_doc/{id}", reply(documents.get_document)),
    ("GET", "/{index}/_source/{id}", answer(documents.get_source)),
    ("GET", "/_cat/indices", reply(cat_indexes)),
    ("GET", "/_cat/indices/{index}", reply(cat_indexes)),
    ("GET POST", "/_cat/count", reply(cat_count)),
    ("GET POST", "/_cat/count/{index}", reply(cat_count)),
    ("GET", "/_cat/aliases", reply(cat_aliases)),
    ("GET", "/_cat/aliases/{name}", reply(cat_aliases)),
]
"""The first row that matches a request's method and path answers it."""
ROUTES = [
    Route(methods, prefix + path, handler, PROTOCOL)
    for prefix in PREFIXES
    for methods, path, handler in SURFACE
]

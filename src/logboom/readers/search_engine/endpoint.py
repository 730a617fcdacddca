"""Endpoints that search: `_search`, `_count`."""

from logboom.readers.search_engine.body import Wanted, add_parameters, make_query_string
from logboom.readers.search_engine.dsl import make_context, read_filter
from logboom.readers.search_engine.dsl.context import malformed
from logboom.readers.search_engine.scrolling import begin_scroll, search_point
from logboom.readers.search_engine.searching import Search, find_names, run_search
from logboom.readers.search_engine.visit import Answer, Visit, mention, show_total


def search(visit: Visit) -> Answer:
    """`_search`."""
    body = add_parameters(visit.read_json(), visit.parameters)
    if body.get("pit"):
        return search_point(visit, body)
    place = visit.find_place()
    if "scroll" in visit.parameters:
        return begin_scroll(visit, place, body)
    names = find_names(visit.asker, place, mention(visit), body.get("query"))
    return show_total(visit, run_search(visit.asker, place, body, names, is_typed=visit.is_typed))


def count(visit: Visit) -> Answer:
    """`_count`."""
    place = visit.find_place()
    body = visit.read_json()
    unknown = [name for name in body if name != "query"]
    if unknown:
        raise malformed(f"request does not support [{unknown[0][:80]}]")
    query = make_query_string(visit.parameters) if "q" in visit.parameters else body.get("query")
    names = find_names(visit.asker, place, mention(visit), query)
    search = Search(visit.asker, place, Wanted())
    found = search.count(read_filter(query, make_context(visit.asker.now_ns, names)))
    return {"count": found, "_shards": search.outcome.describe_shards()}

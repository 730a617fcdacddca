"""Endpoints that search: `_search`, `_count`."""

from logboom.readers.search_engine.body import Wanted, add_parameters, make_query_string
from logboom.readers.search_engine.dsl import make_context, read_filter
from logboom.readers.search_engine.dsl.context import malformed
from logboom.readers.search_engine.searching import Search, find_names, run_search
from logboom.readers.search_engine.visit import Answer, Visit


def search(visit: Visit) -> Answer:
    """`_search`."""
    place = visit.find_place()
    body = add_parameters(visit.read_json(), visit.parameters)
    names = find_names(visit.asker, place, mention(visit))
    return show_total(visit, run_search(visit.asker, place, body, names, is_typed=visit.is_typed))


def mention(visit: Visit) -> bytes:
    """Everything in a request that may name fields."""
    return visit.data + " ".join(visit.parameters.values()).encode()


def show_total(visit: Visit, found: Answer) -> Answer:
    """The answer with its total as a mere number if the address asks for that."""
    if visit.parameters.get("rest_total_hits_as_int") == "true" and "total" in found["hits"]:
        found["hits"]["total"] = found["hits"]["total"]["value"]
    return found


def count(visit: Visit) -> Answer:
    """`_count`."""
    place = visit.find_place()
    body = visit.read_json()
    unknown = [name for name in body if name != "query"]
    if unknown:
        raise malformed(f"request does not support [{unknown[0][:80]}]")
    query = make_query_string(visit.parameters) if "q" in visit.parameters else body.get("query")
    names = find_names(visit.asker, place, mention(visit))
    search = Search(visit.asker, place, Wanted())
    found = search.count(read_filter(query, make_context(visit.asker.now_ns, names)))
    return {"count": found, "_shards": search.outcome.describe_shards()}

"""Endpoints about indexes: whether one exists, all about one, settings, aliases and sizes."""

from typing import Any

from logboom.base.errors import NotFound
from logboom.control.access.scopes import Scope
from logboom.ingest.admission import find_credential, identify
from logboom.ingest.visit import COMPATIBILITY, check_switch
from logboom.lang.times import parse_moment
from logboom.readers.reader import Reader
from logboom.readers.search_engine.catalogue import map_indexes
from logboom.readers.search_engine.places import list_indexes
from logboom.readers.search_engine.visit import Answer, Visit, render, run
from logboom.search.answers import IndexSummary
from logboom.web.asgi import RawRequest
from logboom.web.reply import Reply
from logboom.web.search_engine.errors import PRODUCT

EXISTS = Reply(body=b"{}", headers=PRODUCT)
NS_PER_MS = 1_000_000


async def tell_existence(reader: Reader, request: RawRequest) -> Reply:
    """`HEAD /{index}`. Those who only send events are told that any index exists.

    They need no index to be created, and must not learn which there are.
    """
    check_switch(reader.control, COMPATIBILITY)
    principal = identify(reader.control, request.headers, may_search=True)
    return await run(reader, request, look) if principal.may(Scope.SEARCH) else EXISTS


def look(visit: Visit) -> Reply:
    """Answer whether there is such an index; raise NotFound if not, but patterns may match none."""
    visit.find_place()
    return EXISTS


async def tell_all(reader: Reader, request: RawRequest) -> Reply:
    """`GET /{index}`. Other paths of one word look the same, so without credentials the answer is 404."""
    if find_credential(request.headers) is None:
        raise NotFound(f"no such index [{request.path_values['index']}]")
    return await run(reader, request, answer_all)


def answer_all(visit: Visit) -> Reply:
    return render(describe_indexes(visit), visit.request)


def describe_indexes(visit: Visit) -> Answer:
    """Return aliases, fields and settings of each index."""
    place = visit.find_place()
    indexes = list_indexes(visit.asker, place)
    mappings = map_indexes(visit, place)
    return {
        each.index: {"aliases": {}, **mappings[each.index], **list_settings(each)}
        for each in indexes
    }


def describe_settings(visit: Visit) -> Answer:
    """`_settings`."""
    indexes = list_indexes(visit.asker, visit.find_place())
    return {each.index: list_settings(each) for each in indexes}


def describe_aliases(visit: Visit) -> Answer:
    """`_alias`: there are none, so only patterns of names match every index."""
    name = visit.request.path_values.get("name", "*")
    indexes = list_indexes(visit.asker, visit.find_place())
    if "*" not in name and name != "_all":
        raise NotFound(f"alias [{name[:200]}] missing", type="aliases_not_found_exception")
    return {each.index: {"aliases": {}} for each in indexes}


def measure_indexes(visit: Visit) -> Answer:
    """`_stats`: events and bytes."""
    indexes = list_indexes(visit.asker, visit.find_place())
    events = sum(each.events for each in indexes)
    size_bytes = sum(each.bytes for each in indexes)
    return {
        "_shards": {"total": len(indexes), "successful": len(indexes), "failed": 0},
        "_all": list_sizes(events, size_bytes),
        "indices": {
            each.index: {"uuid": each.index, **list_sizes(each.events, each.bytes)}
            for each in indexes
        },
    }


def list_sizes(events: int, size_bytes: int) -> dict[str, Any]:
    sizes = {
        "docs": {"count": events, "deleted": 0},
        "store": {"size_in_bytes": size_bytes, "total_data_set_size_in_bytes": size_bytes},
    }
    return {"primaries": sizes, "total": sizes}


def list_settings(index: IndexSummary) -> dict[str, Any]:
    own = {
        "number_of_shards": "1",
        "number_of_replicas": "0",
        "provided_name": index.index,
        "uuid": index.index,
        "creation_date": str(parse_moment(index.first, 0) // NS_PER_MS),
    }
    return {"settings": {"index": own}}

"""Endpoints about indexes: whether one exists, settings and aliases."""

from typing import Any

from logboom.control.access.scopes import Scope
from logboom.ingest.admission import identify
from logboom.ingest.visit import COMPATIBILITY, check_switch
from logboom.lang.times import parse_moment
from logboom.readers.reader import Reader
from logboom.readers.search_engine.places import list_indexes
from logboom.readers.search_engine.visit import Answer, Visit, run
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


def describe_settings(visit: Visit) -> Answer:
    """`_settings`."""
    indexes = list_indexes(visit.asker, visit.find_place())
    return {each.index: list_settings(each) for each in indexes}


def describe_aliases(visit: Visit) -> Answer:
    """`_alias`: there are none."""
    indexes = list_indexes(visit.asker, visit.find_place())
    return {each.index: {"aliases": {}} for each in indexes}


def list_settings(index: IndexSummary) -> dict[str, Any]:
    own = {
        "number_of_shards": "1",
        "number_of_replicas": "0",
        "provided_name": index.index,
        "uuid": index.index,
        "creation_date": str(parse_moment(index.first, 0) // NS_PER_MS),
    }
    return {"settings": {"index": own}}

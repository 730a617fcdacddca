"""Endpoints for single events by their ids: `_doc`, `_source`, `_mget`."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from logboom.base.errors import Invalid, NotFound
from logboom.lang import ast
from logboom.readers.search_engine.body import add_parameters
from logboom.readers.search_engine.dsl.context import join_all, unsupported
from logboom.readers.search_engine.dsl.members import Members, read_list, read_object, show
from logboom.readers.search_engine.dsl.terms import ID
from logboom.readers.search_engine.dsl.times import between
from logboom.readers.search_engine.hits.making import make_hit
from logboom.readers.search_engine.hits.page import Page
from logboom.readers.search_engine.hits.sources import read_source
from logboom.readers.search_engine.places import Place, check_place, read_place
from logboom.readers.search_engine.visit import Answer, Visit
from logboom.search.answers import parse_id
from logboom.web.reply import Reply
from logboom.web.search_engine.errors import PRODUCT

MOST_DOCUMENTS = 1000
VERSION = {"_version": 1, "_seq_no": 0, "_primary_term": 1}


def get_document(visit: Visit) -> Reply:
    """`_doc/{id}`: 404 if there is none, with an answer of its own."""
    found = find_document(
        visit, visit.find_place(), visit.request.path_values["id"], choose_source(visit, {})
    )
    status = 200 if found["found"] else 404
    return Reply(status, msgspec.json.encode(found), headers=PRODUCT)


def get_source(visit: Visit) -> Answer:
    """`_source/{id}`: the event as it was sent."""
    identity = visit.request.path_values["id"]
    found = find_document(visit, visit.find_place(), identity, choose_source(visit, {}))
    if not found["found"]:
        raise NotFound(f"Document not found [{identity[:80]}]", type="resource_not_found_exception")
    source: Answer = found["_source"]
    return source


def get_documents(visit: Visit) -> Answer:
    """`_mget`: `ids`, or `docs` with an index each."""
    body = visit.read_json()
    written = read_list(body.get("docs", body.get("ids", [])))
    if not 0 < len(written) <= MOST_DOCUMENTS:
        raise Invalid(
            f"{len(written)} documents requested, expected 1 to {MOST_DOCUMENTS}",
            type="action_request_validation_exception",
        )
    return {"docs": [get_one(visit, each) for each in written]}


def get_one(visit: Visit, written: object) -> Answer:
    options = read_object(written, "docs") if isinstance(written, dict) else {"_id": written}
    identity = options.get("_id")
    if not isinstance(identity, str):
        raise unsupported(f"[_id] is {show(identity)}, expected a text")
    index = options.get("_index", visit.request.path_values.get("index"))
    place = read_place(index, visit.env)
    check_place(visit.asker, place, index, {})
    return find_document(visit, place, identity, choose_source(visit, options))


def choose_source(visit: Visit, options: Members) -> Page:
    """Return which members are shown, as the address or a document of the body says."""
    wanted = add_parameters(options, visit.parameters).get("_source")
    return replace(Page(), source=read_source(wanted))


def find_document(visit: Visit, place: Place, identity: str, page: Page) -> Answer:
    """Return an event by its id; only events of its time are looked at."""
    event = parse_id(identity)
    rows: Iterable[dict[str, Any]] = ()
    if event is not None:
        same = ast.OneOf(ID, (ast.Pattern.literal(identity),))
        query = ast.Query(join_all([between(event.time_ns, event.time_ns + 1), same]))
        rows = visit.asker.ask(place.make_question(query, limit=1, raw=True)).rows
    for row in rows:
        hit = make_hit(row, page, None)
        return {
            "_index": hit.pop("_index"),
            "_id": hit.pop("_id"),
            **VERSION,
            "found": True,
            **drop_score(hit),
        }
    return {"_index": ",".join(place.included), "_id": identity, "found": False}


def drop_score(hit: Answer) -> Answer:
    return {name: value for name, value in hit.items() if name != "_score"}

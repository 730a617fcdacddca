"""`_msearch`: several searches in one request, each with an answer or an error of its own."""

from collections.abc import Iterator
from typing import Any

from logboom.base.errors import LogboomError
from logboom.readers.search_engine.body import decode_body
from logboom.readers.search_engine.dsl.context import malformed, unsupported
from logboom.readers.search_engine.dsl.members import Members
from logboom.readers.search_engine.places import check_place, read_place
from logboom.readers.search_engine.scrolling import search_point
from logboom.readers.search_engine.searching import find_names, run_search
from logboom.readers.search_engine.visit import Answer, Visit, show_total
from logboom.web.search_engine.errors import describe_fault, find_fault

MOST_SEARCHES = 250
INDEX = "index"


def search_all(visit: Visit) -> Answer:
    """Return the answers in the order of the searches."""
    responses = [search_one(visit, header, body) for header, body in list_searches(visit.data)]
    return {"took": sum(each.get("took", 0) for each in responses), "responses": responses}


def list_searches(data: bytes) -> list[tuple[bytes, bytes]]:
    """Return the lines of a body in pairs; an empty first line of a pair is an empty header."""
    lines = data.removesuffix(b"\n").split(b"\n") if data.strip() else []
    if not lines:
        raise malformed("request body is required")
    if len(lines) % 2:
        raise malformed(
            "the body ends after the header of a search, expected its body on the next line"
        )
    if len(lines) // 2 > MOST_SEARCHES:
        raise unsupported(f"{len(lines) // 2} searches, expected at most {MOST_SEARCHES}")
    return list(pair_lines(lines))


def pair_lines(lines: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    yield from zip(lines[0::2], lines[1::2], strict=True)


def search_one(visit: Visit, header: bytes, body: bytes) -> dict[str, Any]:
    try:
        found = answer_one(visit, decode_body(header), decode_body(body), header + body)
    except LogboomError as error:
        if visit.asker.deadline.is_set():
            raise
        return describe_fault(find_fault(error))
    return {**found, "status": 200}


def answer_one(visit: Visit, header: Members, body: Members, mentioned: bytes) -> Answer:
    """Answer one search, in the place that its header names, or else the address."""
    if body.get("pit"):
        return search_point(visit, body)
    options = {**visit.parameters, **header}
    written = options.get(INDEX, options.get("indices", visit.request.path_values.get(INDEX)))
    place = read_place(written, visit.env)
    check_place(visit.asker, place, written, options)
    names = find_names(visit.asker, place, mentioned, body.get("query"))
    return show_total(visit, run_search(visit.asker, place, body, names, is_typed=visit.is_typed))

"""Scrolls and points in time: pages of the events as they were when the first page was asked for."""

from typing import Any, TypeVar

from msgspec.structs import replace

from logboom.base.errors import Invalid, NotFound, TooLarge
from logboom.base.patterns import compile_later
from logboom.base.structs import InternalStruct, MutableStruct
from logboom.lang import ast
from logboom.readers.search_engine.asking import Asker
from logboom.readers.search_engine.body import Wanted, read_body, with_place
from logboom.readers.search_engine.dsl import make_context
from logboom.readers.search_engine.dsl.context import unsupported
from logboom.readers.search_engine.dsl.members import Members, read_list, read_object, show
from logboom.readers.search_engine.hits.moments import NS_PER_MS
from logboom.readers.search_engine.hits.sorting import read_after
from logboom.readers.search_engine.places import Place
from logboom.readers.search_engine.searching import Search, find_names, run_search
from logboom.readers.search_engine.visit import Answer, Visit, mention, show_total
from logboom.search.views import LONGEST_KEEP_NS, OpenView

T = TypeVar("T")

ONE_SHARD = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
KEEP = compile_later(r"(?P<number>\d{1,9})(?P<unit>ms|s|m|h|d)")
DEFAULT_KEEP = "1m"
MOST_SCROLL_BYTES = 256 * 1024
"""What a scroll asks for is kept between its pages."""
MISSING = "search_context_missing_exception"
ALL = ["_all"]


class Scroll(MutableStruct):
    """How far a scroll was read: what the next page has, and how many events match in all."""

    place: Place
    wanted: Wanted
    total: Any = None
    is_done: bool = False


class PointInTime(InternalStruct, frozen=True):
    """Where a point in time looks."""

    place: Place


def read_keep(written: object) -> int:
    """Return how long to keep something, in nanoseconds."""
    match = KEEP.fullmatch(written) if isinstance(written, str) else None
    if match is None or not int(match["number"]):
        raise unsupported(
            f"keep alive of {show(written)}, expected a number and a unit, such as 1m"
        )
    keep_ns = int(ast.Quantity(int(match["number"]), match["unit"]).scaled)
    if keep_ns > LONGEST_KEEP_NS:
        raise unsupported(
            f"Keep alive for request ({written}) is too large. It must be less than or equal to (1h)"
        )
    return keep_ns


def begin_scroll(visit: Visit, place: Place, body: Members) -> Answer:
    """Return the first page of a scroll, and the id for the next one."""
    keep_ns = read_keep(visit.parameters["scroll"])
    if len(visit.data) > MOST_SCROLL_BYTES:
        raise TooLarge(f"a scroll of {len(visit.data)} bytes, expected at most {MOST_SCROLL_BYTES}")
    if body.get("pit") or body.get("search_after"):
        raise unsupported("a scroll has neither pit nor search_after")
    if body.get("from") not in (None, 0, "0"):
        raise unsupported("using [from] is not allowed in a scroll context")
    names = find_names(visit.asker, place, mention(visit), body.get("query"))
    wanted = read_body(body, make_context(visit.asker.now_ns, names))
    if not wanted.page.size:
        raise unsupported("[size] cannot be [0] in a scroll context")
    asker = replace(visit.asker, view=visit.asker.search.take_view())
    assert asker.view is not None, "it was just taken"
    found = Search(asker, place, wanted).run(is_typed=visit.is_typed)
    scroll = Scroll(
        place, replace(wanted, counts=False, aggregations={}), found["hits"].get("total")
    )
    advance(scroll, found, asker.now_ns)
    views = asker.search.views
    identity = views.open(asker.owner, asker.view, scroll, asker.now_ns, keep_ns)
    return {"_scroll_id": identity, **show_total(visit, found)}


def advance(scroll: Scroll, found: Answer, now_ns: int) -> None:
    """Continue after the last hit of a page."""
    hits = found["hits"]["hits"]
    # A page may be short because its events are large.
    is_whole = not found["timed_out"] and not found["_shards"]["failed"]
    scroll.is_done = not hits or (len(hits) < scroll.wanted.page.size and is_whole)
    if hits:
        order = with_place(scroll.wanted.page.order)
        last = hits[-1]
        values = [*last["sort"], last["_id"]] if "sort" in last else [last["_id"]]
        after = read_after(order, values[: len(order.keys)], now_ns)
        scroll.wanted = replace(scroll.wanted, after=after)


def continue_scroll(visit: Visit) -> Answer:
    """Return the next page; after the last one there are no hits."""
    body = visit.read_json()
    written = visit.request.path_values.get("id") or visit.parameters.get("scroll_id")
    identity = written or body.get("scroll_id")
    if not isinstance(identity, str) or not identity:
        raise Invalid("scrollId is missing", type="action_request_validation_exception")
    keep = visit.parameters.get("scroll", body.get("scroll"))
    keep_ns = read_keep(keep) if keep else None
    asker = visit.asker
    held, scroll = find_open(asker, identity, Scroll)
    with held.alone():
        if keep_ns is not None:
            held.renew(asker.now_ns, keep_ns)
        found = read_next(replace(asker, view=held.view), scroll)
    if scroll.total is not None:
        found["hits"] = {"total": scroll.total, **found["hits"]}
    return {"_scroll_id": identity, **show_total(visit, found)}


def read_next(asker: Asker, scroll: Scroll) -> Answer:
    """Return the next page of a scroll, without a search if there is none."""
    wanted = scroll.wanted
    if scroll.is_done:
        wanted = replace(wanted, page=replace(wanted.page, size=0))
    found = Search(asker, scroll.place, wanted).run(is_typed=False)
    if not scroll.is_done:
        advance(scroll, found, asker.now_ns)
    return found


def find_open(asker: Asker, identity: str, kind: type[T]) -> tuple[OpenView, T]:
    """Return an open view of a kind, and its state."""
    try:
        held = asker.search.views.find(identity, asker.owner, asker.now_ns)
    except NotFound as error:
        raise NotFound(error.message, type=MISSING) from error
    if not isinstance(held.state, kind):
        raise NotFound(f"No search context found for id [{identity[:80]}]", type=MISSING)
    return held, held.state


def close_scrolls(visit: Visit) -> Answer:
    """Close scrolls by their ids, or all of them."""
    written = visit.request.path_values.get("id") or visit.parameters.get("scroll_id")
    listed = written.split(",") if written else read_list(visit.read_json().get("scroll_id", []))
    return report_closed(close(visit, listed, Scroll))


def close(visit: Visit, written: list[Any], kind: type[object]) -> list[str]:
    """Close views of a kind, and return their ids."""
    if not written or not all(isinstance(each, str) for each in written):
        raise Invalid("no ids given, expected some", type="action_request_validation_exception")
    asker = visit.asker
    wanted = None if written == ALL else written
    return asker.search.views.close(asker.owner, wanted, lambda state: isinstance(state, kind))


def report_closed(closed: list[str]) -> Answer:
    return {"succeeded": True, "num_freed": len(closed)}


def open_point(visit: Visit) -> str:
    """Open a point in time, and return its id."""
    place = visit.find_place()
    keep_ns = read_keep(visit.parameters.get("keep_alive", DEFAULT_KEEP))
    asker = visit.asker
    state = PointInTime(place)
    return asker.search.views.open(
        asker.owner, asker.search.take_view(), state, asker.now_ns, keep_ns
    )


def answer_open(visit: Visit) -> Answer:
    return {"id": open_point(visit), "_shards": ONE_SHARD}


def answer_open_as_opensearch(visit: Visit) -> Answer:
    identity = open_point(visit)
    return {
        "pit_id": identity,
        "_shards": ONE_SHARD,
        "creation_time": visit.asker.now_ns // NS_PER_MS,
    }


def close_point(visit: Visit) -> Answer:
    return report_closed(close(visit, read_list(visit.read_json().get("id", [])), PointInTime))


def close_points_as_opensearch(visit: Visit) -> Answer:
    is_all = visit.request.path.rstrip("/").endswith("_all")
    written = ALL if is_all else read_list(visit.read_json().get("pit_id", []))
    closed = close(visit, written, PointInTime)
    return {"pits": [{"successful": True, "pit_id": each} for each in closed]}


def search_point(visit: Visit, body: Members) -> Answer:
    """Search the events of a point in time."""
    if "index" in visit.request.path_values:
        raise unsupported("[index] cannot be used with point in time")
    options = read_object(body["pit"], "pit")
    identity = options.get("id")
    if not isinstance(identity, str):
        raise unsupported(f"[pit] id is {show(identity)}, expected a text")
    held, point = find_open(visit.asker, identity, PointInTime)
    if options.get("keep_alive"):
        held.renew(visit.asker.now_ns, read_keep(options["keep_alive"]))
    names = find_names(visit.asker, point.place, mention(visit), body.get("query"))
    asker = replace(visit.asker, view=held.view)
    found = run_search(asker, point.place, body, names, is_typed=visit.is_typed)
    return {"pit_id": identity, **show_total(visit, found)}

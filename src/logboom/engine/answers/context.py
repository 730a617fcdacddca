"""The context of an event: the events just before and after it, in the same environment and index."""

import msgspec
from msgspec.structs import replace

from logboom.base.errors import NotFound
from logboom.engine.answers.events import read_events
from logboom.engine.answers.fit import READING, Taken
from logboom.engine.answers.rowwise import check_complete
from logboom.engine.blocks.losses import Warning_
from logboom.engine.execution.find import Finder
from logboom.engine.pipes.choose.page import Page
from logboom.engine.rows.table import NEWEST_FIRST, NODE, SEQ, Table, concat_tables
from logboom.engine.terms.needs import need
from logboom.engine.terms.request import EventId, EventKey, parse_id
from logboom.lang import ast


class Surroundings(msgspec.Struct, frozen=True, omit_defaults=True):
    """Events in order of time; the requested one is at index `anchor`.

    They are not `complete` if some are in damaged blocks, which `warnings` name.
    """

    rows: list[dict[str, object]]
    anchor: int
    complete: bool = True
    warnings: list[Warning_] = []


def find_surroundings(finder: Finder, event_id: str, wanted: ast.Context) -> Surroundings:
    """Return an event and those around it; raise NotFound if the request's scope has no such event."""
    anchor = find_event(finder, parse_id(event_id), wanted.same)
    if anchor is None:
        raise not_found(finder, event_id)
    around = finder.around(anchor, wanted)
    check_complete(finder)
    shared = [name for name in anchor.frame.columns if name in around.frame.columns]
    both = concat_tables([anchor, around.with_frame(around.frame.select(shared))])
    in_order = both.with_frame(both.frame.sort(NEWEST_FIRST))
    taken = Taken(finder.budget.memory, READING)
    rows = read_events(
        in_order, finder.open_block, finder.note_loss, raw=finder.request.raw, take=taken.take
    )
    ids = [row["_id"] for row in rows]
    if event_id not in ids:
        raise not_found(finder, event_id)
    return Surroundings(
        rows, ids.index(event_id), finder.is_complete, finder.losses.list_warnings()
    )


def not_found(finder: Finder, event_id: str) -> NotFound:
    message = f"no event {event_id[:80]!r}, expected the _id of one that can be searched"
    if not finder.losses:
        return NotFound(message)
    warnings = finder.losses.list_warnings()
    return NotFound(f"{message}; it may be in a damaged block", warnings=warnings)


def find_event(finder: Finder, key: EventId | None, same: tuple[str, ...]) -> Table | None:
    """Return the event with the fields in `same`: the first of the page that starts there."""
    if key is None:
        return None
    request = replace(
        finder.request,
        query=ast.Query(ast.Everything()),
        from_ns=key.time_ns,
        to_ns=key.time_ns + 1,
    )
    page = Page(1, EventKey(key.time_ns, key.node, key.seq + 1))
    found = finder.find(request, page, need(*same))
    is_it = found.frame.select(NODE, SEQ).rows() == [(key.node, key.seq)]
    return found if is_it else None

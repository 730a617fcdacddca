"""Totals of the live blocks of a catalog."""

from typing import NamedTuple

from logboom.store.catalog.snapshot import Snapshot


class Totals(NamedTuple):
    """The times are those of the first and last event; `days` is the number of days with events."""

    blocks: int
    events: int
    size_bytes: int
    first_ns: int | None
    last_ns: int | None
    days: int


def add_up(snapshot: Snapshot) -> Totals:
    oldest = [days[min(days)] for days in snapshot.days.values()]
    newest = [days[max(days)] for days in snapshot.days.values()]
    return Totals(
        blocks=snapshot.count_blocks(),
        events=snapshot.count_rows(),
        size_bytes=snapshot.measure(),
        first_ns=min((block.first_ns for day in oldest for block in day.blocks), default=None),
        last_ns=max((day.blocks[0].last_ns for day in newest), default=None),
        days=len({number for days in snapshot.days.values() for number in days}),
    )

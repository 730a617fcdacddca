"""What the live blocks of a catalog come to, all together."""

from typing import NamedTuple

from logboom.store.catalog.catalog import Snapshot


class Totals(NamedTuple):
    """The times are of the first and the last event; `days` is on how many there are any."""

    blocks: int
    events: int
    size_bytes: int
    first_ns: int | None
    last_ns: int | None
    days: int


def add_up(snapshot: Snapshot) -> Totals:
    blocks = snapshot.blocks.values()
    return Totals(
        blocks=len(blocks),
        events=sum(block.rows for block in blocks),
        size_bytes=sum(block.size_bytes for block in blocks),
        first_ns=min((block.first_ns for block in blocks), default=None),
        last_ns=max((block.last_ns for block in blocks), default=None),
        days=len({block.day for block in blocks}),
    )

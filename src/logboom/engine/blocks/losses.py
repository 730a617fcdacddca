"""The damaged blocks that a query needed. Its answer has everything else, and names them."""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import field

from logboom.base.errors import Corrupt
from logboom.base.structs import MutableStruct
from logboom.base.wording import count_events
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.reader import BlockReader
from logboom.engine.blocks.scope import SearchScope
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.snapshot import Snapshot

DAMAGED = "damaged_block"
MAX_NAMED = 20
"""The number of damaged blocks that an answer names; the others are only counted."""

Warning_ = dict[str, object]


class Loss(NamedTuple):
    """A damaged block, and how many of its events may be missing; None if the user must not know that."""

    block: str | None
    events: int | None
    reason: str

    def describe(self) -> Warning_:
        if self.events is None:
            message = "a damaged block may hold events that are missing here"
        else:
            are = f"{count_events(self.events)} of {self.block} cannot be read"
            message = f"{are}, the block is damaged: {self.reason}"
        return {
            "code": DAMAGED,
            "block": self.block,
            "events": self.events,
            "message": message,
        }


class Losses(MutableStruct):
    """The damaged blocks of one query. Not thread-safe."""

    _found: dict[str, Loss] = field(default_factory=dict)
    _paths: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self._found)

    def note(
        self, info: BlockInfo, error: Corrupt, scope: SearchScope, reader: BlockReader
    ) -> None:
        """Note a block in scope that could not be read."""
        self._paths.add(info.path)
        reader.report(info, error.reason)
        loss = measure_loss(info, error.reason, scope, reader)
        if loss:
            # One warning is enough for all that the user must not know.
            self._found[loss.block or ""] = loss

    def include(self, others: "Losses") -> None:
        """Add the losses of a query that was run for this one."""
        self._found.update(others._found)
        self._paths.update(others._paths)

    def are_outdated(self, snapshot: Snapshot) -> bool:
        """Return whether a block is not damaged but gone, because it was merged or removed."""
        return not all(map(snapshot.is_live, self._paths))

    def list_warnings(self) -> list[Warning_]:
        return list(self._describe())

    def _describe(self) -> Iterator[Warning_]:
        found = [self._found[block] for block in sorted(self._found)]
        yield from (loss.describe() for loss in found[:MAX_NAMED])
        others = found[MAX_NAMED:]
        if others:
            events = sum(loss.events or 0 for loss in others)
            message = f"{count_events(events)} of {len(others)} more damaged blocks cannot be read"
            yield {"code": DAMAGED, "block": None, "events": events, "message": message}


def measure_loss(
    info: BlockInfo, reason: str, scope: SearchScope, reader: BlockReader
) -> Loss | None:
    """Return the part of a damaged block that is in scope, according to its index, or None if nothing is."""
    try:
        block = reader.open(info)
    except Corrupt:
        # Without the index it is unknown which indexes its events belong to.
        if scope.allowed.is_unlimited:
            return Loss(info.path, info.rows, reason)
        return Loss(None, None, reason)
    events = count_reached(block, scope)
    return Loss(info.path, events, reason) if events else None


def count_reached(block: Block, scope: SearchScope) -> int:
    """Return the number of events of a block in the indexes of a scope, if any are around its time."""
    return sum(part.events for part in scope.list_reached(block))

"""What a query needed of damaged blocks: its answer says so, and has everything else."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from logboom.base.errors import Corrupt
from logboom.engine.blocks.block import Block, BlockReader
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.terms.wording import count_events
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.snapshot import Snapshot

DAMAGED = "damaged_block"
MAX_NAMED = 20
"""Damaged blocks that an answer names; the others are counted."""

Warning_ = dict[str, object]


class Loss(NamedTuple):
    """A damaged block, and how many of its events may be missing; unknown to whoever must not know them."""

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


@dataclass
class Losses:
    """The damaged blocks that one query met; not for more than one thread at a time."""

    _found: dict[str, Loss] = field(default_factory=dict)
    _paths: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self._found)

    def note(
        self, info: BlockInfo, error: Corrupt, scope: SearchScope, reader: BlockReader
    ) -> None:
        """A block in scope could not be read."""
        self._paths.add(info.path)
        reader.report(info, error.reason)
        loss = measure_loss(info, error.reason, scope, reader)
        if loss:
            # Of those that must not be known one warning says it all.
            self._found[loss.block or ""] = loss

    def include(self, others: "Losses") -> None:
        """Count what another query met that was run for this one."""
        self._found.update(others._found)
        self._paths.update(others._paths)

    def are_outdated(self, snapshot: Snapshot) -> bool:
        """Whether a block is not damaged, but gone because its events are elsewhere or no more."""
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
    """What of a damaged block is in scope, by its index; None when nothing is."""
    try:
        block = reader.open(info)
    except Corrupt:
        # Without its index nobody knows whose events it held.
        if scope.allowed.is_unlimited:
            return Loss(info.path, info.rows, reason)
        return Loss(None, None, reason)
    events = count_reached(block, scope)
    return Loss(info.path, events, reason) if events else None


def count_reached(block: Block, scope: SearchScope) -> int:
    """The events of a block in the indexes of a scope, if any of them are around its time."""
    return sum(part.events for part in scope.list_reached(block))

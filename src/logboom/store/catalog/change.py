"""A change to commit, and the actions that express it."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import field

from logboom.base.clock import NS_PER_DAY
from logboom.base.errors import Conflict
from logboom.base.ids import read_ulid_time
from logboom.base.structs import InternalStruct
from logboom.store.block.info import BlockInfo, read_name
from logboom.store.catalog.actions import Action, Remove, Transaction, describe_block
from logboom.store.catalog.marks import PREFIX, Marks, MarkTable
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.catalog.steps import undo_foreign

MAX_WAIT_NS = NS_PER_DAY
"""How long the files of new blocks may wait for their commit. The sweep deletes unreferenced files after a week."""


class Change(InternalStruct, frozen=True):
    """Takes effect entirely or not at all.

    `transaction` is a node and the position of its write-ahead log that the added blocks cover. `removes` and
    `updates` must all be live, and every node in `expected_claims` must be held by that claim, or the change is
    refused. An update changes what is known about a block, such as the checksum of its new index. Without
    `is_new_data` the added blocks contain exactly the events of the removed ones.
    """

    adds: tuple[BlockInfo, ...] = ()
    removes: tuple[str, ...] = ()
    updates: tuple[BlockInfo, ...] = ()
    transaction: tuple[str, int] | None = None
    marks: Marks = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    expected_claims: Mapping[str, int | None] = field(default_factory=dict)
    is_new_data: bool = True
    operation: str = "WRITE"

    def is_done(self, snapshot: Snapshot) -> bool:
        """Return whether an earlier attempt, which seemed to fail, was committed after all."""
        if self.transaction:
            node, position = self.transaction
            return snapshot.transactions.get(node, 0) >= position
        # One of the blocks is enough to tell: others may have been removed and forgotten since.
        return any(
            snapshot.is_live(block.path) or block.path in snapshot.tombstones for block in self.adds
        )

    def check_claims(self, snapshot: Snapshot) -> None:
        """Raise Conflict if a node is held by another process than expected."""
        for node, expected in self.expected_claims.items():
            if snapshot.claims.get(node) != expected:
                raise Conflict(f"another process has taken over as node {node}")

    def check_age(self, now_ns: int) -> None:
        """Raise Conflict if the new blocks waited so long that their files may be gone."""
        if are_stale(self.adds, now_ns):
            raise Conflict("the new blocks were written too long ago to be committed")

    def check_removes(self, snapshot: Snapshot) -> None:
        """Raise Conflict if a block that is to be removed or updated is not live."""
        expected = [*self.removes, *(block.path for block in self.updates)]
        gone = [path for path in expected if not snapshot.is_live(path)]
        if gone:
            raise Conflict(f"{len(gone)} of {len(expected)} blocks are no longer live")

    def list_actions(self, snapshot: Snapshot, marks: MarkTable, now_ms: int) -> Iterator[Action]:
        """Yield the contents of the commit after `snapshot`; marks of an earlier turn of their owner are left out."""
        numbers = dict(self.numbers)
        if self.transaction:
            numbers |= dict([self.transaction])
        numbers |= {PREFIX + name: value for name, value in marks.drop_late(self.marks).items()}
        for name, number in numbers.items():
            yield Action(txn=Transaction(name, number, lastUpdated=now_ms))
        yield from undo_foreign(snapshot, now_ms, self.removes)
        for path in self.removes:
            yield Action(remove=Remove(path, self.is_new_data, now_ms))
        for block in self.updates:
            yield Action(add=describe_block(block, now_ms, is_new_data=False))
        for block in self.adds:
            yield Action(add=describe_block(block, now_ms, is_new_data=self.is_new_data))


def are_stale(blocks: Iterable[BlockInfo], now_ns: int) -> bool:
    """Return whether uncommitted blocks are so old that a node may have deleted their files as leftovers of a crash."""
    made_ns = (read_ulid_time(read_name(block.path)) for block in blocks)
    # If the clock was set back, it does not tell how long they waited.
    return any(made is not None and abs(now_ns - made) > MAX_WAIT_NS for made in made_ns)

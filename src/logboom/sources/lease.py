"""Leases: of all nodes that share a store, one at a time reads a source.

A lease is a row of numbered objects, the newest of which says who has it and until when. Whoever creates
the next number has it from then on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.errors import Conflict, Corrupt, NotFound, Unavailable
from logboom.base.objects import ObjectStore

FOLDER = "leases"
NUMBER_DIGITS = 12
KEPT_NUMBERS = 5
FREE_NS = 0


class Lease(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who has a source, and until when."""

    node: str
    until_ns: int


class Found(NamedTuple):
    number: int
    lease: Lease


NEVER_TAKEN = Found(0, Lease("", FREE_NS))


class Leases:
    """The leases of one node. May be called from any thread, off the event loop.

    A node trusts its own lease for two thirds of the time only, so that clocks may differ by the rest.
    A lease that a dead process of this node left is taken over at once: only one can use its data.
    """

    def __init__(self, objects: ObjectStore, node: str, lease_secs: float, clock: Clock) -> None:
        self._objects = objects
        self._node = node
        self._lease_ns = int(lease_secs * NS_PER_S)
        self._clock = clock
        self._until_ns: dict[str, int] = {}
        self.numbers: dict[str, int] = {}
        """Of the leases of this node; whoever takes one later has a greater one."""

    def take(self, source_id: str) -> bool:
        """Whether this node may read the source from now on; Unavailable when the store is out of reach."""
        found = self._find(source_id)
        is_free = found.lease.node == self._node or found.lease.until_ns <= self._clock()
        return is_free and self._claim(source_id, found)

    def keep(self, source_id: str) -> bool:
        """Whether the next delivery may begin; to be asked before each. Renews the lease when it is time.

        Once False the run must end: another node may read the source by now.
        """
        until_ns = self._until_ns.get(source_id, FREE_NS)
        left_ns = until_ns - self._clock()
        if left_ns > self._lease_ns * 2 // 3:
            return True
        try:
            return until_ns != FREE_NS and self._renew(source_id)
        except Unavailable:
            return left_ns > self._lease_ns // 3

    def release(self, source_id: str) -> None:
        """Let any node read the source; nothing happens when this one has no lease."""
        if self._until_ns.pop(source_id, None) is None:
            return
        found = self._find(source_id)
        if found.lease.node == self._node:
            self._write(source_id, found.number + 1, FREE_NS)

    def _renew(self, source_id: str) -> bool:
        """Others who had it since have left a newer number, also if they have released it."""
        found = self._find(source_id)
        if found.lease.node == self._node and self._claim(source_id, found):
            return True
        self._until_ns.pop(source_id, None)
        return False

    def _claim(self, source_id: str, found: Found) -> bool:
        until_ns = self._clock() + self._lease_ns
        if not self._write(source_id, found.number + 1, until_ns):
            return False
        self._until_ns[source_id] = until_ns
        self.numbers[source_id] = found.number + 1
        return True

    def _find(self, source_id: str) -> Found:
        with reached(source_id):
            numbers = self._list(source_id)
            if not numbers:
                return NEVER_TAKEN
            return Found(numbers[-1], self._read(name_object(source_id, numbers[-1])))

    def _read(self, name: str) -> Lease:
        try:
            return msgspec.json.decode(self._objects.read(name), type=Lease)
        except msgspec.MsgspecError as error:
            raise Corrupt(name, 0, f"it is not a lease: {error}") from error

    def _write(self, source_id: str, number: int, until_ns: int) -> bool:
        """Whether the number is ours, and the newest."""
        data = msgspec.json.encode(Lease(self._node, until_ns))
        with reached(source_id):
            try:
                self._objects.put_new(name_object(source_id, number), data)
            except Conflict:
                return False
            numbers = self._list(source_id)
            for old in numbers[:-KEPT_NUMBERS]:
                self._objects.delete(name_object(source_id, old))
        # Not if others were so quick that our number had been used and deleted before we wrote it.
        return numbers[-1] == number

    def _list(self, source_id: str) -> list[int]:
        return [int(name) for name in self._objects.list(f"{FOLDER}/{source_id}")]


def name_object(source_id: str, number: int) -> str:
    return f"{FOLDER}/{source_id}/{number:0{NUMBER_DIGITS}d}"


@contextmanager
def reached(source_id: str) -> Iterator[None]:
    try:
        yield
    except NotFound as error:
        raise Unavailable(f"the lease of source {source_id} changes too quickly") from error
    except OSError as error:
        raise Unavailable(
            f"the lease of source {source_id} is out of reach: {error.strerror}"
        ) from error

"""Leases: ensure that only one of the nodes that share a store reads a source or checks an alert.

A lease is a series of numbered objects; the newest says who holds it and until when. A node takes it by creating the
next number.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.errors import Conflict, Corrupt, NotFound, Unavailable
from logboom.base.stores.objects import ObjectStore

FOLDER = "leases"
NUMBER_DIGITS = 12
KEPT_NUMBERS = 5
FREE_NS = 0


class Lease(msgspec.Struct, frozen=True):
    """Who holds it, and until when."""

    node: str
    until_ns: int


class NumberedLease(NamedTuple):
    number: int
    lease: Lease


NEVER_TAKEN = NumberedLease(0, Lease("", FREE_NS))


class Leases:
    """The leases of one node on a family of things. Thread-safe; call it off the event loop.

    A node trusts its own lease for only two thirds of its duration, so that clocks may differ by the rest. A lease
    left by a dead process of this node is taken over at once, because only one process can use its data directory.
    """

    def __init__(
        self, objects: ObjectStore, family: str, node: str, lease_secs: float, clock: Clock
    ) -> None:
        self._objects = objects
        self._family = family
        self._node = node
        self._lease_ns = int(lease_secs * NS_PER_S)
        self._clock = clock
        self._until_ns: dict[str, int] = {}
        self.numbers: dict[str, int] = {}
        """The number of this node's leases; a later holder has a greater one."""

    def take(self, thing_id: str) -> bool:
        """Take the lease; return whether this node has it now. Raise Unavailable if the store is unreachable."""
        found = self._find(thing_id)
        is_free = found.lease.node == self._node or found.lease.until_ns <= self._clock()
        return is_free and self._claim(thing_id, found)

    def keep(self, thing_id: str) -> bool:
        """Return whether this node still has it; call it before each action. Renews the lease when due.

        After False no further action is allowed: another node may have it by now.
        """
        until_ns = self._until_ns.get(thing_id, FREE_NS)
        left_ns = until_ns - self._clock()
        if left_ns > self._lease_ns * 2 // 3:
            return True
        try:
            return until_ns != FREE_NS and self._renew(thing_id)
        except Unavailable:
            return left_ns > self._lease_ns // 3

    def list_own(self) -> list[str]:
        """Return the names of the leases that this node has."""
        now_ns, held = self._clock(), dict(self._until_ns)
        return [f"{self._family}/{thing}" for thing in sorted(held) if held[thing] > now_ns]

    def release(self, thing_id: str) -> None:
        """Let any node take it; does nothing if this node has no lease."""
        if self._until_ns.pop(thing_id, None) is None:
            return
        found = self._find(thing_id)
        if found.lease.node == self._node:
            self._write(thing_id, found.number + 1, FREE_NS)

    def _renew(self, thing_id: str) -> bool:
        """Renew a lease; fails if others had it since: they leave a newer number, even after a release."""
        found = self._find(thing_id)
        if found.lease.node == self._node and self._claim(thing_id, found):
            return True
        self._until_ns.pop(thing_id, None)
        return False

    def _claim(self, thing_id: str, found: NumberedLease) -> bool:
        until_ns = self._clock() + self._lease_ns
        if not self._write(thing_id, found.number + 1, until_ns):
            return False
        self._until_ns[thing_id] = until_ns
        self.numbers[thing_id] = found.number + 1
        return True

    def _find(self, thing_id: str) -> NumberedLease:
        with self._reached(thing_id):
            numbers = self._list(thing_id)
            if not numbers:
                return NEVER_TAKEN
            return NumberedLease(numbers[-1], self._read(self._name_object(thing_id, numbers[-1])))

    def _read(self, name: str) -> Lease:
        try:
            return msgspec.json.decode(self._objects.read(name), type=Lease)
        except msgspec.MsgspecError as error:
            raise Corrupt(name, 0, f"it is not a lease: {error}") from error

    def _write(self, thing_id: str, number: int, until_ns: int) -> bool:
        """Return whether the number is ours, and the newest."""
        data = msgspec.json.encode(Lease(self._node, until_ns))
        with self._reached(thing_id):
            try:
                self._objects.put_new(self._name_object(thing_id, number), data)
            except Conflict:
                return False
            numbers = self._list(thing_id)
            for old in numbers[:-KEPT_NUMBERS]:
                self._objects.delete(self._name_object(thing_id, old))
        # Others may have used and deleted our number before we wrote it.
        return numbers[-1] == number

    def _list(self, thing_id: str) -> list[int]:
        return [int(name) for name in self._objects.list(f"{FOLDER}/{self._family}/{thing_id}")]

    def _name_object(self, thing_id: str, number: int) -> str:
        return f"{FOLDER}/{self._family}/{thing_id}/{number:0{NUMBER_DIGITS}d}"

    @contextmanager
    def _reached(self, thing_id: str) -> Iterator[None]:
        which = f"the lease {self._family}/{thing_id}"
        try:
            yield
        except NotFound as error:
            raise Unavailable(f"{which} changes too quickly") from error
        except OSError as error:
            raise Unavailable(f"{which} is unreachable: {error.strerror}") from error

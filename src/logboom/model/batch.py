"""A batch: the lines of one request, with what must be known about each line before the acknowledgement."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from logboom.base.clock import format_day
from logboom.base.structs import MutableStruct

ROW_BYTES = 28
"""What is kept for each line beside its data and readings: its span, its time and its index."""


class Target(msgspec.Struct, frozen=True):
    """Where a request's events go; `index` may contain `{{path}}` placeholders."""

    env: str = "default"
    index: str = "default"
    source: str | None = None


class Routes(NamedTuple):
    """Where each line goes if its sender said so: a position in `names`, or -1 for the target's index.

    One entry for each non-blank line; names are normalised.
    """

    names: list[str]
    ids: "array[int]"

    @classmethod
    def of(cls, indexes: "Sequence[str | None]") -> "Routes":
        """Return the routes of lines that ask for these indexes, or None for lines that ask for none."""
        names = [name for name in dict.fromkeys(indexes) if name is not None]
        places: dict[str | None, int] = {name: place for place, name in enumerate(names)}
        places[None] = -1
        return cls(names, array("i", map(places.__getitem__, indexes)))

    def pick(self, places: Sequence[int]) -> "Routes":
        """Return the routes of some of the lines."""
        return Routes(self.names, array("i", [self.ids[place] for place in places]))


class Origins(NamedTuple):
    """The sources of lines that name none: each applies to all lines up to an end position in the data."""

    names: list[str]
    ends: "array[int]"

    def pick(self, spans: Sequence[tuple[int, int]]) -> "Origins":
        """Return the origins of some of the lines, for data in which only these are joined by line feeds."""
        names: list[str] = []
        ends = array("q")
        size = 0
        for start, end in spans:
            name = self.names[bisect_right(self.ends, start)]
            size += end - start + 1
            if not names or names[-1] != name:
                names.append(name)
                ends.append(size)
            ends[-1] = size
        return Origins(names, ends)


class Lines(NamedTuple):
    """Whole lines, one event each.

    `faults` of them were salvaged from input that does not match its format.
    """

    data: bytes
    routes: Routes | None = None
    faults: int = 0
    origins: Origins | None = None

    @property
    def size_bytes(self) -> int:
        """The memory that these lines take as a batch, at most."""
        return len(self.data) + (self.data.count(b"\n") + 1) * ROW_BYTES

    def come_from(self, name: str) -> "Lines":
        """Return the same lines, all from one origin."""
        return self._replace(origins=Origins([name], array("q", [len(self.data)])))

    @classmethod
    def join(cls, pieces: "Sequence[Lines]") -> "Lines":
        """Return all lines in one piece; either every piece has routes or none, and likewise for origins."""
        if len(pieces) == 1:
            return pieces[0]
        data = b"\n".join(piece.data for piece in pieces)
        faults = sum(piece.faults for piece in pieces)
        origins = join_origins(pieces)
        if not any(piece.routes for piece in pieces):
            return cls(data, None, faults, origins)
        places: dict[str, int] = {}
        ids = array("i")
        for piece in pieces:
            assert piece.routes is not None
            moved = [places.setdefault(name, len(places)) for name in piece.routes.names]
            ids.extend([moved[place] if place >= 0 else place for place in piece.routes.ids])
        return cls(data, Routes(list(places), ids), faults, origins)


def join_origins(pieces: Sequence[Lines]) -> Origins | None:
    if not any(piece.origins for piece in pieces):
        return None
    names: list[str] = []
    ends = array("q")
    start = 0
    for piece in pieces:
        assert piece.origins is not None
        names += piece.origins.names
        ends.extend([start + end for end in piece.origins.ends])
        start += len(piece.data) + 1
    return Origins(names, ends)


class Readings(Protocol):
    """What the compiled scan found in the lines, which saves parsing them again when their block is built."""

    @property
    def size_bytes(self) -> int: ...

    def skip(self, lines: int, /) -> "Readings":
        """Return the readings of all but the first lines."""


class Scan(NamedTuple):
    """One entry per line: its span in the data, its time and the number of its index name.

    `days` are the pairs (index number, day) that occur; `errors` counts the lines that are not events.
    """

    starts: "array[int]"
    ends: "array[int]"
    times_ns: "array[int]"
    index_ids: "array[int]"
    index_names: list[str]
    days: set[tuple[int, int]]
    errors: int
    readings: Readings | None = None


class Batch(MutableStruct):
    """Events of one request; `first_seq` is the number of the first, the others follow."""

    target: Target
    arrival_ns: int
    data: bytes
    scan: Scan
    first_seq: int = 0
    routes: Routes | None = None
    origins: Origins | None = None

    def __len__(self) -> int:
        return len(self.scan.starts)

    def split(self) -> "list[Batch]":
        """Return batches with one default source each, with the same events in the same order."""
        if self.origins is None:
            return [self]
        batches = []
        first = 0
        for name, end in zip(*self.origins, strict=True):
            last = bisect_left(self.scan.starts, end, first)
            if last > first:
                batches.append(self._cut(name, first, last))
            first = last
        return batches

    def _cut(self, source: str, first: int, last: int) -> "Batch":
        scan = self.scan
        lines = scan._replace(
            starts=scan.starts[first:last],
            ends=scan.ends[first:last],
            times_ns=scan.times_ns[first:last],
            index_ids=scan.index_ids[first:last],
            readings=scan.readings and scan.readings.skip(first),
        )
        target = msgspec.structs.replace(self.target, source=source)
        return Batch(target, self.arrival_ns, self.data, lines, self.first_seq + first)

    @property
    def size_bytes(self) -> int:
        """The memory it takes, without what is the same for all of its events."""
        readings = self.scan.readings
        return (
            len(self.data)
            + len(self) * ROW_BYTES
            + (0 if readings is None else readings.size_bytes)
        )

    @property
    def partitions(self) -> set[str]:
        """The `<index>/<YYYY-MM-DD>` that its events belong to."""
        names = self.scan.index_names
        return {f"{names[index]}/{format_day(day)}" for index, day in self.scan.days}

"""A batch: the lines of one request, with what had to be known of each line before the acknowledgement."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from logboom.base.clock import format_day


class Target(msgspec.Struct, frozen=True):
    """Where a request's events go; `index` may hold `{{path}}` placeholders."""

    env: str = "default"
    index: str = "default"
    source: str | None = None


class Routes(NamedTuple):
    """Where each line goes when its sender said so: a place in `names`, or -1 for wherever the target says.

    One entry for each line that is not blank; names are in their normal form.
    """

    names: list[str]
    ids: "array[int]"

    @classmethod
    def of(cls, indexes: "Sequence[str | None]") -> "Routes":
        """The routes of lines that ask for these indexes, None for those that ask for none."""
        names = [name for name in dict.fromkeys(indexes) if name is not None]
        places: dict[str | None, int] = {name: place for place, name in enumerate(names)}
        places[None] = -1
        return cls(names, array("i", map(places.__getitem__, indexes)))

    def pick(self, places: Sequence[int]) -> "Routes":
        """The routes of some of the lines."""
        return Routes(self.names, array("i", [self.ids[place] for place in places]))


class Lines(NamedTuple):
    """Whole lines, one event each.

    `faults` of them are what could be kept of input that is not of the format it should have.
    """

    data: bytes
    routes: Routes | None = None
    faults: int = 0

    @classmethod
    def join(cls, pieces: "Sequence[Lines]") -> "Lines":
        """All lines in one piece; either every piece has routes or none."""
        if len(pieces) == 1:
            return pieces[0]
        data = b"\n".join(piece.data for piece in pieces)
        faults = sum(piece.faults for piece in pieces)
        if not any(piece.routes for piece in pieces):
            return cls(data, None, faults)
        places: dict[str, int] = {}
        ids = array("i")
        for piece in pieces:
            assert piece.routes is not None
            moved = [places.setdefault(name, len(places)) for name in piece.routes.names]
            ids.extend([moved[place] if place >= 0 else place for place in piece.routes.ids])
        return cls(data, Routes(list(places), ids), faults)


class Scan(NamedTuple):
    """One entry a line: its span in the data, its time and the number of its index name.

    `days` are the (index number, day) that occur; `errors` counts the lines that are no event.
    """

    starts: "array[int]"
    ends: "array[int]"
    times_ns: "array[int]"
    index_ids: "array[int]"
    index_names: list[str]
    days: set[tuple[int, int]]
    errors: int


@dataclass(slots=True)
class Batch:
    """Events of one request; `first_seq` numbers the first of them, the others follow."""

    target: Target
    arrival_ns: int
    data: bytes
    scan: Scan
    first_seq: int = 0
    routes: Routes | None = None

    def __len__(self) -> int:
        return len(self.scan.starts)

    @property
    def partitions(self) -> set[str]:
        """The `<index>/<YYYY-MM-DD>` that its events belong to."""
        names = self.scan.index_names
        return {f"{names[index]}/{format_day(day)}" for index, day in self.scan.days}

"""A batch: the lines of one request, with what had to be known of each line before the acknowledgement."""

from array import array
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from logboom.base.clock import format_day


class Target(msgspec.Struct, frozen=True):
    """Where a request's events go; `index` may hold `{{path}}` placeholders."""

    env: str = "default"
    index: str = "default"
    source: str | None = None


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

    def __len__(self) -> int:
        return len(self.scan.starts)

    @property
    def partitions(self) -> set[str]:
        """The `<index>/<YYYY-MM-DD>` that its events belong to."""
        names = self.scan.index_names
        return {f"{names[index]}/{format_day(day)}" for index, day in self.scan.days}

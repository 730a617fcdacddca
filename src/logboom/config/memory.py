"""How the memory that the service may use is shared out."""

from typing import NamedTuple

OWN_BYTES = 320 << 20
"""What the process takes before it caches or queries anything, and for what is not counted."""


class Share(NamedTuple):
    """A part of the memory that is left: one of so many, but no more and no less than these bytes."""

    parts: int
    least_bytes: int
    most_bytes: int

    def take(self, memory_bytes: int) -> int:
        left_bytes = max(0, memory_bytes - OWN_BYTES)
        return min(max(left_bytes // self.parts, self.least_bytes), self.most_bytes)


# All queries together use twice the memory of one.
QUERY = Share(3, 16 << 20, 256 << 20)
CACHE = Share(5, 8 << 20, 160 << 20)
INGEST_BODIES = Share(4, 16 << 20, 192 << 20)
READER_BODIES = Share(12, 8 << 20, 64 << 20)

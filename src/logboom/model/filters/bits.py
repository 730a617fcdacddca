"""The bits of a filter: in memory, or still in a file."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class Bits(Protocol):
    """The bits of a filter.

    `bits[start:end]` gives some of its bytes, and reads them if needed. Bytes in memory are bits too.
    """

    def __len__(self) -> int:
        """Return the size in bytes."""

    def __getitem__(self, part: slice, /) -> bytes: ...

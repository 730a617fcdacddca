"""Values as a query writes them: patterns with wildcards, numbers with units."""

from enum import Enum
from typing import Self

from logboom.base.structs import InternalStruct


class Wildcard(Enum):
    """Not a string enumeration, because a wildcard must never equal the character that spells it."""

    ANY = "*"
    ONE = "?"


LONE_STAR = (Wildcard.ANY,)
"""The parts of a pattern that any value matches."""


class Pattern(InternalStruct, frozen=True):
    """Literal pieces and wildcards in order; no parts at all is the empty text."""

    parts: tuple[str | Wildcard, ...]

    def __post_init__(self) -> None:
        assert "" not in self.parts, "a literal piece is never empty"
        if len(self.parts) > 1:
            self._check_neighbours()

    def _check_neighbours(self) -> None:
        for left, right in zip(self.parts, self.parts[1:], strict=False):
            assert isinstance(left, Wildcard) or isinstance(right, Wildcard), "pieces are merged"
            assert not (left is right is Wildcard.ANY), "neighbouring stars are one"

    @classmethod
    def literal(cls, text: str) -> Self:
        return cls((text,) if text else ())

    @property
    def text(self) -> str | None:
        """The whole text if it contains no wildcard."""
        if not self.parts:
            return ""
        text = self.parts[0]
        return text if len(self.parts) == 1 and isinstance(text, str) else None


class Quantity(InternalStruct, frozen=True):
    """A number and its unit, one of UNITS or none."""

    number: int | float
    unit: str = ""

    def __post_init__(self) -> None:
        assert self.unit in UNITS, "units are known ones"

    @property
    def is_duration(self) -> bool:
        return self.unit in DURATIONS_NS

    @property
    def scaled(self) -> int | float:
        """The plain number: bytes for sizes, nanoseconds for durations."""
        return self.number * UNITS[self.unit]


DURATIONS_NS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86_400 * 10**9,
    "w": 7 * 86_400 * 10**9,
}
SIZES = {
    "K": 10**3, "KB": 10**3, "KiB": 2**10,
    "M": 10**6, "MB": 10**6, "MiB": 2**20,
    "G": 10**9, "GB": 10**9, "GiB": 2**30,
    "T": 10**12, "TB": 10**12, "TiB": 2**40,
    "P": 10**15, "PB": 10**15, "PiB": 2**50,
    "B": 1,
}  # fmt: skip
UNITS: dict[str, int] = {"": 1, **DURATIONS_NS, **SIZES}

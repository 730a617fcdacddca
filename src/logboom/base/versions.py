"""The versions of everything that is stored, and what a build does with those of another build.

A minor version adds what older builds may pass over: they read it, and keep what they do not know when they write
it anew. A major version changes what is there already: older builds refuse it, and touch nothing.
"""

from functools import lru_cache
from typing import NamedTuple

from logboom.base.errors import TooNew


class Version(NamedTuple):
    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


FIRST = Version(1, 0)
"""The version of whatever does not name one: the first release wrote none."""

BLOCK = Version(2, 0)
INDEX = Version(2, 0)
LOG_SEGMENT = Version(1, 0)
CATALOG = Version(2, 0)
CHECKPOINT = Version(3, 0)
CONTROL = Version(1, 0)
CLAIM = Version(1, 0)
ANSWERS = Version(1, 0)


@lru_cache(maxsize=64)
def parse_version(text: str | None) -> Version:
    """The version that a text names; None is the first. ValueError for anything else."""
    if text is None:
        return FIRST
    major, dot, minor = text.partition(".")
    return Version(parse_number(major), parse_number(minor) if dot else 0)


def parse_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(f"{text[:20]!r} is not part of a version")
    return int(text)


def check_version(place: str, found: Version, known: Version) -> None:
    """TooNew when what is stored at `place` has a newer major version than is known."""
    if found.major > known.major:
        raise TooNew(place, str(found), str(known))

"""The versions of all stored formats, and how a build treats formats of other builds.

A minor version only adds things that older builds can ignore: they read the file, and preserve what they do not know
when they rewrite it. A major version changes existing things: older builds refuse the file and do not touch it.
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
"""The version of anything that does not name one: the first release wrote none."""

BLOCK = Version(3, 0)
PRECISE_BLOCK = Version(2, 0)
"""The version of blocks with times that are not whole milliseconds."""
INDEX = Version(2, 1)
LOG_SEGMENT = Version(1, 0)
CATALOG = Version(2, 0)
CHECKPOINT = Version(3, 0)
CONTROL = Version(1, 0)
CLAIM = Version(1, 0)
ANSWERS = Version(1, 0)


@lru_cache(maxsize=64)
def parse_version(text: str | None) -> Version:
    """Parse a version; None stands for the first one. Raise ValueError for anything else."""
    if text is None:
        return FIRST
    major, dot, minor = text.partition(".")
    return Version(parse_number(major), parse_number(minor) if dot else 0)


def parse_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(f"{text[:20]!r} is not part of a version")
    return int(text)


def check_version(place: str, found: Version, known: Version) -> None:
    """Raise TooNew if what is stored at `place` has a newer major version than this build knows."""
    if found.major > known.major:
        raise TooNew(place, str(found), str(known))

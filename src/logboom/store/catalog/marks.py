"""Marks in the catalog: progress of readers, each a number under a name, beside the live blocks.

A name starts with its owner, up to a dot or a slash. Setting a mark to 0 deletes it.
"""

import re
import threading
from collections.abc import Mapping
from typing import NamedTuple

PREFIX = "mark/"
TURN = "turn"
"""The mark `<owner>/turn` counts the successive holders of an owner's marks."""
OWNER = re.compile("[./]")

Marks = Mapping[str, int]
"""Progress by name, such as that of a reader of a file, in bytes."""


class Mark(NamedTuple):
    """A mark, and when it was set."""

    value: int
    set_ms: int


class MarkTable:
    """Changed in place, because there may be very many of them. Thread-safe."""

    def __init__(self, marks: Mapping[str, Mark]) -> None:
        self._lock = threading.Lock()
        self._marks = {name: mark for name, mark in marks.items() if mark.value}

    def apply(self, changes: Mapping[str, Mark]) -> None:
        with self._lock:
            for name, mark in changes.items():
                if mark.value:
                    self._marks[name] = mark
                else:
                    self._marks.pop(name, None)

    def copy(self) -> dict[str, Mark]:
        with self._lock:
            return dict(self._marks)

    def find(self, name: str) -> int | None:
        """Return the value of a mark, or None if it is not set."""
        mark = self._marks.get(name)
        return mark.value if mark else None

    def list(self, prefix: str) -> dict[str, Mark]:
        """Return the marks whose names start with a prefix."""
        with self._lock:
            return {name: mark for name, mark in self._marks.items() if name.startswith(prefix)}

    def drop_late(self, marks: Marks) -> Marks:
        """Return the marks without those that come from an earlier turn of their owner than is known here.

        A later holder has continued or started again, so earlier positions are of no use.
        """
        late = {
            find_owner(name)
            for name, value in marks.items()
            if name.endswith(f"/{TURN}") and 0 < value < (self.find(name) or 0)
        }
        if not late:
            return marks
        return {name: value for name, value in marks.items() if find_owner(name) not in late}


def find_owner(name: str) -> str:
    return OWNER.split(name, 1)[0]


def name_turn(owner: str) -> str:
    return f"{owner}/{TURN}"

"""Shapes: an event's JSON text with each value replaced by a letter that says where the value went.

    n null · s i f b  str, int, float, bool column of the value's path · S I F B  the list columns
    v  JSON text kept in the path's str column · m w  the message (text, bare token) · o p  the source
    t(format)  the event's time · {} and []  the empty ones · w alone: the line was no JSON object

A shape and its columns give the event back: as the text that came in, or as a flat row of fields.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from logboom.model.columns import MESSAGE, SOURCE, Cell, Column, Kind
from logboom.model.mapping import CONTAINERS
from logboom.model.names import fold_name
from logboom.model.timestamps import render_time

KINDS = {
    "s": Kind.STR, "i": Kind.INT, "f": Kind.FLOAT, "b": Kind.BOOL, "v": Kind.STR,
    "S": Kind.STRS, "I": Kind.INTS, "F": Kind.FLOATS, "B": Kind.BOOLS,
}  # fmt: skip
CORE = {"m": MESSAGE, "w": MESSAGE, "o": SOURCE, "p": SOURCE}
BARE = frozenset("vwp")
TIME = Column("_time", Kind.INT)
DECODER = json.JSONDecoder()


class Leaf(NamedTuple):
    """A value of an event: its letter, its column and its name in original spelling."""

    letter: str
    column: Column
    name: str


class Shape(NamedTuple):
    """A parsed shape: literal texts around its leaves, `texts[0] leaf[0] texts[1] … texts[n]`."""

    texts: tuple[str, ...]
    leaves: tuple[Leaf, ...]


Lookup = Callable[[Column], Cell | None]


class ShapeReader:
    """Parses one shape; keys are tracked to know each leaf's path."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.literal: list[str] = []
        self.texts: list[str] = []
        self.leaves: list[Leaf] = []
        self.depth = 0

    def read(self) -> Shape:
        self.read_value(())
        self.texts.append("".join(self.literal))
        return Shape(tuple(self.texts), tuple(self.leaves))

    def read_value(self, path: tuple[str, ...]) -> None:
        letter = self.text[self.at]
        if letter == "{":
            self.read_object(path)
        elif letter == "[":
            self.copy(2)
        elif letter == "n":
            self.at += 1
            self.literal.append("null")
        elif letter == "t":
            end = self.text.index(")", self.at)
            self.add_leaf(Leaf(self.text[self.at + 2 : end], TIME, "_time"), end + 1)
        else:
            name = ".".join(path)
            column = CORE.get(letter) or Column(fold_name(name), KINDS[letter])
            self.add_leaf(
                Leaf(letter, column, column.field if letter in CORE else name), self.at + 1
            )

    def read_object(self, path: tuple[str, ...]) -> None:
        self.copy(1)
        self.depth += 1
        while self.text[self.at] != "}":
            if self.text[self.at] == ",":
                self.copy(1)
            key, end = DECODER.raw_decode(self.text, self.at)
            self.copy(end + 1 - self.at)
            # Containers are opened at the top level only: one inside another is an ordinary object.
            opened = self.depth == 1 and key in CONTAINERS and self.text[self.at] == "{"
            self.read_value(() if opened else (*path, key))
        self.copy(1)
        self.depth -= 1

    def copy(self, length: int) -> None:
        self.literal.append(self.text[self.at : self.at + length])
        self.at += length

    def add_leaf(self, leaf: Leaf, end: int) -> None:
        self.texts.append("".join(self.literal))
        self.literal.clear()
        self.leaves.append(leaf)
        self.at = end


@lru_cache(maxsize=4096)
def parse_shape(text: str) -> Shape:
    return ShapeReader(text).read()


def rebuild_text(shape: Shape, lookup: Lookup, time_ns: int) -> str:
    """Return the original event: same keys, same order, same values."""
    parts = [shape.texts[0]]
    for leaf, text in zip(shape.leaves, shape.texts[1:], strict=True):
        if leaf.column is TIME:
            parts.append(encode_time(time_ns, leaf.letter))
        elif leaf.letter in BARE:
            parts.append(str(lookup(leaf.column)))
        else:
            parts.append(json.dumps(lookup(leaf.column), ensure_ascii=False, separators=(",", ":")))
        parts.append(text)
    return "".join(parts)


def rebuild_row(shape: Shape, lookup: Lookup) -> dict[str, object]:
    """Return the event's fields under their flattened names, without its time."""
    return {leaf.name: lookup(leaf.column) for leaf in shape.leaves if leaf.column is not TIME}


def encode_time(time_ns: int, format: str) -> str:
    text = render_time(time_ns, format)
    return text if format[0] == "e" else f'"{text}"'

"""Columns: one per field and type. Field names are folded; a field's spelling lives in the shape."""

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

import polars as pl

from logboom.model.names import MESSAGE_FIELD

MAX_PATH_SEGMENTS = 16
MAX_PATH_LENGTH = 1024
"""The longest path that is still flattened, in characters: names must not outgrow their event."""
MAX_ARRAY_ELEMENTS = 1000
MAX_FIELDS_PER_EVENT = 100_000
MAX_CELLS_PER_BLOCK = 16_000_000
"""Rows times columns: limits the memory of building a block."""


SPECIAL_STARTS = "_*^"
"""Prefixes of the service's own column names, and of those that Polars treats as patterns."""


class Kind(StrEnum):
    """The type of a column; `[]` marks the multi-valued ones."""

    STR = "str"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    STRS = "str[]"
    INTS = "int[]"
    FLOATS = "float[]"
    BOOLS = "bool[]"
    TIME = "time"
    """Nanoseconds since 1970; exists only while a query runs, never in a block."""
    TIMES = "time[]"

    @property
    def is_list(self) -> bool:
        return self.value.endswith("[]")

    @property
    def element(self) -> "Kind":
        """The kind of one value."""
        return Kind(self.value.removesuffix("[]"))

    @property
    def listed(self) -> "Kind":
        """The multi-valued kind with these elements."""
        return self if self.is_list else Kind(f"{self.value}[]")


ENDINGS = tuple((kind, f":{kind}") for kind in Kind if kind is not Kind.STR)
"""What the names of columns end with, unless they hold texts."""
Scalar = str | int | float | bool
Cell = Scalar | list[Scalar]

DTYPES: dict[Kind, pl.DataType] = {
    Kind.STR: pl.String(),
    Kind.INT: pl.Int64(),
    Kind.FLOAT: pl.Float64(),
    Kind.BOOL: pl.Boolean(),
    Kind.STRS: pl.List(pl.String()),
    Kind.INTS: pl.List(pl.Int64()),
    Kind.FLOATS: pl.List(pl.Float64()),
    Kind.BOOLS: pl.List(pl.Boolean()),
    Kind.TIME: pl.Int64(),
    Kind.TIMES: pl.List(pl.Int64()),
}


class Column(NamedTuple):
    """A field (folded name) and the type of its values."""

    field: str
    kind: Kind

    @property
    def name(self) -> str:
        """The column's name: text under the field's plain name, else `field:kind`.

        It never equals one of the service's own column names or a Polars pattern, and contains no NUL, which ends
        names in C.
        """
        return name_column(escape_nul(self.field), self.kind)


def name_column(escaped: str, kind: Kind) -> str:
    is_plain = kind is Kind.STR and ":" not in escaped
    if is_plain and escaped and escaped[0] not in SPECIAL_STARTS:
        return escaped
    return f"{escaped}:" + kind  # twice as fast as formatting the kind as well


NUL_SIGN = "\u2400"
ESCAPED = re.compile(f"{NUL_SIGN}([01])")
MAX_KNOWN_FIELDS = 8192
"""Each takes about 3 kB with the names of all its columns."""


def escape_nul(field: str) -> str:
    if "\0" not in field and NUL_SIGN not in field:
        return field
    return field.replace(NUL_SIGN, f"{NUL_SIGN}1").replace("\0", f"{NUL_SIGN}0")


def restore_nul(name: str) -> str:
    if NUL_SIGN not in name:
        return name
    return ESCAPED.sub(lambda match: "\0" if match[1] == "0" else NUL_SIGN, name)


@lru_cache(maxsize=65_536)
def parse_column(name: str) -> Column:
    """Return the inverse of `Column.name`."""
    field, colon, kind = restore_nul(name).rpartition(":")
    return Column(field, Kind(kind)) if colon else Column(kind, Kind.STR)


@lru_cache(maxsize=MAX_KNOWN_FIELDS)
def list_kinds(field: str) -> tuple[tuple[str, Column], ...]:
    """Return every column that a field may have, with its name."""
    escaped = escape_nul(field)
    texts = name_column(escaped, Kind.STR), Column(field, Kind.STR)
    return texts, *[(escaped + ending, Column(field, kind)) for kind, ending in ENDINGS]


MESSAGE = Column(MESSAGE_FIELD, Kind.STR)
SOURCE = Column("source", Kind.STR)

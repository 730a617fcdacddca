"""Groups rows whose keys are codes: all keys of a row become one number, and the numbers are counted."""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import polars as pl

from logboom.engine.blocks.codes import Codes

MOST_GROUPS = 1 << 20
"""With more possible groups, rows are not counted by number."""
COUNT = "count"


class Counted(NamedTuple):
    """The values of each key, group by group, and the number of rows of each group."""

    keys: list[list[str | None]]
    rows: list[int]


def count_codes(keys: Sequence[Codes], selection: pl.Series | None) -> Counted | None:
    """Return the groups of selected rows, or None if too many are possible."""
    if prod(len(key.values) for key in keys) > MOST_GROUPS:
        return None
    first, *others = (
        key.places if selection is None else key.places.filter(selection) for key in keys
    )
    numbers = first.cast(pl.UInt32)
    for key, places in zip(keys[1:], others, strict=True):
        numbers = numbers * len(key.values) + places
    counted = numbers.alias("").value_counts(name=COUNT)
    left = counted[""].to_list()
    found = []
    for key in reversed(keys):
        size = len(key.values)
        found.append([key.values[number % size] for number in left])
        left = [number // size for number in left]
    return Counted(found[::-1], counted[COUNT].to_list())

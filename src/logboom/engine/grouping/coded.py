"""Groups rows whose keys are codes: all keys of a row become one number, and the numbers are counted."""

from collections.abc import Sequence
from math import prod

import polars as pl

from logboom.engine.blocks.codes import Codes

MOST_GROUPS = 1 << 20
"""With more possible groups, rows are not counted by number."""
COUNT = "count"


def count_codes(
    keys: Sequence[Codes], selection: pl.Series | None
) -> tuple[list[pl.Series], pl.Series] | None:
    """The keys of each group and its number of selected rows; None if too many groups are possible."""
    if prod(len(key.values) for key in keys) > MOST_GROUPS:
        return None
    numbers = keys[0].places
    for key in keys[1:]:
        numbers = numbers * len(key.values) + key.places
    if selection is not None:
        numbers = numbers.filter(selection)
    counted = numbers.alias("").value_counts(name=COUNT)
    left = counted[""].to_list()
    found = []
    for key in reversed(keys):
        size = len(key.values)
        values = [key.values[number % size] for number in left]
        found.append(pl.Series(key.column.name, values, pl.String))
        left = [number // size for number in left]
    return found[::-1], counted[COUNT].cast(pl.Int64)

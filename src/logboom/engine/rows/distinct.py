"""Applies Python functions, for what Polars lacks, once to each distinct combination of values."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from logboom.base.structs import InternalStruct
from logboom.engine.rows.computed import compute_rows
from logboom.engine.rows.internal import internal
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.size import measure
from logboom.engine.rows.values import MAX_INT, MIN_INT
from logboom.model.columns import DTYPES, Kind
from logboom.model.event import KIND_OF_TYPE

PLACE, RESULT = "place", "result"
OBJECT_BYTES = 200
"""The memory of a result as a Python object."""


class Distinct(InternalStruct, frozen=True):
    """`known` has the distinct combinations, `places` the index of the combination of each row."""

    known: pl.DataFrame
    places: pl.Series

    @classmethod
    def of(cls, frame: pl.DataFrame, parts: Sequence[pl.Expr]) -> "Distinct":
        names = [internal(str(number)) for number in range(len(parts))]
        cells = pl.DataFrame(
            [compute_rows(frame, part).alias(name) for part, name in zip(parts, names, strict=True)]
        )
        reserve(2 * measure(cells))
        known = cells.unique(maintain_order=True)
        placed = known.with_row_index(PLACE)
        joined = cells.join(placed, on=names, how="left", nulls_equal=True, maintain_order="left")
        reserve(OBJECT_BYTES * known.height + measure(known))
        return cls(known, joined[PLACE])

    @property
    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The distinct combinations, one after the other."""
        return self.known.iter_rows()

    def spread(self, results: Mapping[int, object], kind: Kind) -> pl.Series:
        """Return the results of distinct rows, by index, for every row of the frame that has them."""
        known = pl.DataFrame(
            [
                pl.Series(PLACE, list(results), pl.UInt32),
                pl.Series(RESULT, list(results.values()), DTYPES[kind]),
            ]
        )
        rows = pl.DataFrame([self.places])
        return rows.join(known, on=PLACE, how="left", maintain_order="left")[RESULT]

    def map(self, function: Callable[..., Any], kind: Kind | None) -> dict[Kind, pl.Series]:
        """Return the results by kind, all of one kind if it is given; a row with a missing value has none."""
        results: dict[Kind, dict[int, object]] = {} if kind is None else {kind: {}}
        for place, row in enumerate(self.rows):
            result = None if None in row else function(*row)
            if result is not None and (own := kind or find_kind(result)):
                results.setdefault(own, {})[place] = result
        return {own: self.spread(known, own) for own, known in results.items()}


def find_kind(result: object) -> Kind | None:
    """Return the kind of column that fits a result, or None for an empty list, which counts as no value."""
    if isinstance(result, list):
        return KIND_OF_TYPE[type(result[0])].listed if result else None
    return KIND_OF_TYPE[type(result)]


def fit(number: int | float) -> int | float:
    """Return the number, as a float if it is an integer that does not fit into an integer column."""
    return number if MIN_INT <= number <= MAX_INT or isinstance(number, float) else float(number)

"""`bin`: a field rounded down to multiples. Anything but numbers stays as it is."""

import math

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.expressions.arguments import settle
from logboom.engine.expressions.conditionals import choose
from logboom.engine.grouping.buckets import floor_value
from logboom.engine.pipes.kinds import Finder, RowPipe, WholePipe
from logboom.engine.pipes.overlay import is_reserved
from logboom.engine.rows.size import CELL_BYTES
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need
from logboom.engine.terms.spans import choose_span
from logboom.lang import ast
from logboom.model.columns import Kind

STEPS = (1, 2, 5, 10)


class Bin(RowPipe, frozen=True):
    """Rounds to multiples of a given size."""

    field: str
    size: ast.Quantity
    name: str
    conditions: Conditions

    def needs(self) -> Needs:
        return need(self.field)

    def bound_memory(self, table: Table) -> int:
        return 4 * CELL_BYTES * table.height

    def apply(self, table: Table) -> Table:
        if is_reserved(table, self.name):
            raise Invalid(
                f"{self.name} identifies the event, expected another name, as in bin {self.field} as bucket"
            )
        value = Value.of_field(table, self.field).first()
        floored = settle(
            floor_value(value, self.size, self.conditions.zone, table.frame).parts, table.frame
        )
        rounded = choose(floored.exists(), floored, value)
        return table.with_field(self.name, dict(rounded.parts))


class BinAll(WholePipe, frozen=True):
    """Rounds to multiples of the smallest usual size that gives at most the wanted number of bins."""

    field: str
    most: int
    name: str
    conditions: Conditions
    keyword = "bin"
    keeps_events = True

    def needs(self) -> Needs:
        return need(self.field)

    def bound_memory(self, table: Table) -> int:
        return 4 * CELL_BYTES * table.height

    def apply(self, table: Table, _finder: Finder) -> Table:
        size = self._choose(table)
        return Bin(self.field, size, self.name, self.conditions).apply(table)

    def _choose(self, table: Table) -> ast.Quantity:
        value = Value.of_field(table, self.field).first()
        times = value.parts.get(Kind.TIME, pl.lit(None, pl.Int64))
        numbers = value.number()
        low, high, first, last = (
            table.frame.select(
                *(numbers.min().alias("low"), numbers.max().alias("high")),
                *(times.min().alias("first"), times.max().alias("last")),
            ).row(0)
            if table.height
            else (None, None, None, None)
        )
        if first is not None:
            return choose_span(first, last + 1, self.most, self.conditions.zone)
        return ast.Quantity(1 if low is None else choose_size(low, high, self.most))


def choose_size(low: float, high: float, most: int) -> int | float:
    """Return the smallest of 1, 2, 5, 10, 20 … and 0.5, 0.2 … that gives at most the wanted number."""
    if not math.isfinite(high - low) or high <= low:
        return 1
    exponent = math.floor(math.log10((high - low) / most))
    for step in STEPS:
        size = step * 10.0**exponent
        if math.floor(high / size) - math.floor(low / size) < most:
            return int(size) if size >= 1 else size
    return int(20 * 10.0**exponent) if exponent >= 0 else 20 * 10.0**exponent


def make_bin(pipe: ast.Bin, conditions: Conditions) -> Bin | BinAll:
    if pipe.size is not None:
        return Bin(pipe.field, pipe.size, pipe.name, conditions)
    assert pipe.most is not None, "a bin has a size or a number of them"
    return BinAll(pipe.field, pipe.most, pipe.name, conditions)

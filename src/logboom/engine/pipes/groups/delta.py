"""`delta`: adds the difference to the value in the previous row."""

import operator

import polars as pl

from logboom.base.clock import NS_PER_S
from logboom.engine.expressions.numeric import combine, read_numbers
from logboom.engine.pipes.kinds import Finder, WholePipe
from logboom.engine.rows.division import divide
from logboom.engine.rows.size import CELL_BYTES
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need
from logboom.lang import ast
from logboom.model.columns import Kind


class Delta(WholePipe, frozen=True):
    """The difference of numbers, including those in texts, or of times, in seconds; null if one of them is missing."""

    field: str
    name: str
    keeps_events = True

    def needs(self) -> Needs:
        return need(self.field)

    def bound_memory(self, table: Table) -> int:
        return 4 * CELL_BYTES * table.height

    def apply(self, table: Table, finder: Finder) -> Table:  # noqa: ARG002
        numbers = read_numbers(Value.of_field(table, self.field))
        if not numbers.parts:
            return table.with_field(self.name, {Kind.FLOAT: pl.lit(None, pl.Float64)})
        before = Value({kind: part.shift(1) for kind, part in numbers.parts.items()})
        parts = dict(combine(numbers, before, operator.sub, operator.sub).parts)
        if Kind.TIME in numbers.parts:
            seconds = divide(numbers.parts[Kind.TIME] - before.parts[Kind.TIME], NS_PER_S)
            parts[Kind.FLOAT] = pl.coalesce(seconds, parts[Kind.FLOAT])
        return table.with_field(self.name, parts)


def make_delta(pipe: ast.Delta, conditions: Conditions) -> Delta:  # noqa: ARG001
    return Delta(pipe.field, pipe.name)

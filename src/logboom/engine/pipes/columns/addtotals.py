"""`addtotals`: the sum of a row's numbers as a column."""

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.expressions.arguments import settle
from logboom.engine.expressions.numeric import (
    NUMBER_KINDS,
    as_real,
    narrow,
    only,
    read_numbers,
    tidy,
    widen,
    without,
)
from logboom.engine.pipes.kinds import Finder, RowPipe, WholePipe
from logboom.engine.pipes.overlay import is_reserved
from logboom.engine.rows.shown import list_shown
from logboom.engine.rows.size import CELL_BYTES
from logboom.engine.rows.table import TIME, Table
from logboom.engine.rows.values import NEVER, Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import EVERYTHING, Needs, need
from logboom.lang import ast
from logboom.model.columns import Kind
from logboom.model.names import fold_name


class AddTotals(RowPipe, frozen=True):
    """The sum of some fields; texts that spell a number count."""

    fields: tuple[str, ...]
    name: str

    def needs(self) -> Needs:
        return need(*self.fields)

    def bound_memory(self, table: Table) -> int:
        return CELL_BYTES * table.height * (len(self.fields) + 1)

    def apply(self, table: Table) -> Table:
        if is_reserved(table, self.name):
            raise Invalid(f"{self.name} identifies the event, expected another name")
        numbers = [self._read_numbers(table, field) for field in self.fields]
        return table.with_field(self.name, add_all(numbers).parts)

    def _read_numbers(self, table: Table, field: str) -> Value:
        """Return the numbers of a field, computed in a small frame: each step on a wide one takes long."""
        columns = [column.name for column in table.find_columns(field)]
        return settle(read_numbers(Value.of_field(table, field)).parts, table.frame[columns])


class AddAllTotals(WholePipe, frozen=True):
    """The sum of every numeric field, which is known only from all rows."""

    name: str
    keyword = "addtotals"
    keeps_events = True

    def needs(self) -> Needs:
        return EVERYTHING

    def bound_memory(self, table: Table) -> int:
        return CELL_BYTES * table.height * (table.frame.width + 1)

    def apply(self, table: Table, _finder: Finder) -> Table:
        names = [name for name in list_shown(table) if fold_name(name) != TIME.field]
        counted = tuple(name for name in names if has_numbers(table, name))
        return AddTotals(counted, self.name).apply(table)


def add_all(numbers: list[Value]) -> Value:
    """Return the sum in each row: exact for integers, else a float."""
    whole = [widen(each.parts[Kind.INT]) for each in numbers if Kind.INT in each.parts]
    real = [as_real(rest) for each in numbers if (rest := without(each, Kind.INT)).parts]
    exact = pl.sum_horizontal(pl.lit(0, pl.Int128), *whole)
    total = exact.cast(pl.Float64) + pl.sum_horizontal(pl.lit(0.0), *real)
    has_real = pl.any_horizontal(NEVER, *(each.is_not_null() for each in real))
    rounded = tidy(total).parts[Kind.INT]
    integer = pl.when(has_real).then(rounded).otherwise(narrow(exact))
    return Value({Kind.INT: integer, Kind.FLOAT: pl.when(integer.is_null()).then(total)})


def has_numbers(table: Table, name: str) -> bool:
    """Return whether a column has numbers, and no times; of texts only those that a pipe such as `rex` made count."""
    value = Value.of_field(table, name)
    return bool(only(value, *NUMBER_KINDS).parts) and Kind.TIME not in value.parts


def make_addtotals(pipe: ast.AddTotals, _conditions: Conditions) -> AddTotals | AddAllTotals:
    return AddTotals(pipe.fields, pipe.name) if pipe.fields else AddAllTotals(pipe.name)

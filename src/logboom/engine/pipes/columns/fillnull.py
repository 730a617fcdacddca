"""`fillnull`: a value for rows that have none."""

from logboom.base.errors import Invalid
from logboom.engine.expressions.arguments import Constant
from logboom.engine.expressions.conditionals import choose
from logboom.engine.pipes.kinds import Finder, RowPipe, WholePipe
from logboom.engine.pipes.overlay import is_reserved
from logboom.engine.rows.shown import list_shown
from logboom.engine.rows.size import CELL_BYTES, measure, measure_fields
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import EVERYTHING, Needs, need
from logboom.lang import ast
from logboom.model.columns import Scalar


class FillFields(RowPipe, frozen=True):
    """Fills some fields."""

    fields: tuple[str, ...]
    value: Scalar
    keyword = "fillnull"

    def needs(self) -> Needs:
        return need(*self.fields)

    def bound_memory(self, table: Table) -> int:
        return measure_fields(table, self.fields) + bound_fill(table, len(self.fields), self.value)

    def apply(self, table: Table) -> Table:
        filled = {}
        for name in self.fields:
            if is_reserved(table, name):
                raise Invalid(f"{name} is never missing, expected another field to fill")
            known = Value.of_field(table, name)
            filled[name] = choose(known.exists(), known, Constant.of(self.value)).parts
        return table.with_fields(filled)


class FillAll(WholePipe, frozen=True):
    """Fills every field that some row has, which is known only from all rows."""

    value: Scalar
    keyword = "fillnull"
    keeps_events = True

    def needs(self) -> Needs:
        return EVERYTHING

    def bound_memory(self, table: Table) -> int:
        return measure(table.frame) + bound_fill(table, table.frame.width, self.value)

    def apply(self, table: Table, _finder: Finder) -> Table:
        names = [name for name in list_shown(table) if not is_reserved(table, name)]
        return FillFields(tuple(names), self.value).apply(table)


def bound_fill(table: Table, columns: int, value: Scalar) -> int:
    """Return the memory of a value in every row of this many columns."""
    return columns * table.height * (CELL_BYTES + len(str(value)))


def make_fillnull(pipe: ast.FillNull, _conditions: Conditions) -> FillFields | FillAll:
    return FillFields(pipe.fields, pipe.value) if pipe.fields else FillAll(pipe.value)

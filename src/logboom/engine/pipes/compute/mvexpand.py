"""`mvexpand`: one row for each value of a list."""

import polars as pl

from logboom.base.errors import Invalid, TooLarge
from logboom.engine.expressions.lists import as_lists
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.pipes.overlay import is_reserved
from logboom.engine.rows.internal import internal
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.size import measure, measure_fields
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need
from logboom.lang import ast
from logboom.model.columns import Column
from logboom.model.names import fold_name

ROW = internal("expanded")


class MvExpand(RowPipe, frozen=True):
    """A row with one value, or none, is unchanged."""

    pipe: ast.MvExpand
    conditions: Conditions
    multiplies = True

    def needs(self) -> Needs:
        return need(self.pipe.field)

    def bound_memory(self, table: Table) -> int:
        return measure_fields(table, (self.pipe.field,))

    def apply(self, table: Table) -> Table:
        name = self.pipe.field
        if is_reserved(table, name):
            raise Invalid(f"{name} has one value, expected another field to expand")
        value = Value.of_field(table, name)
        if not any(kind.is_list for kind in value.parts):
            return table
        lists = as_lists(value)
        if self.pipe.limit is not None:
            lists = {kind: part.list.head(self.pipe.limit) for kind, part in lists.items()}
        frame = table.frame.with_columns(
            part.alias(internal(kind.value)) for kind, part in lists.items()
        )
        self._check_size(frame, [internal(kind.value) for kind in lists])
        stale = [column.name for column in table.find_columns(name)]
        folded = fold_name(name)
        pieces = [
            frame.drop(stale, strict=False)
            .with_row_index(ROW)
            .filter(pl.col(internal(kind.value)).list.len() > 0)
            .with_columns(pl.col(internal(kind.value)).alias(Column(folded, kind.element).name))
            .drop(internal(each.value) for each in lists)
            .explode(Column(folded, kind.element).name)
            for kind in lists
        ]
        is_empty = pl.all_horizontal(
            pl.col(internal(kind.value)).list.len().fill_null(0) == 0 for kind in lists
        )
        others = frame.drop(stale, strict=False).with_row_index(ROW).filter(is_empty)
        pieces.append(others.drop(internal(kind.value) for kind in lists))
        rows = pl.concat(pieces, how="diagonal").sort(ROW, maintain_order=True).drop(ROW)
        expanded = table.without(name).with_frame(rows)
        parts = {kind.element: pl.col(Column(folded, kind.element).name) for kind in lists}
        return expanded.with_field(name, parts)

    def _check_size(self, frame: pl.DataFrame, lists: list[str]) -> None:
        """Reserve memory for the rows before they are created."""
        counts = frame.select(pl.sum_horizontal(pl.col(lists).list.len().fill_null(0)).clip(1))
        rows = int(counts.to_series().sum())
        most = self.conditions.limits.max_rows
        if rows > most:
            raise TooLarge(
                f"mvexpand {self.pipe.field} would make {rows} rows of {frame.height}, expected at most {most}: "
                "give it a limit, or drop fields before it"
            )
        stale = [column.name for column in Table(frame).find_columns(self.pipe.field)]
        others = measure(frame.drop(lists, stale)) * rows // max(1, frame.height)
        reserve(2 * (others + measure(frame.select(lists))))


def make_mvexpand(pipe: ast.MvExpand, conditions: Conditions) -> MvExpand:
    return MvExpand(pipe, conditions)

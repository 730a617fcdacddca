"""`xyseries` and `untable`: values of a column become columns, and columns become values."""

import polars as pl

from logboom.base.errors import TooLarge
from logboom.engine.grouping.cells import Cells
from logboom.engine.pipes.kinds import Finder, WholePipe
from logboom.engine.rows.memory import check_waiting, reserve
from logboom.engine.rows.shown import check_names, forget_events, list_shown
from logboom.engine.rows.size import CELL_BYTES, measure, measure_fields
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import EVERYTHING, Needs, need
from logboom.lang import ast
from logboom.model.columns import Column, Kind
from logboom.model.names import CORE_FIELDS, fold_name

MAX_COLUMNS = 1000
LABEL, PLACE = "\0label", "\0place"


class XySeries(WholePipe, frozen=True):
    """Turns values of a column into columns.

    Of several values in one place the last wins; rows without one of the first two fields are left out.
    """

    pipe: ast.XySeries

    def needs(self) -> Needs:
        return need(self.pipe.row, self.pipe.column, self.pipe.value)

    def bound_memory(self, table: Table) -> int:
        return 2 * measure_fields(table, (self.pipe.row, self.pipe.column, self.pipe.value))

    def apply(self, table: Table, _finder: Finder) -> Table:
        keys = [column.name for column in table.find_columns(self.pipe.row)]
        cells = table.find_columns(self.pipe.value)
        label = Value.of_field(table, self.pipe.column).text().alias(LABEL)
        frame = table.frame.select(*keys, *(column.name for column in cells), label)
        frame = frame.filter(pl.col(LABEL).is_not_null())
        if keys:
            frame = frame.filter(pl.any_horizontal(pl.col(keys).is_not_null()))
        else:
            frame = frame.clear()
        labels = sorted(frame[LABEL].unique())
        if len(labels) > MAX_COLUMNS:
            raise TooLarge(
                f"xyseries would make {len(labels)} columns, expected at most {MAX_COLUMNS}"
            )
        rows = frame.select(keys).unique(maintain_order=True)
        if not labels:
            return Table(rows, (self.pipe.row,))
        last = frame.unique([*keys, LABEL], keep="last", maintain_order=True)
        spread = Cells.of(last, rows, LABEL, labels)
        pieces = [(column.kind, list(spread.spread(column.name, None))) for column in cells]
        fields = {
            self._name(name): {kind: pl.lit(columns[number]) for kind, columns in pieces}
            for number, name in enumerate(labels)
        }
        return Table(rows, (self.pipe.row,)).with_fields(fields)

    def _name(self, label: str) -> str:
        return (
            f"{self.pipe.value}: {label}" if fold_name(label) == fold_name(self.pipe.row) else label
        )


class Untable(WholePipe, frozen=True):
    """Missing values give no row, and the service's own fields of events are ignored."""

    pipe: ast.Untable
    conditions: Conditions

    def needs(self) -> Needs:
        return EVERYTHING

    def bound_memory(self, table: Table) -> int:
        return measure(table.frame)

    def apply(self, table: Table, _finder: Finder) -> Table:
        names = (self.pipe.row, self.pipe.column, self.pipe.value)
        check_names("untable", names)
        hidden = {fold_name(self.pipe.row), *(CORE_FIELDS if table.has_events else ())}
        plain = forget_events(table)
        # The order of event fields in blocks is arbitrary.
        shown = sorted(list_shown(plain)) if table.has_events else list_shown(plain)
        others = [name for name in shown if fold_name(name) not in hidden]
        self._check_size(plain, others)
        keys = [column.name for column in plain.find_columns(self.pipe.row)]
        reserve(bound_rows(plain, keys, others))
        pieces = [self._list_values(plain, keys, name) for name in others]
        empty = pl.DataFrame([pl.Series(PLACE, [], pl.UInt32)])
        frame = pl.concat(pieces, how="diagonal") if pieces else empty
        return Table(frame.sort(PLACE, maintain_order=True).drop(PLACE), names)

    def _list_values(self, table: Table, keys: list[str], name: str) -> pl.DataFrame:
        check_waiting()
        value = Value.of_field(table, name)
        folded = fold_name(self.pipe.value)
        label = pl.lit(name, pl.String).alias(Column(fold_name(self.pipe.column), Kind.STR).name)
        cells = [part.alias(Column(folded, kind).name) for kind, part in value.parts.items()]
        columns = dict.fromkeys([*keys, *(column.name for column in table.find_columns(name))])
        return (
            table.frame[list(columns)]
            .with_row_index(PLACE)
            .filter(value.exists())
            .select(PLACE, *keys, label, *cells)
        )

    def _check_size(self, table: Table, names: list[str]) -> None:
        rows = table.height * len(names)
        if rows > self.conditions.limits.max_rows:
            raise TooLarge(
                f"untable would make up to {rows} rows, expected at most {self.conditions.limits.max_rows}"
            )


def bound_rows(table: Table, keys: list[str], names: list[str]) -> int:
    """Return the memory of the values as separate rows, each with the key of its row; they are sorted once."""
    columns = [column.name for name in names for column in table.find_columns(name)]
    counts: tuple[int, ...] = table.frame.select(pl.col(columns).count()).row(0) if columns else ()
    key_bytes = measure(table.frame.select(keys)) // max(table.height, 1) if keys else 0
    return 2 * sum(counts) * (key_bytes + 3 * CELL_BYTES) + measure(table.frame.select(columns))


def make_xyseries(pipe: ast.XySeries, _conditions: Conditions) -> XySeries:
    return XySeries(pipe)


def make_untable(pipe: ast.Untable, conditions: Conditions) -> Untable:
    return Untable(pipe, conditions)

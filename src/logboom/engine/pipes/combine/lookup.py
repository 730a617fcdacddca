"""`lookup`: columns of a stored table, from its first row whose keys equal fields, ignoring case."""

from collections.abc import Iterable

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.pipes.overlay import is_reserved, overlay
from logboom.engine.rows.computed import compute_rows
from logboom.engine.rows.size import CELL_BYTES, measure_fields
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need
from logboom.lang import ast
from logboom.model.columns import Kind

KEY = "\0key"
MAX_SHOWN = 20
NO_TABLES = "but there are no tables yet"
CSV = ".csv"


class Lookup(RowPipe, frozen=True):
    """Adds columns of a stored table.

    `known` has the folded keys of each row once; a row without a match is unchanged.
    """

    fields: tuple[str, ...]
    outputs: tuple[tuple[str, str], ...]
    known: pl.DataFrame
    keeps: bool = False

    def needs(self) -> Needs:
        return need(*self.fields, *(name for _, name in self.outputs))

    def bound_memory(self, table: Table) -> int:
        return measure_fields(table, self.fields) + CELL_BYTES * table.height * (
            len(self.fields) + 2 * len(self.outputs)
        )

    def apply(self, table: Table) -> Table:
        keys = pl.DataFrame(
            [
                compute_rows(
                    table.frame, Value.of_field(table, field).text().str.to_lowercase()
                ).alias(f"{KEY}{place}")
                for place, field in enumerate(self.fields)
            ]
        )
        found = keys.join(self.known, on=keys.columns, how="left", maintain_order="left")
        for column, name in self.outputs:
            if is_reserved(table, name):
                raise Invalid(f"{name} identifies the event, expected other columns to output")
            value = Value({Kind.STR: pl.lit(found[column])})
            table = overlay(table, name, value, keeps=self.keeps)
        return table


def make_lookup(pipe: ast.Lookup, conditions: Conditions) -> Lookup:
    stored = find_table("lookup", pipe.table, conditions)
    keys = order_keys(pipe.keys, stored.columns)
    for name in (*(column for column, _ in keys), *(column for column, _ in pipe.outputs)):
        if name not in stored.columns:
            raise Invalid(f"lookup: column {name!r}, expected one of {list_names(stored.columns)}")
    used = {column for column, _ in keys}
    others = tuple((name, name) for name in stored.columns if name not in used)
    outputs = pipe.outputs or others
    folded = [
        pl.col(column).str.to_lowercase().alias(f"{KEY}{place}")
        for place, (column, _) in enumerate(keys)
    ]
    names = [f"{KEY}{place}" for place in range(len(keys))]
    columns = dict.fromkeys(column for column, _ in outputs)
    known = stored.select(*folded, *columns).unique(names, keep="first", maintain_order=True)
    fields = tuple(field for _, field in keys)
    return Lookup(fields, outputs, known.drop_nulls(names), pipe.keeps)


def order_keys(
    keys: tuple[tuple[str, str], ...], columns: list[str]
) -> tuple[tuple[str, str], ...]:
    """Return pairs of a column and a field, swapped if only that makes sense."""
    return tuple(
        (field, column) if column not in columns and field in columns else (column, field)
        for column, field in keys
    )


def find_table(pipe: str, name: str, conditions: Conditions) -> pl.DataFrame:
    """Return the stored table; tables are stored as CSV, so the extension is ignored."""
    for spelling in (name, name.removesuffix(CSV)):
        if spelling in conditions.tables:
            return conditions.tables[spelling]
    known = f"expected one of {list_names(conditions.tables)}" if conditions.tables else NO_TABLES
    raise Invalid(f"{pipe}: table {name!r}, {known}")


def list_names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)[:MAX_SHOWN])

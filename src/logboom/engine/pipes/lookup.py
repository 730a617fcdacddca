"""`lookup`: columns of a stored table, from its first row whose key equals a field in any case."""

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.computed import compute_rows
from logboom.engine.conditions import Conditions
from logboom.engine.needs import Needs, need
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.pipes.overlay import is_reserved, overlay
from logboom.engine.table import Table
from logboom.engine.values import Value
from logboom.lang import ast
from logboom.model.columns import Kind

KEY = "\0key"
MAX_SHOWN = 20


@dataclass(frozen=True)
class Lookup(RowPipe):
    """`known` has the folded key of each row once; a row without a match keeps what it had."""

    field: str
    outputs: tuple[str, ...]
    known: pl.DataFrame

    def needs(self) -> Needs:
        return need(self.field, *self.outputs)

    def apply(self, table: Table) -> Table:
        key = Value.of_field(table, self.field).text().str.to_lowercase()
        keys = compute_rows(table.frame, key).to_frame(KEY)
        found = keys.join(self.known, on=KEY, how="left", maintain_order="left")
        for name in self.outputs:
            if is_reserved(table, name):
                raise Invalid(f"{name} says which event it is, expected other columns to output")
            table = overlay(table, name, Value({Kind.STR: pl.lit(found[name])}))
        return table


def make_lookup(pipe: ast.Lookup, conditions: Conditions) -> Lookup:
    stored = conditions.tables.get(pipe.table)
    if stored is None:
        raise Invalid(
            f"lookup: table {pipe.table!r}, expected one of {list_names(conditions.tables)}"
        )
    for name in (pipe.key, *pipe.outputs):
        if name not in stored.columns:
            raise Invalid(f"lookup: column {name!r}, expected one of {list_names(stored.columns)}")
    outputs = pipe.outputs or tuple(name for name in stored.columns if name != pipe.key)
    folded = pl.col(pipe.key).str.to_lowercase().alias(KEY)
    known = stored.select(folded, *outputs).unique(KEY, keep="first", maintain_order=True)
    return Lookup(pipe.field, outputs, known.drop_nulls(KEY))


def list_names(names: Iterable[str]) -> str:
    shown = sorted(names)[:MAX_SHOWN]
    return ", ".join(shown) or "none"

"""`replace`: each occurrence of a text inside the texts of fields becomes another, pair by pair.

Case counts, nothing in the old text has a special meaning, and values that are no texts stay.
"""

from dataclasses import dataclass

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.pipes.overlay import is_reserved
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need
from logboom.lang import ast
from logboom.model.columns import MESSAGE, Kind


@dataclass(frozen=True)
class Replace(RowPipe):
    fields: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]

    def needs(self) -> Needs:
        return need(*self.fields)

    def apply(self, table: Table) -> Table:
        for name in self.fields:
            if is_reserved(table, name):
                raise Invalid(
                    f"{name} says which event it is, expected another field to replace in"
                )
            value = Value.of_field(table, name)
            if value.parts or table.has_events:
                parts = {kind: self._replace(part, kind) for kind, part in value.parts.items()}
                table = table.with_field(name, parts)
        return table

    def _replace(self, part: pl.Expr, kind: Kind) -> pl.Expr:
        if kind is Kind.STRS:
            return part.list.eval(self._replace(pl.element(), Kind.STR))
        if kind is Kind.STR:
            for old, new in self.pairs:
                part = part.str.replace_all(old, new, literal=True)
        return part


def make_replace(pipe: ast.Replace, _conditions: Conditions) -> Replace:
    if any(not old for old, _ in pipe.pairs):
        raise Invalid('replace "", expected a text to look for')
    return Replace(pipe.fields or (MESSAGE.field,), pipe.pairs)

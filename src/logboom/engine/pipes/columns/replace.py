"""`replace`: replaces each occurrence of a text inside the texts of fields, pair by pair.

Case matters, nothing in the old text has a special meaning, and values that are not texts stay.
"""

import re

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.expressions.growth import count_matches
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.pipes.overlay import is_reserved
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.size import measure_fields
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need
from logboom.lang import ast
from logboom.model.columns import MESSAGE, Kind

TEXTS = frozenset({Kind.STR, Kind.STRS})


class Replace(RowPipe, frozen=True):
    fields: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]

    def needs(self) -> Needs:
        return need(*self.fields)

    def bound_memory(self, table: Table) -> int:
        return measure_fields(table, self.fields)

    def apply(self, table: Table) -> Table:
        for name in self.fields:
            if is_reserved(table, name):
                raise Invalid(f"{name} identifies the event, expected another field to replace in")
            value = Value.of_field(table, name)
            if value.parts or table.has_events:
                for old, new in self.pairs:
                    parts = dict(Value.of_field(table, name).parts)
                    for kind in TEXTS.intersection(parts):
                        reserve(bound_growth(table, parts[kind], kind, old, new))
                        parts[kind] = replace_part(parts[kind], kind, old, new)
                    table = table.with_field(name, parts)
        return table


def replace_part(part: pl.Expr, kind: Kind, old: str, new: str) -> pl.Expr:
    if kind is Kind.STRS:
        return part.list.eval(replace_part(pl.element(), Kind.STR, old, new))
    return part.str.replace_all(old, new, literal=True)


def bound_growth(table: Table, part: pl.Expr, kind: Kind, old: str, new: str) -> int:
    """Return what is added if the new text is longer."""
    added_bytes = len(new.encode()) - len(old.encode())
    if added_bytes <= 0:
        return 0
    text = part.list.join("\n", ignore_nulls=True) if kind is Kind.STRS else part
    return count_matches(table.frame, text, re.escape(old), added_bytes)


def make_replace(pipe: ast.Replace, _conditions: Conditions) -> Replace:
    if any(not old for old, _ in pipe.pairs):
        raise Invalid('replace "", expected a text to look for')
    return Replace(pipe.fields or (MESSAGE.field,), pipe.pairs)

"""Captures: groups of a regular expression's first match become fields; used by `rex` and `extract`."""

import re

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.expressions.arguments import check_size
from logboom.engine.expressions.growth import count_matches
from logboom.engine.expressions.patterns import list_groups
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.pipes.overlay import is_reserved, overlay
from logboom.engine.rows.computed import compute_rows
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.size import VIEW_BYTES, measure_fields
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.needs import Needs, need
from logboom.model.columns import Kind


class Captures(RowPipe, frozen=True):
    """Turns groups of matches into fields.

    `names` pairs a group with its field; a row without a match is unchanged.
    With `most` matches (0: all) the fields are lists. With `keeps` a row keeps an existing value, with `skips_empty`
    an empty group is ignored.
    """

    field: str
    expression: str
    names: tuple[tuple[str, str], ...]
    most: int = 1
    keeps: bool = False
    skips_empty: bool = False
    keyword = "rex"

    def needs(self) -> Needs:
        return need(self.field, *(name for _, name in self.names))

    def bound_memory(self, table: Table) -> int:
        """Return the memory of the groups: adjacent ones share the text, nested ones have it once more."""
        size_bytes = measure_fields(table, (self.field,))
        return measure_depth(self.expression) * size_bytes + VIEW_BYTES * table.height * (
            len(self.names) + 1
        )

    def apply(self, table: Table) -> Table:
        text = Value.of_field(table, self.field).text()
        found = self._find_first(table, text) if self.most == 1 else self._find_all(table, text)
        for name, value in found.items():
            if is_reserved(table, name):
                raise Invalid(f"{name} identifies the event, expected another name to extract to")
            table = overlay(table, name, value, keeps=self.keeps)
        return table

    def _find_first(self, table: Table, text: pl.Expr) -> dict[str, Value]:
        matches = compute_rows(table.frame, text.str.extract_groups(self.expression))
        found: dict[str, Value] = {}
        for group, name in self.names:
            texts = matches.struct.field(group)
            held = texts.replace("", None) if self.skips_empty else texts
            found[name] = Value({Kind.STR: pl.lit(held)})
        return found

    def _find_all(self, table: Table, text: pl.Expr) -> dict[str, Value]:
        """Return the groups of all matches; each match is matched again by itself."""
        bytes_each = VIEW_BYTES * (len(self.names) + 1)
        reserve(count_matches(table.frame, text, self.expression, bytes_each))
        matches = compute_rows(table.frame, text.str.extract_all(self.expression))
        check_size(matches)
        if self.most:
            matches = matches.list.head(self.most)
        places = list_groups(self.expression)
        found: dict[str, Value] = {}
        for group, name in self.names:
            piece = pl.element().str.extract(self.expression, places.index(group) + 1)
            kept = piece.replace("", None) if self.skips_empty else piece
            values = matches.list.eval(kept.drop_nulls())
            held = pl.select(pl.when(values.list.len() > 0).then(values)).to_series()
            found[name] = Value({Kind.STRS: pl.lit(held)})
        return found


def measure_depth(expression: str) -> int:
    """Return how deeply groups are nested, at most."""
    depth = deepest = 1
    for letter in re.sub(r"\\.", "", expression):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        deepest = max(deepest, depth)
    return deepest

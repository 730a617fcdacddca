"""Captures: groups of a regular expression's first match become fields; shared by `rex` and `extract`."""

from dataclasses import dataclass

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.computed import compute_rows
from logboom.engine.needs import Needs, need
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.pipes.overlay import is_reserved, overlay
from logboom.engine.table import Table
from logboom.engine.values import Value
from logboom.model.columns import Kind


@dataclass(frozen=True)
class Captures(RowPipe):
    """`names` pairs a group with its field; a row without a match keeps what it had."""

    field: str
    expression: str
    names: tuple[tuple[str, str], ...]

    def needs(self) -> Needs:
        return need(self.field, *(name for _, name in self.names))

    def apply(self, table: Table) -> Table:
        text = Value.of_field(table, self.field).text()
        matches = compute_rows(table.frame, text.str.extract_groups(self.expression))
        for group, name in self.names:
            if is_reserved(table, name):
                raise Invalid(f"{name} says which event it is, expected another name to extract to")
            found = Value({Kind.STR: pl.lit(matches.struct.field(group))})
            table = overlay(table, name, found)
        return table

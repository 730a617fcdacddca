"""`dedup`: the first rows of each combination of values."""

from collections.abc import Sequence

import polars as pl

from logboom.engine.grouping.keys import has_all, name_tags, with_tags
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.computed import drop_columns
from logboom.engine.rows.ordering import sort_table
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import Table, concat_tables
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need
from logboom.lang import ast


class Dedup(MergePipe, frozen=True):
    """The first `keep`, after sorting by `keys` if any; rows that lack one of the fields are left out."""

    fields: tuple[str, ...]
    keep: int = 1
    keys: tuple[ast.SortKey, ...] = ()
    keeps_events = True

    def needs(self) -> Needs:
        return need(*self.fields, *(key.field for key in self.keys))

    def bound_memory(self, table: Table) -> int:
        return 2 * measure(table.frame)

    def compute(self, table: Table) -> Table:
        table = sort_table(table, self.keys)
        tags = name_tags(self.fields)
        frame = with_tags(table, self.fields).filter(has_all(self.fields))
        is_early = pl.int_range(pl.len()).over(tags) < self.keep
        return table.with_frame(drop_columns(frame.filter(is_early), tags))

    def merge(self, tables: Sequence[Table]) -> Table:
        return self.compute(concat_tables(tables))

    def finish(self, merged: Table) -> Table:
        return merged


def make_dedup(pipe: ast.Dedup, _conditions: Conditions) -> Dedup:
    return Dedup(pipe.fields, pipe.keep, pipe.keys)

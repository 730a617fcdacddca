"""A condition on a pipe that changes rows: `eval a = 1 if (b:*)`. Other rows stay as they are."""

import polars as pl
from msgspec.structs import replace

from logboom.engine.filters import build_filter
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.pipes.named_fields import list_made
from logboom.engine.rows.computed import compute_rows
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import Table
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need_node
from logboom.lang import ast


class When(RowPipe, frozen=True):
    """`pipe` returns as many rows as it gets, in the same order."""

    pipe: RowPipe
    condition: ast.Filter
    changed: frozenset[str]
    conditions: Conditions

    def needs(self) -> Needs:
        names = Needs(self.changed)
        return self.pipe.needs() | need_node(self.condition) | names

    def bound_memory(self, table: Table) -> int:
        return self.pipe.bound_memory(table) + measure(table.frame)

    def apply(self, table: Table) -> Table:
        test = build_filter(self.condition, table, self.conditions)
        is_true = compute_rows(table.frame, test)
        after = self.pipe.apply(table)
        before = set(table.frame.columns)
        kept = table.frame.select(before - set(after.frame.columns))
        frame = after.frame.with_columns(
            pl.when(pl.lit(is_true))
            .then(pl.col(name))
            .otherwise(pl.lit(table.frame[name]) if name in before else None)
            .alias(name)
            for name in after.frame.columns
        ).with_columns(
            pl.when(pl.lit(is_true)).then(None).otherwise(pl.lit(column)).alias(column.name)
            for column in kept
        )
        return replace(after, frame=frame)


def make_when(pipe: RowPipe, node: ast.When, conditions: Conditions) -> When:
    return When(pipe, node.condition, frozenset(list_made(node.pipe)), conditions)

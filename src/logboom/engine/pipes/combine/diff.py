"""`diff`: compares how often values occur now with how often they did in the time just before."""

from collections.abc import Sequence

import polars as pl

from logboom.engine.grouping.keys import group_rows, name_keys
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.ordering import order_by
from logboom.engine.rows.shown import check_names
from logboom.engine.rows.size import CELL_BYTES, measure_fields
from logboom.engine.rows.table import TIME, Table, concat_tables
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need
from logboom.engine.terms.request import MIN_NS
from logboom.lang import ast
from logboom.model.columns import Column, Kind

CURRENT = Column("current", Kind.INT)
PREVIOUS = Column("previous", Kind.INT)
CHANGE = Column("change", Kind.INT)
RATIO = Column("ratio", Kind.FLOAT)
MADE = (CURRENT, PREVIOUS, CHANGE, RATIO)
COUNTS = (CURRENT.name, PREVIOUS.name)


class Diff(MergePipe, frozen=True):
    """Rows from `from_ns` to before `to_ns` against those from `start_ns` to before `from_ns`.

    `ratio` is null if there was nothing before. The greatest change comes first.
    """

    by: tuple[str, ...]
    start_ns: int
    from_ns: int
    to_ns: int

    def needs(self) -> Needs:
        return need("_time", *self.by)

    def bound_memory(self, table: Table) -> int:
        return measure_fields(table, self.by) + 2 * CELL_BYTES * table.height

    def compute(self, table: Table) -> Table:
        has_time = TIME in table.find_columns("_time")
        time = pl.col(TIME.name) if has_time else pl.lit(None, pl.Int64)
        in_time = table.filter((time >= self.start_ns) & (time < self.to_ns))
        is_current = time >= self.from_ns
        counts = [is_current.sum().cast(pl.Int64), (~is_current).sum().cast(pl.Int64)]
        return self._reduce(in_time, name_keys(table, self.by), counts)

    def _reduce(self, table: Table, keys: list[pl.Expr], counts: list[pl.Expr]) -> Table:
        named = [count.alias(name) for count, name in zip(counts, COUNTS, strict=True)]
        frame = group_rows(table.frame, keys, named)
        if self.by:
            frame = frame.filter(pl.any_horizontal(pl.col(COUNTS) > 0))
        return Table(frame, (*self.by, *(column.field for column in MADE)))

    def merge(self, tables: Sequence[Table]) -> Table:
        table = concat_tables(tables)
        return self._reduce(
            table, name_keys(table, self.by), [pl.col(name).sum() for name in COUNTS]
        )

    def finish(self, merged: Table) -> Table:
        current, previous = (pl.col(name) for name in COUNTS)
        frame = merged.frame.with_columns(
            (current - previous).alias(CHANGE.name),
            pl.when(previous > 0).then(current / previous).alias(RATIO.name),
        )
        table = merged.with_frame(frame)
        by, descending = order_by(table, [ast.SortKey(field) for field in self.by])
        greatest_first = frame.sort(
            [pl.col(CHANGE.name).abs(), *by], descending=[True, *descending], nulls_last=True
        )
        return table.with_frame(greatest_first)


def make_diff(pipe: ast.Diff, conditions: Conditions) -> Diff:
    """Return the pipe; a range without an end ends now, one without a start is as long as the one before it."""
    check_names("diff", (*pipe.by, *(column.field for column in MADE)))
    previous_ns = int(pipe.previous.scaled)
    to_ns = min(conditions.to_ns, conditions.now_ns + 1)
    from_ns = conditions.from_ns if conditions.from_ns > MIN_NS else to_ns - previous_ns
    return Diff(pipe.by, max(from_ns - previous_ns, MIN_NS), max(from_ns, MIN_NS), to_ns)

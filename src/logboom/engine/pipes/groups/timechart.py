"""`timechart`: one row per span of time, empty ones too; with `by` one column per value."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import cast

import polars as pl

from logboom.engine.grouping.groups import Groups
from logboom.engine.grouping.pivot import spread
from logboom.engine.pipes.groups.grouping import ORDERED_COPIES
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.internal import internal
from logboom.engine.rows.size import CELL_BYTES
from logboom.engine.rows.table import TIME, Table
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need
from logboom.engine.terms.request import END_NS, MIN_NS
from logboom.engine.terms.spans import choose_span, floor_times, list_starts, measure_span
from logboom.lang import ast

MAX_CHOSEN = 100
"""Maximum number of rows if the span is chosen automatically."""
DAY = ast.Quantity(1, "d")
SPAN, FIRST, LAST = map(internal, ("span", "first", "last"))
"""Of a partial result: the length of its spans, and the first and last time it has seen."""
RANGE = (pl.col(SPAN).max(), pl.col(FIRST).min(), pl.col(LAST).max())


class Timechart(MergePipe, frozen=True, dict=True):
    """Over the requested range; if that is open, over the range of the rows.

    Until all rows are seen, an automatic span suits those seen so far; it is never longer than the final one, nor
    than a day, of which all longer ones consist.
    """

    pipe: ast.Timechart
    conditions: Conditions

    def __post_init__(self) -> None:
        self._group(self.pipe.span or DAY)

    @property
    def needs_identity(self) -> bool:
        return self._daily.is_ordered

    def needs(self) -> Needs:
        return self._daily.needs() | need(TIME.field)

    def bound_memory(self, table: Table) -> int:
        return self._daily.bound_memory(table) + 3 * CELL_BYTES * table.height

    def bound_merging(self, table: Table) -> int:
        return super().bound_merging(table) + ORDERED_COPIES * self._daily.measure_texts(table)

    @cached_property
    def _daily(self) -> Groups:
        """The groups to use if the span makes no difference."""
        return self._group(DAY)

    @cached_property
    def _fixed(self) -> Groups:
        return self._make_groups(self.pipe.span or DAY)

    def _group(self, span: ast.Quantity) -> Groups:
        return self._fixed if span == self.pipe.span else self._make_groups(span)

    def _make_groups(self, span: ast.Quantity) -> Groups:
        by = () if self.pipe.by is None else (self.pipe.by,)
        keys = (ast.Key(TIME.field, span), *by)
        return Groups(keys, self.pipe.aggregates, self.conditions)

    def compute(self, table: Table) -> Table:
        table = keep_timed(table)
        times = table.frame[TIME.name]
        first, last = cast("int | None", times.min()), cast("int | None", times.max())
        span = self._choose(first, last)
        if measure_span(span) > measure_span(DAY) and self.pipe.span is None:
            span = DAY
        partial = self._group(span).compute(table).frame
        seen = {SPAN: measure_span(span), FIRST: first, LAST: last}
        return Table(
            partial.hstack(
                [
                    pl.Series(name, [value] * partial.height, pl.Int64)
                    for name, value in seen.items()
                ]
            )
        )

    def merge(self, tables: Sequence[Table]) -> Table:
        groups = self._daily
        frame = pl.concat([table.frame for table in tables], how="diagonal")
        if groups.is_small(frame):
            return Table(frame)
        widest = ast.Quantity(int(frame[SPAN].max()), "ns")  # type: ignore[arg-type]
        even = frame.with_columns(floor_times(pl.col(TIME.name), widest, self.conditions.zone))
        return Table(groups.merge_frame(even, groups.list_keys(even), RANGE))

    def finish(self, merged: Table) -> Table:
        first, last = merged.frame.select(pl.col(FIRST).min(), pl.col(LAST).max()).row(0)
        span = self._choose(first, last)
        starts = self._list_starts(first, last, span)
        groups = self._group(span)
        zone = self.conditions.zone
        frame = merged.frame.with_columns(floor_times(pl.col(TIME.name), span, zone))
        times = pl.Series(TIME.name, starts, pl.Int64)
        rows = pl.concat([times, frame[TIME.name]]).unique().sort().to_frame()
        return spread(groups, frame, Table(rows, (TIME.field,)), [TIME.name], self.pipe)

    def _choose(self, first: int | None, last: int | None) -> ast.Quantity:
        if self.pipe.span is not None:
            return self.pipe.span
        start_ns, end_ns = self._find_range(first, last)
        return choose_span(start_ns, end_ns, MAX_CHOSEN, self.conditions.zone)

    def _list_starts(self, first: int | None, last: int | None, span: ast.Quantity) -> list[int]:
        return list_starts(*self._find_range(first, last), span, self.conditions.zone)

    def _find_range(self, first: int | None, last: int | None) -> tuple[int, int]:
        """Return the range from the first time that has rows to after the last; empty if there are none."""
        start_ns, end_ns = self.conditions.from_ns, self.conditions.to_ns
        if start_ns == MIN_NS:
            start_ns = end_ns if first is None else first
        if end_ns == END_NS:
            end_ns = start_ns if last is None else last + 1
        return (start_ns, end_ns) if MIN_NS < start_ns < end_ns < END_NS else (0, 0)

    def read_remarks(self, merged: Table) -> Counter[tuple[str, str]]:
        """Return what the result leaves out: how many values, by the reason and the field."""
        return self._daily.read_remarks(merged)


def keep_timed(table: Table) -> Table:
    """Return the table without rows that have no time."""
    if TIME.name not in table.frame.columns:
        missing = pl.lit(None, pl.Int64).alias(TIME.name)
        table = table.with_frame(table.frame.with_columns(missing))
    has_all = not table.frame[TIME.name].null_count()
    return table if has_all else table.filter(pl.col(TIME.name).is_not_null())


def make_timechart(pipe: ast.Timechart, conditions: Conditions) -> Timechart:
    return Timechart(pipe, conditions)

"""`stats` of many time windows at once: rows are reduced once by time slots, which are combined to windows.

Not a pipe of the language: previews of alerts use it instead of `stats`.
"""

import math
from collections.abc import Iterator

import polars as pl
from msgspec.structs import replace

from logboom.base.structs import InternalStruct
from logboom.engine.grouping.groups import Groups
from logboom.engine.pipes.groups.stats import Stats
from logboom.engine.rows.internal import internal
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import TIME, Table
from logboom.engine.terms.needs import Needs, need
from logboom.lang import ast
from logboom.model.columns import Column, Kind
from logboom.model.names import fold_name

WINDOW = internal("window")
"""The window of a row of the result."""
MOST_SPREAD_ROWS = 500_000
"""Partial results, counted once for each of their windows, that are merged at a time."""
ROW_BYTES = 64


class Sliding(InternalStruct, frozen=True):
    """Windows of one length, the first from `first_ns` on, each a step after the previous."""

    first_ns: int
    length_ns: int
    step_ns: int
    count: int

    @property
    def end_ns(self) -> int:
        return self.first_ns + (self.count - 1) * self.step_ns + self.length_ns

    @property
    def slot_ns(self) -> int:
        """The longest slot such that every window consists of whole ones."""
        return math.gcd(self.length_ns, self.step_ns) if self.count > 1 else self.length_ns

    @property
    def overlap(self) -> int:
        """The maximum number of windows that contain a time."""
        return min(self.count, -(-self.length_ns // self.step_ns))

    @property
    def phase_ns(self) -> int:
        """When the slots begin, in each multiple of their length."""
        return self.first_ns % self.slot_ns

    def number_slots(self, times: pl.Expr) -> pl.Expr:
        """Return the slots of times, by numbers that are the same in all windows of this slot and phase."""
        return (times - self.phase_ns) // self.slot_ns

    def find_windows(self, numbered: pl.Expr, first: int, end: int) -> pl.Expr:
        """Return the windows from `first` to before `end` that contain a numbered slot."""
        return self.list_windows(numbered - self.first_ns // self.slot_ns, first, end)

    def list_windows(self, slots: pl.Expr, first: int, end: int) -> pl.Expr:
        """Return the windows from `first` to before `end` that contain a slot, counted from the first."""
        step, length = max(self.step_ns // self.slot_ns, 1), self.length_ns // self.slot_ns
        since = (slots - length).floordiv(step) + 1
        until = slots.floordiv(step) + 1
        return pl.int_ranges(since.clip(first, end), until.clip(first, end))


class SlidingStats(Stats, frozen=True):
    """Does what `stats` does in every window. The first key of `groups` is the slot; `groups_of_window` lacks it."""

    groups_of_window: Groups
    sliding: Sliding

    keyword = "stats"

    @property
    def _slot(self) -> str:
        return self.groups.keys[0].field

    def needs(self) -> Needs:
        return self.groups_of_window.needs() | need(TIME.field)

    @property
    def reads_indexes(self) -> bool:
        return False

    @property
    def counts_selected(self) -> bool:
        return False

    def compute(self, table: Table) -> Table:
        slots = self.sliding.number_slots(pl.col(TIME.name))
        return self.groups.compute(table.with_field(self._slot, {Kind.INT: slots}))

    def finish(self, merged: Table) -> Table:
        """Return the groups of all windows, in the order of `stats` within each."""
        frame = self.groups.merge_frame(merged.frame, self.groups.list_keys(merged.frame))
        reserve(ROW_BYTES * min(frame.height * self.sliding.overlap, MOST_SPREAD_ROWS))
        found = pl.concat(self._finish_some(frame), how="diagonal")
        groups = self.groups_of_window
        return Stats(groups).sort(Table(found, groups.columns))

    def _finish_some(self, frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """Yield some windows after the other; at least one frame, which may be empty."""
        groups = self.groups_of_window
        slot = Column(fold_name(self._slot), Kind.INT).name
        keys = [WINDOW, *groups.list_keys(frame)]
        for first, end in self._list_stretches(frame.height):
            windows = self.sliding.find_windows(pl.col(slot), first, end).alias(WINDOW)
            spread = frame.with_columns(windows).drop(slot).filter(pl.col(WINDOW).list.len() > 0)
            found = groups.finish_frame(groups.conclude(spread.explode(WINDOW), keys), keys)
            reserve(measure(found))
            yield found

    def _list_stretches(self, rows: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of windows, each with as many windows as do not have too many rows."""
        spread = max(1, rows * self.sliding.overlap)
        size = max(1, self.sliding.count * MOST_SPREAD_ROWS // spread)
        for first in range(0, self.sliding.count, size):
            yield first, min(first + size, self.sliding.count)


def make_sliding(stats: Stats, sliding: Sliding, names: frozenset[str]) -> SlidingStats:
    """Return the aggregates in windows; `names` are the fields of the rows."""
    groups = stats.groups
    slot = "slot"
    while slot in names or slot in map(fold_name, groups.columns):
        slot += "_"
    of_slots = replace(groups, keys=(ast.Key(slot), *groups.keys))
    return SlidingStats(of_slots, groups, sliding)

"""Counts groups by columns in memory, one block after the other, without a table for each."""

from collections import Counter

import polars as pl

from logboom.engine.blocks.block import Block
from logboom.engine.blocks.codes import find_all_codes
from logboom.engine.grouping.coded import count_codes
from logboom.engine.grouping.groups import Groups
from logboom.engine.grouping.spans import count_spans
from logboom.engine.grouping.texts import Texts
from logboom.engine.rows.table import TIME, Table, concat_tables
from logboom.model.columns import DTYPES, Column, Kind, Scalar
from logboom.model.names import fold_name

MOST_GROUPS = 10_000
"""Blocks are left out once there would be more groups."""

Counts = dict[tuple[Scalar | None, ...], int]


class Tally:
    """How many rows each group has; for groups that are only counted, by time spans or texts."""

    def __init__(self, groups: Groups, most_bytes: int) -> None:
        self._groups = groups
        self._totals: Counter[tuple[Scalar | None, ...]] = Counter()
        fields = groups.plain_keys or ()
        self._texts = Texts(fields[0], most_bytes) if len(fields) == 1 else None
        """Texts of which there are many different ones: those of all blocks are grouped at once."""

    @property
    def is_costly(self) -> bool:
        return bool(self._texts)

    def add(self, block: Block, selection: pl.Series | None) -> bool:
        """Count selected rows of a block; return False if it would have to be read, or has too many groups."""
        counts = self._count(block, selection)
        if counts is None:
            return self._texts is not None and self._texts.add(block, selection)
        if len(self._totals) + len(counts) > MOST_GROUPS:
            return False
        for key, count in counts.items():
            self._totals[key] += count
        return True

    def _count(self, block: Block, selection: pl.Series | None) -> Counts | None:
        span = self._groups.time_span
        if span is None:
            return self._count_coded(block, selection)
        times = block.find([TIME.field]).get(TIME.field)
        if times is None:
            return None
        counts = count_spans(times, selection, span, self._groups.conditions.zone)
        return None if counts is None else {(start_ns,): n for start_ns, n in counts.items()}

    def _count_coded(self, block: Block, selection: pl.Series | None) -> Counts | None:
        keys = find_all_codes(block, self._groups.plain_keys or (), in_memory=True)
        counted = count_codes(keys, selection) if keys else None
        return (
            None
            if counted is None
            else dict(zip(zip(*counted.keys, strict=True), counted.rows, strict=True))
        )

    def make_table(self) -> Table | None:
        """Return the partial result of the blocks that were counted, or None if no row was."""
        tables = [self._make_counted()] if self._totals else []
        tables += [self._groups.list_singly(self._texts.join())] if self._texts else []
        return concat_tables(tables) if tables else None

    def _make_counted(self) -> Table:
        kind = Kind.STR if self._groups.time_span is None else Kind.TIME
        columns = [Column(fold_name(key.field), kind) for key in self._groups.keys]
        keys = [
            pl.Series(column.name, values, DTYPES[kind])
            for column, values in zip(columns, zip(*self._totals, strict=True), strict=True)
        ]
        return self._groups.make_counted(keys, list(self._totals.values()))

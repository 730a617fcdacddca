"""Running totals: for each row, the aggregates of the rows up to it.

Partial results of 1, 2, 4, … rows are made by merging those of half as many, and each window is composed of such
pieces. So any aggregate can run, with only a few merges per row.
"""

import polars as pl

from logboom.base.errors import TooLarge
from logboom.base.structs import InternalStruct
from logboom.engine.grouping.groups import Groups
from logboom.engine.rows.internal import internal
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import Table

ROW = internal("target")
"""The row of a partial result, counted group by group."""
PLACE = internal("running")
"""The position of the row in the table."""
MAX_VALUES = 20_000_000
COPIES = 4
"""How many partial results of each row exist at once: pieces, those they are made of, and their sum."""


class Running(InternalStruct, frozen=True):
    """The running totals of groups.

    `singles` has the partial result of each row alone; `depths` how many of its group come before it.
    """

    groups: Groups
    singles: pl.DataFrame
    depths: pl.Series
    places: pl.Series

    @classmethod
    def of(cls, groups: Groups, table: Table) -> "Running":
        """Return the running state of a table with at least one row."""
        read, keys = groups.read(table)
        frame = read.with_row_index(PLACE)
        depth = pl.int_range(pl.len()).alias(ROW)
        if keys:
            grouped = frame.group_by(keys, maintain_order=True).agg(PLACE, depth)
            places = grouped.explode(PLACE, ROW)
        else:
            places = frame.select(PLACE, depth)
        ordered = frame[places[PLACE]].drop(PLACE).with_row_index(ROW)
        return cls(
            groups, groups.reduce_frame(ordered, [ROW]).sort(ROW), places[ROW], places[PLACE]
        )

    def total(self, window: int | None, *, current: bool = True) -> pl.DataFrame:
        """Return the results in the order of the table, each of up to `window` rows, or all up to it if None.

        If the row itself is not to count, each has the result of the previous row in its group.
        """
        longest = int(self.depths.top_k(1).item()) + 1
        length = min(window or longest, longest)
        self._check_size(length)
        result: pl.DataFrame | None = None
        piece, size, covered = self.singles, 1, 0
        while covered < length:
            if length & size:
                earlier = self._shift(piece, covered)
                result = earlier if result is None else self._join(earlier, result)
                covered += size
            if covered < length:
                piece = self._join(self._shift(piece, size), piece)
                size *= 2
        assert result is not None, "a window is not empty"
        if not current:
            result = self._shift(result, 1)
        finished = self.groups.finish_frame(self.groups.conclude(result, [ROW]), [ROW])
        rows = self.singles.select(ROW)
        in_order = rows.join(finished, on=ROW, how="left", maintain_order="left").drop(ROW)
        return self._fill(in_order).with_columns(self.places).sort(PLACE).drop(PLACE)

    def _fill(self, results: pl.DataFrame) -> pl.DataFrame:
        """Return the results for rows that have none before them."""
        filled = [
            pl.col(column.name).fill_null(reducer.empty)
            for reducer in self.groups.reducers
            if reducer.empty is not None
            for column in Table(results).find_columns(reducer.aggregate.name)
        ]
        return results.with_columns(filled)

    def _check_size(self, length: int) -> None:
        held = int((self.depths + 1).clip(upper_bound=length).sum())
        if self.groups.keeps_values and held > MAX_VALUES:
            raise TooLarge(
                f"streamstats would hold {held} values, expected at most {MAX_VALUES}: give it a window"
            )
        single_bytes = measure(self.singles)
        lists = (
            held * single_bytes // max(self.singles.height, 1) if self.groups.keeps_values else 0
        )
        reserve(COPIES * (single_bytes + lists))

    def _shift(self, piece: pl.DataFrame, distance: int) -> pl.DataFrame:
        """Return the results of the rows this far before, for rows that have one in their group."""
        if not distance:
            return piece
        rows = piece[ROW].cast(pl.Int64) + distance
        inside = rows.filter(rows < len(self.depths))
        moved = piece.head(len(inside)).with_columns(inside.cast(pl.UInt32))
        return moved.filter(self.depths.gather(inside) >= distance)

    def _join(self, earlier: pl.DataFrame, later: pl.DataFrame) -> pl.DataFrame:
        frame = pl.concat([earlier, later], how="diagonal")
        return self.groups.merge_frame(frame, [ROW]).sort(ROW)

"""The events just before and after others, in order of time; used by `context`.

Events are neighbours within their environment and index, and if some fields have the same values. Between two given
events only the nearest to either can be wanted, which keeps results small.
"""

from collections.abc import Sequence
from typing import Literal

import polars as pl
from msgspec.structs import replace

from logboom.engine.grouping.keys import name_tags, with_tags
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.internal import internal
from logboom.engine.rows.ordering import sort_descending
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import NEWEST_FIRST, TIME, Table, concat_tables
from logboom.engine.terms.needs import Needs, need
from logboom.lang import ast
from logboom.store.block.info import BlockInfo

PLACES = ("_env", "_index")
PLACE_IN_TABLE, GROUP, IS_ANCHOR, GAP, GAPS = map(
    internal, ("place_in_table", "group", "is_anchor", "gap", "gaps")
)
"""The row's index, the number of its group, and whether it is an anchor.

Then how many anchors of its group come before it, and how many there are.
"""
ROW_BYTES = 300
"""Memory per row while neighbours are searched."""


class Around(MergePipe, frozen=True):
    """Finds the neighbours of events.

    `before` events older and `after` events newer than each anchor, without the anchors.
    `side` says which blocks are searched: those with anchors, older ones, or newer ones.
    """

    anchors: pl.DataFrame
    groups: pl.DataFrame
    before: int
    after: int
    same: tuple[str, ...] = ()
    side: Literal["inside", "older", "newer"] = "inside"
    keyword = "context"
    keeps_events = True
    settles = True

    def needs(self) -> Needs:
        return need(*self.fields)

    def bound_memory(self, table: Table) -> int:
        return 2 * measure(table.frame) + ROW_BYTES * table.height

    def bound_merging(self, table: Table) -> int:
        return self.bound_memory(table)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that neighbours share."""
        return (*PLACES, *self.same)

    def turn(self, side: Literal["older", "newer"]) -> "Around":
        return replace(self, side=side)

    def compute(self, table: Table) -> Table:
        is_anchor = pl.col(IS_ANCHOR).fill_null(value=False)
        marked = (
            pl.concat([self._list_others(table), self.anchors], how="diagonal")
            .sort(NEWEST_FIRST)
            .select(
                *(PLACE_IN_TABLE, GROUP),
                is_anchor.cum_sum().over(GROUP).alias(GAP),
                is_anchor.sum().over(GROUP).alias(GAPS),
            )
            .filter(pl.col(PLACE_IN_TABLE).is_not_null())
        )
        return table.with_frame(table.frame[self._choose(marked)])

    def _list_others(self, table: Table) -> pl.DataFrame:
        """Return the rows in the groups of anchors, without these: their order, and their positions in the table."""
        tags = name_tags(self.fields)
        return (
            with_tags(table, self.fields)
            .select(*NEWEST_FIRST, *tags, pl.int_range(pl.len()).alias(PLACE_IN_TABLE))
            .join(self.groups, on=tags, how="inner", nulls_equal=True)
            .select(*NEWEST_FIRST, PLACE_IN_TABLE, GROUP)
            .join(self.anchors, on=NEWEST_FIRST, how="anti")
        )

    def _choose(self, marked: pl.DataFrame) -> pl.Series:
        """Return the positions of the first and last rows of each gap between anchors."""
        group = [GROUP, GAP]
        place = pl.int_range(pl.len()).over(group)
        rest = pl.len().over(group) - place
        follows = (pl.col(GAP) > 0) & (place < self.after)
        leads = (pl.col(GAP) < pl.col(GAPS)) & (rest <= self.before)
        return marked.filter(follows | leads)[PLACE_IN_TABLE]

    def merge(self, tables: Sequence[Table]) -> Table:
        return self.compute(concat_tables(tables))

    def is_settled(self, merged: Table, following: BlockInfo) -> bool:
        """Return whether every anchor's group has everything it needs on this side of the anchors."""
        wanted = {"inside": None, "older": self.before, "newer": self.after}[self.side]
        if wanted is None or merged.height < wanted * self.groups.height:
            return False
        times = merged.frame[TIME.name]
        if self.side == "older":
            return following.last_ns < times.min()  # type: ignore[operator]
        return following.first_ns > times.max()  # type: ignore[operator]

    def finish(self, merged: Table) -> Table:
        return merged.with_frame(sort_descending(merged.frame, NEWEST_FIRST))


def make_around(anchors: Table, wanted: ast.Context) -> Around:
    """Return the pipe; `anchors` are events with their environment, their index and the fields of `same`."""
    fields = (*PLACES, *wanted.same)
    tags = name_tags(fields)
    tagged = with_tags(anchors, fields).select(*NEWEST_FIRST, *tags)
    groups = tagged.select(tags).unique().with_row_index(GROUP)
    marked = tagged.join(groups, on=tags, nulls_equal=True).select(
        *NEWEST_FIRST, GROUP, pl.lit(value=True).alias(IS_ANCHOR)
    )
    return Around(marked, groups, wanted.before, wanted.after, wanted.same)

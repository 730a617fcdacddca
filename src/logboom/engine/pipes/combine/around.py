"""The events just before and just after others, in the order of time; what `context` is made of.

Events count as neighbours within their environment and index, and where some fields have the same
values. Between two given events only the nearest to either can be wanted, which keeps results small.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from logboom.engine.grouping.keys import name_tags, with_tags
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.internal import internal
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import NEWEST_FIRST, TIME, Table, concat_tables
from logboom.engine.terms.needs import Needs, need
from logboom.lang import ast
from logboom.store.block.info import BlockInfo

PLACES = ("_env", "_index")
IS_ANCHOR, GAP, GAPS = map(internal, ("is_anchor", "gap", "gaps"))
"""Whether a row is one of those given, how many of them come before it, and how many there are."""


@dataclass(frozen=True)
class Around(MergePipe):
    """`before` events older and `after` events newer than each anchor; the anchors are not among them.

    `side` says which blocks are asked: those where anchors are, older ones, or newer ones.
    """

    anchors: pl.DataFrame
    before: int
    after: int
    same: tuple[str, ...] = ()
    side: Literal["inside", "older", "newer"] = "inside"
    keyword = "context"
    keeps_events = True
    settles = True

    def needs(self) -> Needs:
        return need(*self.fields)

    def holds(self, table: Table) -> int:
        return 2 * measure(table.frame)

    @property
    def fields(self) -> tuple[str, ...]:
        """What neighbours have in common."""
        return (*PLACES, *self.same)

    def turn(self, side: Literal["older", "newer"]) -> "Around":
        return replace(self, side=side)

    def compute(self, table: Table) -> Table:
        tags = name_tags(self.fields)
        frame = (
            with_tags(table, self.fields)
            .join(self.anchors, on=[*tags], how="semi", nulls_equal=True)
            .join(self.anchors, on=NEWEST_FIRST, how="anti")
        )
        both = pl.concat([frame, self.anchors], how="diagonal").sort(NEWEST_FIRST)
        is_anchor = pl.col(IS_ANCHOR).fill_null(value=False)
        gap = is_anchor.cum_sum().over(tags)
        gaps = is_anchor.sum().over(tags)
        marked = both.with_columns(gap.alias(GAP), gaps.alias(GAPS)).filter(~is_anchor)
        return table.with_frame(self._choose(marked).select(table.frame.columns))

    def _choose(self, marked: pl.DataFrame) -> pl.DataFrame:
        """The first and the last rows of each gap between anchors."""
        group = [*name_tags(self.fields), GAP]
        place = pl.int_range(pl.len()).over(group)
        rest = pl.len().over(group) - place
        follows = (pl.col(GAP) > 0) & (place < self.after)
        leads = (pl.col(GAP) < pl.col(GAPS)) & (rest <= self.before)
        return marked.filter(follows | leads)

    def merge(self, tables: Sequence[Table]) -> Table:
        return self.compute(concat_tables(tables))

    def is_settled(self, merged: Table, following: BlockInfo) -> bool:
        """Whether every anchor's group has all it can want on this side of the anchors."""
        wanted = {"inside": None, "older": self.before, "newer": self.after}[self.side]
        if wanted is None or merged.height < wanted * self._count_groups():
            return False
        times = merged.frame[TIME.name]
        if self.side == "older":
            return following.last_ns < times.min()  # type: ignore[operator]
        return following.first_ns > times.max()  # type: ignore[operator]

    def _count_groups(self) -> int:
        return self.anchors.select(name_tags(self.fields)).n_unique()

    def finish(self, merged: Table) -> Table:
        return merged.with_frame(merged.frame.sort(NEWEST_FIRST, descending=True))


def make_around(anchors: Table, wanted: ast.Context) -> Around:
    """`anchors` are events with their environment, their index and the fields of `same`."""
    fields = (*PLACES, *wanted.same)
    frame = with_tags(anchors, fields).select(
        *NEWEST_FIRST, *name_tags(fields), pl.lit(value=True).alias(IS_ANCHOR)
    )
    return Around(frame, wanted.before, wanted.after, wanted.same)

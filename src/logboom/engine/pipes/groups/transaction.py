"""`transaction`: merges rows that have the same values and are close in time."""

import polars as pl
from msgspec import field

from logboom.base.clock import NS_PER_S
from logboom.engine.filters import build_filter
from logboom.engine.grouping.keys import has_all, name_tags, with_tags
from logboom.engine.pipes.kinds import Finder, WholePipe
from logboom.engine.rows.division import divide
from logboom.engine.rows.internal import internal
from logboom.engine.rows.shown import check_names
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import NODE, SEQ, TIME, Table
from logboom.engine.rows.values import NEVER, Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need, need_node
from logboom.lang import ast
from logboom.model.columns import Column, Kind
from logboom.model.names import fold_name

MAX_MESSAGES = 100
DURATION = Column("duration", Kind.FLOAT)
COUNT = Column("count", Kind.INT)
MESSAGES = Column("messages", Kind.STRS)
MADE = (TIME, DURATION, COUNT, MESSAGES)
MESSAGE, STARTS, ENDS, NUMBER = map(internal, ("message", "starts", "ends", "number"))
"""A row's message, whether it starts or ends a transaction, and the number of its transaction."""


class Transaction(WholePipe, frozen=True):
    """One row each: the fields, the first time, seconds, how many rows, the first hundred messages.

    It ends after `end`, before `start`, before a longer pause, and before the span would be exceeded. Rows that lack
    one of the fields or a time are left out. The newest comes first.
    """

    fields: tuple[str, ...]
    max_span_ns: int | float | None = None
    max_pause_ns: int | float | None = None
    start: ast.Filter | None = None
    end: ast.Filter | None = None
    conditions: Conditions = field(default_factory=Conditions)

    def needs(self) -> Needs:
        named = need("_time", ast.MESSAGE, *self.fields)
        return named | need_node(self.start) | need_node(self.end)

    def bound_memory(self, table: Table) -> int:
        return 2 * measure(table.frame)

    def apply(self, table: Table, _finder: Finder) -> Table:
        if TIME not in table.find_columns("_time"):
            table = table.with_field("_time", {Kind.TIME: pl.lit(None, pl.Int64)})
        held = self._list_firsts(table)
        tags = name_tags(self.fields)
        rows = self._number(self._prepare(table).with_columns(**held))
        time = pl.col(TIME.name)
        grouped = rows.group_by(NUMBER).agg(
            *(pl.col(name).first() for name in (*tags, *held)),
            divide(time.last() - time.first(), NS_PER_S).round(9).alias(DURATION.name),
            time.first().alias(TIME.name),
            pl.len().cast(pl.Int64).alias(COUNT.name),
            pl.col(MESSAGE).drop_nulls().head(MAX_MESSAGES).alias(MESSAGES.name),
        )
        newest_first = grouped.sort(
            TIME.name, *tags, NUMBER, descending=[True, *(False for _ in tags), True]
        )
        frame = newest_first.select(*held, *(column.name for column in MADE))
        return Table(frame, (*self.fields, *(column.field for column in MADE)))

    def _list_firsts(self, table: Table) -> dict[str, pl.Expr]:
        """Return the columns of the fields' first values."""
        return {
            Column(fold_name(field), kind).name: part
            for field in self.fields
            for kind, part in Value.of_field(table, field).first().parts.items()
        }

    def _prepare(self, table: Table) -> pl.DataFrame:
        """Return the rows that are in some transaction: grouped by equal values, the oldest first."""
        marked = table.frame.with_columns(
            Value.of_field(table, ast.MESSAGE).text().alias(MESSAGE),
            (build_filter(self.start, table, self.conditions) if self.start else NEVER).alias(
                STARTS
            ),
            (build_filter(self.end, table, self.conditions) if self.end else NEVER).alias(ENDS),
        )
        order = [TIME.name, *((NODE, SEQ) if table.has_events else ())]
        return (
            with_tags(table.with_frame(marked), self.fields)
            .filter(has_all(self.fields), pl.col(TIME.name).is_not_null())
            .sort(*name_tags(self.fields), *order, maintain_order=True)
        )

    def _number(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the rows with the number of each one's transaction."""
        starts = [pl.col(STARTS), pl.col(ENDS).shift(1, fill_value=False)]
        starts += [pl.col(tag).ne_missing(pl.col(tag).shift(1)) for tag in name_tags(self.fields)]
        if self.max_pause_ns is not None:
            pause = pl.col(TIME.name).diff().fill_null(0)
            starts.append(pause > self.max_pause_ns)
        is_first = rows.select(pl.any_horizontal(starts)).to_series()
        if self.max_span_ns is not None:
            is_first = split_long(rows[TIME.name], is_first, self.max_span_ns)
        return rows.with_columns(is_first.cum_sum().alias(NUMBER))


def split_long(times: pl.Series, is_first: pl.Series, max_span_ns: int | float) -> pl.Series:
    """Start a new transaction at each row that is too far from the first of its own."""
    starts = is_first.to_list()
    first_ns = 0
    for place, time_ns in enumerate(times):
        if starts[place] or time_ns - first_ns > max_span_ns:
            starts[place] = True
            first_ns = time_ns
    return pl.Series(is_first.name, starts, pl.Boolean)


def make_transaction(pipe: ast.Transaction, conditions: Conditions) -> Transaction:
    check_names("transaction", (*pipe.fields, *(column.field for column in MADE)))
    span, pause = pipe.max_span, pipe.max_pause
    return Transaction(
        fields=pipe.fields,
        max_span_ns=None if span is None else span.scaled,
        max_pause_ns=None if pause is None else pause.scaled,
        start=pipe.start,
        end=pipe.end,
        conditions=conditions,
    )

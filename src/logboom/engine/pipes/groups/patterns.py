"""`patterns`: groups messages, and the fields that stand in for missing ones, by their constant parts."""

from collections.abc import Sequence

import polars as pl

from logboom.engine.expressions.shapes import find_pattern
from logboom.engine.grouping.keys import name_keys
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.ordering import order_by
from logboom.engine.rows.shown import check_names
from logboom.engine.rows.size import CELL_BYTES, measure_fields
from logboom.engine.rows.table import TIME, Table, concat_tables
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs, need
from logboom.lang import ast
from logboom.model.columns import MESSAGE, Column, Kind
from logboom.model.event_text import LINE_ENDS, STAND_INS
from logboom.model.names import fold_name

PATTERN = Column("pattern", Kind.STR)
COUNT = Column("count", Kind.INT)
SHARE = Column("share", Kind.FLOAT)
SAMPLE = Column("sample", Kind.STR)
FIRST = Column("first", Kind.TIME)
LAST = Column("last", Kind.TIME)
MADE = (PATTERN, COUNT, SHARE, SAMPLE, FIRST, LAST)
ORIGIN = Column("text_field", Kind.STR)
"""The field of the texts, if some come from another field than the requested one."""
DECIMALS = 6


class Patterns(MergePipe, frozen=True):
    """One row per pattern in each group of `by`, the most frequent first.

    `share` is the percentage of the group, `sample` the smallest of the texts. Rows without a text are left out. For
    events without a message the field that stands in for it is read; then `text_field` names it.
    """

    field: str = ast.MESSAGE
    by: tuple[str, ...] = ()

    def needs(self) -> Needs:
        return need("_time", *self._fields(), *self.by)

    def bound_memory(self, table: Table) -> int:
        return 3 * measure_fields(table, self._fields()) + 5 * CELL_BYTES * table.height

    def _fields(self) -> tuple[str, ...]:
        """Return the fields whose texts are read; for each event the first that it has."""
        is_message = fold_name(self.field) == MESSAGE.field
        return (self.field, *STAND_INS) if is_message else (self.field,)

    def compute(self, table: Table) -> Table:
        origins = [(self.field, Value.of_field(table, self.field).text())]
        origins += [(name, read_stand_in(table, name)) for name in self._fields()[1:]]
        origin = pl.coalesce(
            [pl.when(text.is_not_null()).then(pl.lit(name)) for name, text in origins]
        )
        has_time = TIME in table.find_columns("_time")
        time = pl.col(TIME.name) if has_time else pl.lit(None, pl.Int64)
        frame = table.frame.select(
            *name_keys(table, self.by),
            pl.coalesce([text for _, text in origins]).alias(SAMPLE.name),
            origin.alias(ORIGIN.name),
            time.alias(FIRST.name),
            time.alias(LAST.name),
            pl.lit(1, pl.Int64).alias(COUNT.name),
        )
        pattern = find_pattern(pl.col(SAMPLE.name)).alias(PATTERN.name)
        return self._reduce(frame.drop_nulls(SAMPLE.name).with_columns(pattern))

    def _reduce(self, frame: pl.DataFrame) -> Table:
        made = {column.name for column in (*MADE, ORIGIN)}
        keys = [name for name in frame.columns if name not in made]
        grouped = frame.group_by(*keys, PATTERN.name, ORIGIN.name).agg(
            pl.sum(COUNT.name), pl.min(SAMPLE.name, FIRST.name), pl.max(LAST.name)
        )
        return Table(grouped, (*self.by, *(column.field for column in (*MADE, ORIGIN))))

    def merge(self, tables: Sequence[Table]) -> Table:
        return self._reduce(concat_tables(tables).frame)

    def finish(self, merged: Table) -> Table:
        keys = name_keys(merged, self.by)
        count = pl.col(COUNT.name)
        total = count.sum().over(keys) if keys else count.sum()
        share = (count / total * 100).round(DECIMALS)
        table = merged.with_frame(merged.frame.with_columns(share.alias(SHARE.name)))
        by, descending = order_by(table, [ast.SortKey(field) for field in self.by])
        frame = table.frame.sort(
            [count, *by, pl.col(PATTERN.name), pl.col(ORIGIN.name)],
            descending=[True, *descending, False, False],
            nulls_last=True,
        )
        if (frame[ORIGIN.name] == self.field).all():
            return Table(frame.drop(ORIGIN.name), table.columns[:-1])
        return table.with_frame(frame)


def read_stand_in(table: Table, name: str) -> pl.Expr:
    """Return the text of a field that may stand in for a message; null if it has none."""
    text = Value.of_field(table, name).parts.get(Kind.STR, pl.lit(None, pl.String))
    stripped = text.str.strip_chars_end(LINE_ENDS)
    return pl.when(stripped != "").then(stripped)


def make_patterns(pipe: ast.Patterns, _conditions: Conditions) -> Patterns:
    check_names("patterns", (*pipe.by, *(column.field for column in (*MADE, ORIGIN))))
    return Patterns(pipe.field, pipe.by)

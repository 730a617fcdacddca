"""The most frequent values of fields with very many values, numbers or lists."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl
from msgspec import field

from logboom.engine.answers.difference.ranges import find_places
from logboom.engine.answers.fields.panel import encode_value
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.size import measure_fields
from logboom.engine.rows.table import Table, concat_tables
from logboom.engine.terms.needs import Needs
from logboom.model.columns import Kind

MOST = 256
"""How many values of a field are kept, per block and in total."""
MAX_TEXT_BYTES = 256
"""Longer texts are not names of anything."""
NUMBERS = (Kind.INT, Kind.FLOAT)
KEYS = ("field", "value", "place")
SCHEMA = {
    "field": pl.String(),
    "value": pl.String(),
    "place": pl.UInt32(),
    "count": pl.Int64(),
}
"""A row counts the events with a value, as JSON, or with a number in the range of this index.

A row with neither gives the number of distinct values, which is summed over blocks.
"""

Row = tuple[str, str | None, int | None, int]


class Frequent(MergePipe, frozen=True):
    """Counts ranges of numbers, and the most frequent of all other values, or only those in `among`.

    Each distinct value of a list counts once. The names of the fields are folded.
    """

    fields: frozenset[str]
    among: Mapping[str, frozenset[str | bool]] | None = field(default=None)
    keyword = "counting values"

    def needs(self) -> Needs:
        return Needs(listed=self.fields)

    def bound_memory(self, table: Table) -> int:
        return 2 * measure_fields(table, self.fields)

    def compute(self, table: Table) -> Table:
        rows = [row for name in sorted(self.fields) for row in self._count(table, name)]
        return Table(pl.DataFrame(rows, schema=SCHEMA, orient="row"), tuple(SCHEMA))

    def _count(self, table: Table, name: str) -> Iterator[Row]:
        for column in table.find_columns(name):
            values = table.frame[column.name].drop_nulls()
            if column.kind.is_list:
                values = values.list.unique().explode().drop_nulls()
            yield name, None, None, values.n_unique()
            if column.kind.element in NUMBERS:
                for place, count in count_each(find_places(values)):
                    yield name, None, int(place), count
            elif column.kind.element in (Kind.STR, Kind.BOOL):
                for value, count in count_each(self._choose(name, values)):
                    yield name, encode_value(value), None, count

    def _choose(self, name: str, values: pl.Series) -> pl.Series:
        if self.among is not None:
            wanted = [each for each in self.among.get(name, ()) if is_like(each, values.dtype)]
            return values.filter(values.is_in(pl.Series(wanted, dtype=values.dtype).implode()))
        if values.dtype == pl.String:
            return values.filter(values.str.len_bytes() <= MAX_TEXT_BYTES)
        return values

    def merge(self, tables: Sequence[Table]) -> Table:
        merged = concat_tables(tables).frame.group_by(KEYS).agg(pl.col("count").sum())
        is_value = pl.col("value").is_not_null()
        ranked = merged.filter(is_value).sort("count", "value", descending=[True, False])
        kept = ranked.group_by("field", maintain_order=True).head(MOST).select(*SCHEMA)
        return Table(
            pl.concat([merged.filter(~is_value).select(*SCHEMA), kept]),
            tuple(SCHEMA),
        )

    def finish(self, merged: Table) -> Table:
        return merged


def count_each(values: pl.Series) -> Iterator[tuple[str | int | bool, int]]:
    """Yield values with their counts, the most frequent first, ties always in the same order."""
    counts = values.rename("each").value_counts(name="count")
    ranked = counts.sort("count", "each", descending=[True, False]).head(MOST)
    yield from ranked.iter_rows()


def is_like(value: str | bool, dtype: pl.DataType) -> bool:
    return isinstance(value, bool) == (dtype == pl.Boolean)

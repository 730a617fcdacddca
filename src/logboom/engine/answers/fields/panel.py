"""The field panel: the fields of events, their types, and their most frequent values."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec
import polars as pl
from msgspec import field

from logboom.base.structs import MutableStruct
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.block_group import BlockGroup
from logboom.engine.blocks.census import Counts, count_listed, count_values
from logboom.engine.blocks.overflow import LISTED
from logboom.engine.pipes.kinds import ByIndex, MergePipe
from logboom.engine.rows.size import measure
from logboom.engine.rows.table import INDEX, Table, concat_tables
from logboom.engine.rows.values import fit_int
from logboom.engine.terms.needs import Needs
from logboom.model.columns import Column, Kind, Scalar
from logboom.model.names import fold_name

TOP = 5
KINDS = tuple(kind.value for kind in Kind)
ELEMENTS = {kind: kind.element.value for kind in Kind}
SCHEMA = {
    "field": pl.String(),
    "kind": pl.String(),
    "value": pl.String(),
    "count": pl.Int64(),
    "is_counted": pl.Boolean(),
}
"""A row without a value counts the events that have a field of a kind.

It also says whether all its values have rows too, as JSON and without a kind.
"""

Row = tuple[str, str | None, str | None, int, bool]


class ValueCount(msgspec.Struct, frozen=True):
    """A value and how many events have it."""

    value: Scalar
    count: int


class FieldSummary(msgspec.Struct, frozen=True):
    """A field of events. `distinct` is None, and `top` empty, if there are too many values to count."""

    name: str
    count: int
    types: dict[str, int]
    distinct: int | None
    top: list[ValueCount]


class Panel(MergePipe, frozen=True):
    """Counts fields by type, and their values unless told otherwise; for all fields or those in `only`.

    The names in `only` are folded.
    """

    only: frozenset[str] | None = None
    has_values: bool = True
    keyword = "counting fields"

    def needs(self) -> Needs:
        return Needs(listed=self.only)

    def bound_memory(self, table: Table) -> int:
        return measure(table.frame)

    def compute(self, table: Table) -> Table:
        columns = list(self._list_columns(table))
        frame = table.frame.select(pl.col([column.name for column in columns]))
        counts = frame.count().row(0) if columns else ()
        held = {column: count for column, count in zip(columns, counts, strict=True) if count}
        values = count_values(held, frame) if self.has_values else {}
        rows = [
            row
            for column, count in held.items()
            for row in describe(column, count, values.get(column), has_values=self.has_values)
        ]
        return make_partial([*rows, *self._describe_listed(table)])

    def _list_columns(self, table: Table) -> Iterator[Column]:
        """Yield the columns of the counted fields."""
        computed = {fold_name(name) for name in table.columns}
        own = [*table.list_columns(), *(each for each in [INDEX] if table.find_columns(each.field))]
        for column in own:
            is_shown = column.field in computed or (table.own and table.own.shows(column.field))
            if is_shown and self._wants(column.field):
                yield column

    def _describe_listed(self, table: Table) -> list[Row]:
        """Return the fields without a column."""
        if LISTED not in table.frame.columns:
            return []
        known = {column.field for column in table.list_columns()}
        counts, values = count_listed(table.frame[LISTED].drop_nulls())
        return [
            row
            for column, count in counts.items()
            if self._wants(column.field) and column.field not in known
            if table.own and table.own.shows(column.field)
            for row in describe(column, count, values.get(column), has_values=self.has_values)
        ]

    @property
    def reads_indexes(self) -> bool:
        return True

    def compute_by_index(self, whole: BlockGroup) -> ByIndex:
        known = [block for block in whole.blocks if not block.has_overflow]
        rows = [row for block in known for row in self._describe_block(block)]
        left = [block for block in whole.blocks if block.has_overflow]
        return ByIndex(make_partial(rows) if known else None, left)

    def _describe_block(self, block: Block) -> Iterator[Row]:
        for name, columns in block.index.columns_by_field.items():
            for column in columns if self._wants(name) else ():
                summary = block.summarise(column)
                yield from describe(
                    column, summary.count, summary.values, has_values=self.has_values
                )
        if self._wants(INDEX.field):
            parts = [(name, part.events) for name, part in block.index.indexes.items()]
            yield from describe(INDEX, block.index.rows, parts, has_values=self.has_values)

    def merge(self, tables: Sequence[Table]) -> Table:
        frame = concat_tables(tables).frame
        keys = ["field", "kind", "value"]
        merged = frame.group_by(keys).agg(pl.col("count").sum(), pl.col("is_counted").all())
        # Values of a field that has too many somewhere are no longer needed.
        open_fields = merged.filter(~pl.col("is_counted"))["field"].unique().to_list()
        is_idle = pl.col("field").is_in(open_fields) & pl.col("value").is_not_null()
        return Table(merged.filter(~is_idle), tuple(SCHEMA))

    def finish(self, merged: Table) -> Table:
        return merged

    def _wants(self, field: str) -> bool:
        return self.only is None or field in self.only


def describe(
    column: Column, count: int, values: Counts | None, *, has_values: bool
) -> Iterator[Row]:
    """Yield the rows of a partial result for one column."""
    if count == 0:
        return
    is_counted = has_values and values is not None
    yield column.field, ELEMENTS[column.kind], None, count, is_counted
    if is_counted and values is not None:
        for value, of_value in values:
            yield column.field, None, encode_value(value), of_value, True


def make_partial(rows: list[Row]) -> Table:
    return Table(pl.DataFrame(rows, schema=SCHEMA, orient="row"), tuple(SCHEMA))


def encode_value(value: Scalar) -> str:
    """Return a value as JSON; a whole number is the same value whether it came as an integer or not."""
    whole = fit_int(value) if isinstance(value, float) else None
    return msgspec.json.encode(value if whole is None else whole).decode()


class FieldTally(MutableStruct):
    """What is known about one field so far."""

    types: dict[str, int] = field(default_factory=dict)
    values: list[ValueCount] = field(default_factory=list)
    is_counted: bool = True


def read_panel(table: Table) -> list[FieldSummary]:
    """Return the fields of a finished panel, the most frequent first."""
    fields: defaultdict[str, FieldTally] = defaultdict(FieldTally)
    for name, kind, value, count, is_counted in table.frame.select(*SCHEMA).iter_rows():
        found = fields[name]
        if value is None:
            found.types[kind] = found.types.get(kind, 0) + count
            found.is_counted &= is_counted
        else:
            found.values.append(ValueCount(msgspec.json.decode(value), count))
    summaries = [summarise(name, found) for name, found in fields.items()]
    return sorted(summaries, key=lambda summary: (-summary.count, summary.name))


def read_values(table: Table) -> list[ValueCount]:
    """Return the values that a panel has counted, the most frequent first."""
    rows = table.frame.drop_nulls("value").select("value", "count").iter_rows()
    counted = [ValueCount(msgspec.json.decode(value), count) for value, count in rows]
    return sorted(counted, key=order_value)


def summarise(name: str, found: FieldTally) -> FieldSummary:
    return FieldSummary(
        name=name,
        count=sum(found.types.values()),
        types={kind: found.types[kind] for kind in KINDS if kind in found.types},
        distinct=len(found.values) if found.is_counted else None,
        top=sorted(found.values, key=order_value)[:TOP] if found.is_counted else [],
    )


def order_value(counted: ValueCount) -> tuple[int, str, str]:
    """Return a sort key by which the largest come first, ties always in the same order."""
    return -counted.count, type(counted.value).__name__, str(counted.value)

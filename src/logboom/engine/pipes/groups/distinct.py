"""`stats dc(field)` without keys: values are only stacked, and counted at the end.

As an aggregate among others it would group the values of each block into lists, which takes several times the memory.
"""

from collections.abc import Sequence

import polars as pl

from logboom.engine.aggregates.distinct import CountDistinct
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.block_group import BlockGroup
from logboom.engine.blocks.codes import find_codes
from logboom.engine.expressions.numeric import unify_numbers
from logboom.engine.grouping.groups import MAX_LOOSE_ROWS, Groups, is_scattered
from logboom.engine.grouping.texts import Texts
from logboom.engine.pipes.groups.counted import list_values
from logboom.engine.pipes.kinds import ByIndex, MergePipe
from logboom.engine.rows.size import measure_fields
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.needs import Needs, need
from logboom.lang import ast
from logboom.model.columns import Column, Kind
from logboom.model.names import CORE_FIELDS, fold_name

VALUE_BYTES = 32
"""The memory of a value while it is compared with others."""


class DistinctCount(MergePipe, frozen=True):
    """How many distinct values a field has. A partial result has a row for each value, and one column per kind."""

    field: str
    name: str
    """The name of the result."""

    keyword = "stats"

    @property
    def _is_stored(self) -> bool:
        return fold_name(self.field) not in CORE_FIELDS

    def needs(self) -> Needs:
        return need(self.field)

    def bound_memory(self, table: Table) -> int:
        return 2 * measure_fields(table, (self.field,)) + VALUE_BYTES * table.height

    def compute(self, table: Table) -> Table:
        return Table(stack([reduce_values(each) for each in self._read(table)]))

    def _read(self, table: Table) -> list[pl.Series]:
        """Return the values of the rows by kind; each row has at most one."""
        columns = table.find_columns(self.field)
        if [column.kind for column in columns] == [Kind.STR]:
            return [table.frame[columns[0].name]]
        parts = unify_numbers(Value.of_field(table, self.field).first()).parts
        named = (part.alias(self._name(kind)) for kind, part in parts.items())
        return table.frame.select(*named).get_columns()

    def _name(self, kind: Kind) -> str:
        return Column(fold_name(self.field), kind).name

    @property
    def reads_indexes(self) -> bool:
        return self._is_stored

    def compute_by_index(self, whole: BlockGroup) -> ByIndex:
        return whole.remember(f"distinct values of {fold_name(self.field)}", self._list_by_index)

    def _list_by_index(self, whole: BlockGroup) -> ByIndex:
        values, left = list_values(fold_name(self.field), whole)
        table = None if values is None else Table(stack(self._read(Table(values))))
        return ByIndex(table, left)

    def make_tally(self, most_bytes: int) -> "DistinctTally | None":
        return DistinctTally(self.field, most_bytes) if self._is_stored else None

    def merge(self, tables: Sequence[Table]) -> Table:
        merged = join_frames([table.frame for table in tables])
        if merged.height > MAX_LOOSE_ROWS:
            merged = stack([drop_nulls(each).unique() for each in merged])
        return Table(merged)

    def bound_merging(self, table: Table) -> int:
        return super().bound_merging(table) + VALUE_BYTES * table.height

    def finish(self, merged: Table) -> Table:
        number = sum([drop_nulls(each).n_unique() for each in merged.frame.get_columns()])
        column = Column(fold_name(self.name), Kind.INT)
        return Table(pl.Series(column.name, [number], pl.Int64).to_frame(), (self.name,))


class DistinctTally:
    """Collects the texts of a field from columns in memory."""

    def __init__(self, field: str, most_bytes: int) -> None:
        self._field = field
        self._few: dict[str, dict[str, None]] = {}
        """Texts of which there are few, by their column."""
        self._many = Texts(field, most_bytes)

    @property
    def is_costly(self) -> bool:
        return bool(self._many)

    def add(self, block: Block, selection: pl.Series | None) -> bool:
        """Collect the texts of selected rows of a block; return False if something would have to be read."""
        codes = find_codes(block, self._field, in_memory=True)
        if codes is None:
            return self._many.add(block, selection)
        places = codes.places if selection is None else codes.places.filter(selection)
        texts = (codes.values[place] for place in places.unique().to_list())
        found = self._few.setdefault(codes.column.name, {})
        found.update((text, None) for text in texts if text is not None)
        return True

    def make_table(self) -> Table | None:
        columns = [pl.Series(name, list(few), pl.String) for name, few in self._few.items()]
        columns += [reduce_values(self._many.join())] if self._many else []
        return Table(stack(columns)) if columns else None


def find_distinct_count(groups: Groups) -> DistinctCount | None:
    """Return the cheaper form of a pipe that only counts the distinct values of one field, or None for any other."""
    if groups.keys or len(groups.aggregates) != 1:
        return None
    aggregate = groups.aggregates[0]
    is_plain = isinstance(aggregate.argument, ast.Field) and aggregate.condition is None
    if not is_plain or not isinstance(groups.reducers[0], CountDistinct):
        return None
    assert isinstance(aggregate.argument, ast.Field)
    return DistinctCount(aggregate.argument.name, aggregate.name)


def reduce_values(values: pl.Series) -> pl.Series:
    """Return the values that there are, each once unless nearly all of them differ anyway."""
    found = drop_nulls(values)
    return found if is_scattered(Table(found.to_frame()), [found.name]) else found.unique()


def drop_nulls(values: pl.Series) -> pl.Series:
    return values.drop_nulls() if values.null_count() else values


def stack(columns: Sequence[pl.Series]) -> pl.DataFrame:
    """Return columns one below the other, with nulls beside them."""
    return join_frames([each.to_frame() for each in map(drop_nulls, columns)])


def join_frames(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of all frames, which are not copied."""
    filled = [each for each in frames if each.height]
    if len(filled) == 1:
        return filled[0]
    return pl.concat(filled, how="diagonal") if filled else pl.DataFrame()

"""Groups known from the indexes of blocks alone: the number of rows, and the values with their counts."""

from collections import Counter
from functools import partial

import polars as pl

from logboom.engine.aggregates.reducer import Reducer
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.block_group import BlockGroup
from logboom.engine.blocks.codes import find_all_codes
from logboom.engine.expressions.numeric import unify_numbers
from logboom.engine.filters.known import is_counted
from logboom.engine.grouping.groups import Groups
from logboom.engine.pipes.kinds import ByIndex
from logboom.engine.rows.internal import internal
from logboom.engine.rows.series import join_series
from logboom.engine.rows.table import ENV, ID, INDEX, TIME, Table
from logboom.engine.rows.values import Value
from logboom.lang import ast
from logboom.model.columns import DTYPES, Column, Kind, Scalar
from logboom.model.names import CORE_FIELDS, fold_name

Counts = list[tuple[Scalar, int]]
COUNT = internal("count")
UNCOUNTED = frozenset({TIME.field, ID.field})
"""Fields of the service itself that no index counts."""


def count_by_index(groups: Groups, whole: BlockGroup) -> ByIndex:
    """Return the partial result of the blocks whose indexes are sufficient, and the other blocks."""
    if not can_count(groups):
        return ByIndex(None, list(whole.blocks))
    # A partial result depends neither on the names of the counts nor on how the query spells the field.
    name = f"{len(groups.aggregates)} counts by {[fold_name(key.field) for key in groups.keys]}"
    return whole.remember(name, partial(add_counts, groups))


def add_counts(groups: Groups, whole: BlockGroup) -> ByIndex:
    totals: dict[Column, Counter[Scalar]] = {}
    missing, left = 0, []
    for block in whole.blocks:
        found = list_counts(groups.keys, block)
        if found is None:
            left.append(block)
            continue
        missing += block.index.rows
        for column, counts in found.items():
            total = totals.setdefault(column, Counter())
            for value, count in counts:
                total[value] += count
                missing -= count
    table = make_partial(groups, totals, missing) if len(left) < len(whole.blocks) else None
    return ByIndex(table, left)


def count_selected(groups: Groups, block: Block, selection: pl.Series | None) -> Table | None:
    """Return the partial result of selected rows that are only counted, by time spans or by fields of few values.

    Return None if more is needed.
    """
    if groups.time_span is not None:
        return groups.count_spans(block.read([TIME.field])[TIME.field], selection)
    keys = find_all_codes(block, groups.plain_keys or ())
    return groups.count_coded(keys, selection) if keys else None


def find_listed(groups: Groups) -> str | None:
    """Return the field if only its distinct values are wanted, or None otherwise."""
    fields = {find_distinct(reducer) for reducer in groups.reducers}
    return fields.pop() if len(fields) == 1 and not groups.keys else None


def find_distinct(reducer: Reducer) -> str | None:
    """Return the field whose distinct values are enough for an aggregate, or None if it needs more."""
    argument = reducer.aggregate.argument
    is_plain = reducer.ignores_repeats and reducer.aggregate.condition is None
    if not is_plain or not isinstance(argument, ast.Field):
        return None
    folded = fold_name(argument.name)
    return None if folded in CORE_FIELDS else folded


def list_by_index(groups: Groups, field: str, whole: BlockGroup) -> ByIndex:
    """Return the partial result of the blocks whose indexes have all values of a field, and the other blocks."""
    values, left = list_values(field, whole)
    return ByIndex(groups.compute(Table(values)) if values is not None else None, left)


def list_values(field: str, whole: BlockGroup) -> tuple[pl.DataFrame | None, list[Block]]:
    """Return a row for each value of a field in indexes, or None, and the blocks whose indexes lack some values."""
    return whole.remember(f"values of {field}", partial(collect_values, field))


def collect_values(field: str, whole: BlockGroup) -> tuple[pl.DataFrame | None, list[Block]]:
    values: dict[Column, dict[Scalar, None]] = {}
    left = []
    for block in whole.blocks:
        columns = block.find_columns(field)
        if (
            block.has_overflow
            or not columns
            or not all(is_counted(each, block) for each in columns)
        ):
            left.append(block)
            continue
        for column in columns:
            held = block.summarise(column).values or []
            values.setdefault(column, {}).update(dict.fromkeys(value for value, _ in held))
    if not values:
        return None, list(whole.blocks)
    frames = [
        pl.Series(column.name, list(found), DTYPES[column.kind]).to_frame()
        for column, found in values.items()
    ]
    return pl.concat(frames, how="diagonal") if len(frames) > 1 else frames[0], left


def can_count(groups: Groups) -> bool:
    """Return whether rows are only counted, by the values of at most one field."""
    is_plain = all(is_plain_count(aggregate) for aggregate in groups.aggregates)
    has_buckets = any(key.bucket or key.prefix_bits is not None for key in groups.keys)
    return is_plain and len(groups.keys) <= 1 and not has_buckets


def is_plain_count(aggregate: ast.Aggregate) -> bool:
    return (aggregate.function, aggregate.argument, aggregate.condition) == ("count", None, None)


def list_counts(keys: tuple[ast.Key, ...], block: Block) -> dict[Column, Counts] | None:
    """Return how often each value of the key occurs, by the columns that contain it, or None if unknown."""
    if not keys:
        return {}
    folded = fold_name(keys[0].field)
    if folded == INDEX.field:
        return {INDEX: [(name, part.events) for name, part in block.index.indexes.items()]}
    if folded == ENV.field:
        return {ENV: [(block.info.env, block.index.rows)]}
    if block.has_overflow or folded in UNCOUNTED:
        return None
    counts = {column: block.summarise(column).values for column in block.find_columns(folded)}
    known = {column: values for column, values in counts.items() if values is not None}
    return known if len(known) == len(counts) else None


def make_partial(groups: Groups, totals: dict[Column, Counter[Scalar]], missing: int) -> Table:
    frames = [make_frame(column, counts) for column, counts in totals.items()]
    if missing or not frames:
        frames.append(pl.DataFrame({COUNT: [missing]}, {COUNT: pl.Int64}))
    frame = pl.concat(frames, how="diagonal") if len(frames) > 1 else frames[0]
    keys = [frame[name] for name in groups.list_keys(frame)]
    return Table(
        join_series([*keys, *(frame[COUNT].alias(each.name("n")) for each in groups.reducers)])
    )


def make_frame(column: Column, counts: Counter[Scalar]) -> pl.DataFrame:
    """Return the values and their counts, the largest first: that is how they are usually answered."""
    ordered = counts.most_common()
    values = pl.Series(column.name, [value for value, _ in ordered], DTYPES[column.kind])
    numbers = pl.Series(COUNT, [count for _, count in ordered], pl.Int64)
    frame = join_series([values, numbers])
    if column.kind is not Kind.FLOAT:
        return frame
    parts = unify_numbers(Value({column.kind: pl.col(column.name)})).parts
    return frame.select(
        *(part.alias(Column(column.field, kind).name) for kind, part in parts.items()), COUNT
    )

"""The order of values: numbers by value, then texts by their folded form, then booleans.

Texts that spell numbers, and times, are numbers. Descending reverses all of this; rows without a value come last
either way.
"""

from collections.abc import Mapping, Sequence
from itertools import repeat

import polars as pl

from logboom.engine.rows.computed import take_rows
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import MAX_EXACT, Value, read_number
from logboom.lang import ast
from logboom.model.columns import Kind

PLAIN = frozenset({Kind.INT, Kind.FLOAT, Kind.BOOL, Kind.TIME})
"""Kinds whose columns can be sorted as they are, if a field has no other."""
WHOLE = frozenset({Kind.INT, Kind.TIME})
DIGITS = WHOLE | {Kind.STR}
"""Kinds whose integers may have more digits than a float."""
FEW_ROWS = 2_000
"""Up to so many rows are sorted by a number in Python, which takes less time than planning a query."""
FEW_KEYS = 500
"""The same for rows that are sorted by several columns."""


def order_by(
    table: Table, keys: Sequence[ast.SortKey], *, ignores_case: bool = False
) -> tuple[list[pl.Expr], list[bool]]:
    """Return what to sort by, and which of it is descending; for `DataFrame.sort` with `nulls_last`."""
    expressions: list[pl.Expr] = []
    descending: list[bool] = []
    for key in keys:
        found = order_value(Value.of_field(table, key.field), ignores_case=ignores_case)
        expressions += found
        descending += repeat(key.descending, len(found))
    return expressions, descending


def order_value(value: Value, *, ignores_case: bool = False) -> list[pl.Expr]:
    """Return expressions that order values, each for ties of those before; all null without a value.

    Texts that differ only in case are ties, or else in the order of their characters.
    """
    parts = value.first().parts
    if len(parts) == 1 and PLAIN.issuperset(parts):
        return [part.cast(pl.Int8) if kind is Kind.BOOL else part for kind, part in parts.items()]
    number = value.number()
    levels = [number, *order_whole(parts, number)]
    ranks = [pl.when(number.is_not_null()).then(0)]
    if Kind.STR in parts:
        text = pl.when(number.is_null()).then(parts[Kind.STR])
        levels += [text.str.to_lowercase()] if ignores_case else [text.str.to_lowercase(), text]
        ranks.append(pl.when(text.is_not_null()).then(1))
    if Kind.BOOL in parts:
        levels.append(parts[Kind.BOOL])
        ranks.append(pl.when(parts[Kind.BOOL].is_not_null()).then(2))
    return [pl.coalesce(ranks), *levels] if parts else []


def order_whole(parts: Mapping[Kind, pl.Expr], number: pl.Expr) -> list[pl.Expr]:
    """Return the distance of integers from the nearest float, by which they were compared so far."""
    rests = [
        take_digits(part, kind, number).cast(pl.Int128, strict=False)
        - read_number(part, kind).cast(pl.Int128, strict=False)
        for kind, part in parts.items()
        if kind in DIGITS
    ]
    return [pl.coalesce(*rests, pl.when(number.is_not_null()).then(0))] if rests else []


def take_digits(part: pl.Expr, kind: Kind, number: pl.Expr) -> pl.Expr:
    """Return the part; of texts only those that spell an integer of so many digits."""
    if kind is not Kind.STR:
        return part
    return pl.when(number.abs() >= MAX_EXACT).then(part.str.strip_chars().str.strip_prefix("+"))


def order_few(table: Table, key: ast.SortKey) -> Table | None:
    """Return few rows in the order of a key, if each has another whole number there, or None otherwise."""
    columns = table.find_columns(key.field)
    if table.height > FEW_ROWS or [column.kind in WHOLE for column in columns] != [True]:
        return None
    values = table.frame.get_column(columns[0].name).to_list()
    if None in values or len(set(values)) < len(values):
        return None
    if values == sorted(values, reverse=key.descending):
        return table
    rows = sorted(range(len(values)), key=values.__getitem__, reverse=key.descending)
    return table.with_frame(take_rows(table.frame, rows))


def sort_descending(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return the rows in descending order of columns that have a value in every row; ties keep their order."""
    if frame.height < 2:
        return frame
    if frame.height > FEW_KEYS:
        return frame.sort(columns, descending=True, maintain_order=True)
    keys = list(zip(*(frame[name].to_list() for name in columns), strict=True))
    rows = sorted(range(frame.height), key=keys.__getitem__, reverse=True)
    return frame if rows == list(range(frame.height)) else take_rows(frame, rows)


def sort_table(table: Table, keys: Sequence[ast.SortKey], limit: int | None = None) -> Table:
    """Return the sorted rows, only the first `limit`; rows with equal keys keep their order."""
    few = order_few(table, keys[0]) if keys else None
    if few is not None:
        return few if limit is None else few.with_frame(few.frame.head(limit))
    by, descending = order_by(table, keys, ignores_case=True)
    if table.has_events:
        by += [pl.col(name) for name in table.order]
        descending += repeat(True, len(table.order))
    frame = table.frame
    if by and limit is not None:
        frame = cut_rows(frame, by[0], limit, descending=descending[0])
    if by:
        frame = frame.sort(by, descending=descending, nulls_last=True, maintain_order=True)
    return table.with_frame(frame if limit is None else frame.head(limit))


def cut_rows(frame: pl.DataFrame, key: pl.Expr, limit: int, *, descending: bool) -> pl.DataFrame:
    """Return the rows without those that the first key alone excludes, so that fewer are sorted."""
    values = frame.select(key).to_series()
    if not 0 < limit < len(values) - values.null_count():
        return frame
    if descending:
        return frame.filter(values >= values.top_k(limit).min())
    return frame.filter(values <= values.bottom_k(limit).max())

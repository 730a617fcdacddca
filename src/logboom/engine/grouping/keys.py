"""Keys: when two values are the same, for matching or grouping rows by their first values.

Types matter, so true is not 1 and 1 is not "1"; but 1 and 1.0 are the same number.
"""

from collections.abc import Sequence

import polars as pl

from logboom.engine.expressions.numeric import unify_numbers
from logboom.engine.rows.internal import internal
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import ALWAYS, Value
from logboom.model.columns import Column, Kind
from logboom.model.names import fold_name

MARKS = {Kind.STR: "s", Kind.INT: "n", Kind.FLOAT: "n", Kind.BOOL: "b", Kind.TIME: "t"}
"""The first character of a tag is the type of the value."""


def make_key(table: Table, field: str) -> Value:
    """Return the first value, a whole float as the equal integer."""
    return unify_numbers(Value.of_field(table, field).first())


def name_keys(table: Table, fields: Sequence[str]) -> list[pl.Expr]:
    """Return the columns of the fields' keys under the table's names for them."""
    return [
        part.alias(Column(fold_name(field), kind).name)
        for field in fields
        for kind, part in make_key(table, field).parts.items()
    ]


def group_rows(
    frame: pl.DataFrame, keys: Sequence[pl.Expr | str], aggregates: Sequence[pl.Expr]
) -> pl.DataFrame:
    """Return one row per combination of keys; without keys there is one group, even of no rows."""
    return frame.group_by(keys).agg(aggregates) if keys else frame.select(aggregates)


def tag_field(table: Table, field: str) -> pl.Expr:
    """Return a text that is the same for equal keys only; null without a value."""
    parts = make_key(table, field).parts
    tags = [pl.lit(MARKS[kind]) + part.cast(pl.String) for kind, part in parts.items()]
    return pl.coalesce(tags) if tags else pl.lit(None, pl.String)


def name_tags(fields: Sequence[str]) -> list[str]:
    """Return the names of the columns that `with_tags` adds."""
    return [internal(f"tag{place}") for place, _ in enumerate(fields)]


def with_tags(table: Table, fields: Sequence[str]) -> pl.DataFrame:
    """Return the table's frame with the tags of some fields beside its columns."""
    tags = [
        tag_field(table, field).alias(name)
        for field, name in zip(fields, name_tags(fields), strict=True)
    ]
    return table.frame.with_columns(tags)


def has_all(fields: Sequence[str]) -> pl.Expr:
    """Return whether a row has a value in each of the tagged fields."""
    return pl.all_horizontal([pl.col(name).is_not_null() for name in name_tags(fields)] or [ALWAYS])

"""Rows of an answer as a Polars frame."""

import msgspec
import polars as pl

from logboom.engine.rows.table import TIME
from logboom.model.timestamps import parse_time

TIMESTAMP = pl.Datetime("ns", "UTC")
TYPES: dict[frozenset[type], pl.DataType] = {
    frozenset({str}): pl.String(),
    frozenset({bool}): pl.Boolean(),
    frozenset({int}): pl.Int64(),
    frozenset({float}): pl.Float64(),
    frozenset({int, float}): pl.Float64(),
    frozenset(): pl.Null(),
}


def make_frame(columns: list[str], rows: list[dict[str, object]]) -> pl.DataFrame:
    """Return a column per name; mixed types become JSON texts, `_time` a timestamp."""
    return pl.DataFrame([make_series(name, [row.get(name) for row in rows]) for name in columns])


def make_series(name: str, values: list[object]) -> pl.Series:
    if name == TIME.field and (times := read_times(values)) is not None:
        return pl.Series(name, times, pl.Int64).cast(TIMESTAMP)
    kinds = list_types(values)
    if kinds in TYPES:
        return pl.Series(name, values, TYPES[kinds])
    inner = list_types([each for value in values if isinstance(value, list) for each in value])
    if kinds == {list} and inner in TYPES:
        return pl.Series(name, values, pl.List(TYPES[inner]))
    return pl.Series(name, [write_value(value) for value in values], pl.String)


def read_times(values: list[object]) -> list[int | None] | None:
    """Return the nanoseconds of times, or None if a query stored something else under that name."""
    parsed = [
        parse_time(value, quoted=True) if isinstance(value, str) else None for value in values
    ]
    if any(time is None and value is not None for time, value in zip(parsed, values, strict=True)):
        return None
    return [time and time.time_ns for time in parsed]


def list_types(values: list[object]) -> frozenset[type]:
    """Return the types of values; `object` stands for integers that no numeric column can hold."""
    return frozenset(object if is_huge(each) else type(each) for each in values if each is not None)


def is_huge(value: object) -> bool:
    return isinstance(value, int) and not -(2**63) <= value < 2**63


def write_value(value: object) -> str | None:
    """Return texts as they are, everything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()

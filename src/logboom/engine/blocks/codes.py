"""Columns with few distinct texts as numbers, so that rows are counted without comparing texts."""

from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from logboom.engine.blocks.block import Block
from logboom.engine.rows.internal import internal
from logboom.model.columns import Column, Kind
from logboom.model.names import CORE_FIELDS, fold_name


class Codes(NamedTuple):
    """A column as positions in `values`, whose last element is None and stands for no value."""

    column: Column
    values: list[str | None]
    places: pl.Series


def find_all_codes(
    block: Block, fields: Iterable[str], *, in_memory: bool = False
) -> list[Codes] | None:
    """Return the codes of all these fields, or None if one of them has none."""
    found = []
    for field in fields:
        codes = find_codes(block, field, in_memory=in_memory)
        if codes is None:
            return None
        found.append(codes)
    return found


def find_codes(block: Block, field: str, *, in_memory: bool = False) -> Codes | None:
    """Return the codes of a field, or None unless all its values are texts that the block's index has counted.

    With `in_memory` nothing is read, and None is returned if reading would be necessary.
    """
    column = find_text_column(block, field)
    counted = block.summarise(column).values if column else None
    if column is None or counted is None:
        return None
    texts = [str(value) for value, _ in counted]
    stored, dtype = block.locate(column), choose_dtype(len(texts))

    def encode() -> pl.Series:
        series = block.read([stored]).to_series()
        return series.cast(pl.Enum(texts)).to_physical().cast(dtype).fill_null(len(texts))

    name = internal(f"codes {column.name}")
    places = block.find([name]).get(name) if in_memory else block.derive(name, encode)
    return None if places is None else Codes(column, [*texts, None], places)


def choose_dtype(most: int) -> type[pl.DataType]:
    """Return the smallest type for numbers up to this one: codes stay in the cache."""
    return pl.UInt8 if most < 1 << 8 else pl.UInt16 if most < 1 << 16 else pl.UInt32


def find_text_column(block: Block, field: str) -> Column | None:
    """Return the column with all values of a field, or None if some are not texts, or not in columns."""
    folded = fold_name(field)
    if block.has_overflow or folded in CORE_FIELDS:
        return None
    columns = block.find_columns(folded)
    return columns[0] if len(columns) == 1 and columns[0].kind is Kind.STR else None

"""Counts the rows that have each column of a table, and the values of columns with few of them."""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
import polars as pl

from logboom.engine.blocks.overflow import Rest, find_kind
from logboom.engine.rows.internal import internal
from logboom.model.columns import MESSAGE, Column, Scalar
from logboom.model.summary import MAX_COUNTED_BYTES, MAX_COUNTED_VALUES, measure_value

SAMPLE_ROWS = 2000
"""Rows that are examined first: often they already show that there are too many values."""
COUNT = internal("count")
ENTRIES = msgspec.json.Decoder(Rest)

Counts = Sequence[tuple[Scalar, int]]


def count_values(columns: Iterable[Column], frame: pl.DataFrame) -> dict[Column, Counts]:
    """Return each value and its count for columns with few values, as in the indexes of blocks.

    All columns are counted in one query, because planning one per column would cost more than counting.
    """
    single = {each.name: each for each in columns if not each.kind.is_list and each != MESSAGE}
    if not single:
        return {}
    sample = frame.head(SAMPLE_ROWS).select(pl.col(list(single)).n_unique()).row(0)
    few = choose_few(single, sample, MAX_COUNTED_VALUES + 1)
    lists = frame.select(pl.col(few).drop_nulls().value_counts(name=COUNT).implode())
    lengths = lists.select(pl.all().list.len()).row(0) if few else ()
    short = choose_few(few, lengths, MAX_COUNTED_VALUES)
    cells = lists.select(pl.col(short)).row(0) if short else ()
    return keep_small(
        {
            single[name]: [(each[name], each[COUNT]) for each in cell]
            for name, cell in zip(short, cells, strict=True)
        }
    )


def choose_few(names: Iterable[str], counts: Iterable[int], most: int) -> list[str]:
    return [name for name, count in zip(names, counts, strict=True) if count <= most]


def count_listed(texts: Iterable[str]) -> tuple[Counter[Column], dict[Column, Counts]]:
    """Return how many texts have a value of each field and kind, and each value with its count if there are few."""
    cells: dict[Column, list[Scalar]] = {}
    counts: Counter[Column] = Counter()
    for text in texts:
        for name, cell in ENTRIES.decode(text).items():
            column = Column(name, find_kind(cell))
            counts[column] += 1
            if not isinstance(cell, list):
                cells.setdefault(column, []).append(cell)
    return counts, keep_small(
        {column: list(Counter(held).items()) for column, held in cells.items()}
    )


def keep_small(found: dict[Column, Counts]) -> dict[Column, Counts]:
    """Return the columns whose values are few and short enough to be listed."""
    return {
        column: counts
        for column, counts in found.items()
        if len(counts) <= MAX_COUNTED_VALUES
        and sum(measure_value(value) for value, _ in counts) <= MAX_COUNTED_BYTES
    }

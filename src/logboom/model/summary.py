"""What a block's index knows about a column: how many rows have it, and its values or a filter of them.

A column with few distinct values has them counted; any other has a bloom filter, which tells that a value is
certainly absent, or may be present. Two kinds of columns have none, because their range tells as much: floats, which
nobody searches by exact value, and integers that fill most of their range. Texts are filtered by their folded form,
and have a trigram set for substrings; messages have a filter of their long words too. This is the definition of the
filter's bits; the compiled shredder sets the same ones.
"""

import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec
import polars as pl

from logboom.model.columns import Cell, Column, Kind, Scalar
from logboom.model.filters.bits import Bits
from logboom.model.filters.bloom import (
    choose_part,
    count_parts,
    fit_parts,
    has_bits,
    read_part,
    set_bits,
)
from logboom.model.filters.longwords import make_long_words, may_contain_words
from logboom.model.filters.trigrams import fold_text, list_runs, make_trigrams, may_contain

MAX_COUNTED_VALUES = 256
MAX_COUNTED_BYTES = 64 * 1024
BITS_PER_VALUE = 10
PROBES = 6
SPREAD = 4
"""Integers get a filter if their range is at least this many times their number."""

FNV_OFFSET, FNV_PRIME = 14695981039346656037, 1099511628211
MIX = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


class ColumnSummary(msgspec.Struct, frozen=True, array_like=True):
    """What an index knows about a column.

    `count` rows have the column; `values` with their counts, or `bloom` and `trigrams`, describe its values.
    """

    count: int
    values: list[tuple[Scalar, int]] | None = None
    bloom: Bits | None = None
    low: float | int | None = None
    high: float | int | None = None
    trigrams: Bits | None = None
    long_words: Bits | None = None

    def may_hold(self, value: Scalar) -> bool:
        """Return whether some row may equal `value`, texts compared folded; False is always right."""
        if self.values is not None:
            return any(fold_value(known) == fold_value(value) for known, _ in self.values)
        if not self._covers(value):
            return False
        if self.bloom is None:
            return True
        hash = hash_searched(value)
        return has_bits(read_part(self.bloom, hash), hash, PROBES)

    def _covers(self, value: Scalar) -> bool:
        if isinstance(value, str) or self.low is None or self.high is None:
            return True
        return self.low <= value <= self.high

    def may_contain(self, text: str) -> bool:
        """Return whether some row may contain `text`, ignoring case; False is always right."""
        if self.values is not None:
            return some_has_runs([known for known, _ in self.values], list_searched(text))
        # Long words come first: where they decide, the larger set of trigrams is not read.
        if self.long_words is not None and not may_contain_words(self.long_words[:], text):
            return False
        return self.trigrams is None or may_contain(self.trigrams[:], text)


def fold_value(value: Scalar) -> Scalar:
    return value.lower() if isinstance(value, str) else value


@lru_cache(maxsize=256)
def list_searched(text: str) -> tuple[str, ...]:
    """Return the runs of a searched text; cached, because it is looked up in one block after the other."""
    return tuple(list_runs(text))


def some_has_runs(values: list[Scalar], runs: Sequence[str]) -> bool:
    """Return whether some value may contain the text of these ASCII runs."""
    try:
        # Usually none does, which is faster to see in all of them at once.
        together = fold_text("\n".join(values))  # type: ignore[arg-type]
    except TypeError:
        # Some value is not a text.
        return any(has_runs(value, runs) for value in values)
    return all(run in together for run in runs) and any(has_runs(value, runs) for value in values)


def has_runs(value: Scalar, runs: Sequence[str]) -> bool:
    """Return whether a value may contain the text of these ASCII runs; unknown if it is not a text."""
    if not isinstance(value, str):
        return True
    folded = fold_text(value)
    # A generator would take longer than the search.
    for run in runs:  # noqa: SIM110
        if run not in folded:
            return False
    return True


def hash_value(value: Scalar) -> int:
    """Return a 64-bit hash of a value: a text by its folded UTF-8, a number or boolean by its eight bytes."""
    if isinstance(value, str):
        data = value.lower().encode()
    elif isinstance(value, float):
        data = struct.pack("<d", value or 0.0)
    else:
        data = struct.pack("<q", value)
    number = FNV_OFFSET
    for byte in data:
        number = (number ^ byte) * FNV_PRIME & MASK
    number = (number ^ number >> 32) * MIX & MASK
    return number ^ number >> 29


hash_searched = lru_cache(maxsize=256, typed=True)(hash_value)
"""The hash of a value that is searched for, in one block after the other."""


def needs_bloom(count: int, low: float | int | None, high: float | int | None) -> bool:
    """Return whether a filter of this many values would tell more than their range."""
    if low is None or high is None:
        return True
    return isinstance(low, int) and high - low >= SPREAD * count


def make_bloom(values: Sequence[Scalar]) -> bytes:
    size_bytes = fit_parts(-(-len(values) * BITS_PER_VALUE // 8))
    parts = count_parts(size_bytes)
    bloom = [bytearray(size_bytes // parts) for _ in range(parts)]
    for value in values:
        hash = hash_value(value)
        set_bits(bloom[choose_part(parts, hash)], hash, PROBES)
    return b"".join(bloom)


def summarise(column: Column, cells: Iterable[Cell]) -> ColumnSummary:
    """Summarise the non-null cells of one column, in row order."""
    present = list(cells)
    elements = [value for cell in present for value in (cell if isinstance(cell, list) else [cell])]
    texts = list_texts(column, elements)
    trigrams = None if texts is None else make_trigrams(texts)
    if column.field == "message":
        long_words = None if texts is None else make_long_words(texts)
        return ColumnSummary(len(present), trigrams=trigrams, long_words=long_words)
    low, high = find_range(elements)
    counted = None if column.kind.is_list else count_values(elements)
    if counted is not None:
        return ColumnSummary(len(present), values=counted, low=low, high=high)
    bloom = make_bloom(elements) if needs_bloom(len(elements), low, high) else None
    return ColumnSummary(len(present), None, bloom, low, high, trigrams)


def summarise_series(column: Column, series: pl.Series) -> ColumnSummary:
    """Summarise one column of a block as it is stored."""
    return summarise(column, series.drop_nulls().to_list())


def list_texts(column: Column, values: list[Scalar]) -> list[str] | None:
    """Return the values of a text column, or None for other columns."""
    if column.kind not in (Kind.STR, Kind.STRS):
        return None
    return [value for value in values if isinstance(value, str)]


def find_range(values: list[Scalar]) -> tuple[float | int | None, float | int | None]:
    """Return the smallest and greatest number, or None for texts and booleans."""
    numbers = [
        value for value in values if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    return (min(numbers), max(numbers)) if numbers else (None, None)


def count_values(values: list[Scalar]) -> list[tuple[Scalar, int]] | None:
    """Return each distinct value and its count, in order of appearance, or None if there are too many."""
    counts: dict[Scalar, int] = {}
    size_bytes = 0
    for value in values:
        if value not in counts:
            size_bytes += measure_value(value)
            if len(counts) == MAX_COUNTED_VALUES or size_bytes > MAX_COUNTED_BYTES:
                return None
        counts[value] = counts.get(value, 0) + 1
    return list(counts.items())


def measure_value(value: Scalar) -> int:
    return len(value.encode()) if isinstance(value, str) else 8

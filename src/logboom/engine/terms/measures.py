"""Durations and sizes that texts spell with their unit, and the unit that a field's name implies."""

import re
from functools import partial

import polars as pl

from logboom.base.patterns import compile_later
from logboom.lang.ast import DURATIONS_NS, SIZES
from logboom.model.names import fold_name

DIGITS = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
SPELLINGS = {**{unit: unit for unit in DURATIONS_NS}, "µs": "us", "μs": "us"}
"""The units of durations as texts write them; µ is two characters in Unicode."""
DURATION_PART = rf"({DIGITS})\s*({'|'.join(sorted(SPELLINGS, key=len, reverse=True))})\s*"
DURATION = rf"^\s*[-+]?(?:{DURATION_PART})+$"
UNITS_NS = {spelled: float(DURATIONS_NS[unit]) for spelled, unit in SPELLINGS.items()}
SIZE = rf"(?i)^\s*[-+]?{DIGITS}\s*(?:b|[kmgtp](?:i?b)?)\s*$"
SIZE_FACTORS = {name.lower(): float(factor) for name, factor in SIZES.items()}
FIELD_UNITS = {
    "milliseconds": "ms", "millis": "ms", "ms": "ms",
    "microseconds": "us", "micros": "us", "us": "us",
    "nanoseconds": "ns", "nanos": "ns", "ns": "ns",
    "minutes": "m", "mins": "m",
    "hours": "h",
    "days": "d",
}  # fmt: skip
"""Suffixes of fields that have durations as plain numbers; all other durations are in seconds."""


TIMED_WORDS = (
    *("duration", "latency", "elapsed", "time", "timeout", "took", "delay", "wait", "cpu"),
    *("lag", "age", "ttl", "rtt", "interval", "period", "pause"),
)
TIMED = rf"(?:.*[_.\-]|.*(?:{'|'.join(TIMED_WORDS)}))"
"""What precedes the unit in such a name: `status` and `columns` are not durations."""
FIELD_UNIT = compile_later(rf"{TIMED}?({'|'.join(FIELD_UNITS)})")


def find_field_unit(field: str) -> int:
    """Return the nanoseconds per unit, if a field has durations as plain numbers."""
    match = FIELD_UNIT.fullmatch(fold_name(field))
    return DURATIONS_NS[FIELD_UNITS[match[1]] if match else "s"]


def read_duration(text: pl.Expr, unit_ns: float) -> pl.Expr:
    """Return the length of a text like `12ms` or `1h30m`, in a unit; null if it is not a duration."""
    measure = partial(measure_durations, unit_ns)
    return text.map_batches(measure, return_dtype=pl.Float64, is_elementwise=True)


def measure_durations(unit_ns: float, texts: pl.Series) -> pl.Series:
    """Return lengths in a unit, from a few passes over all texts."""
    lengths_ns = measure_nanoseconds(texts)
    return lengths_ns / pl.repeat(unit_ns, len(lengths_ns), eager=True)


def measure_nanoseconds(texts: pl.Series) -> pl.Series:
    durations = keep_matches(texts, DURATION)
    numbers = durations.str.strip_chars_end("wdhmsunµμ").str.strip_chars_end()
    units = durations.str.strip_chars_start("+-.0123456789").str.strip_chars_start()
    scales = units.replace_strict(UNITS_NS, default=None, return_dtype=pl.Float64)
    alone = numbers.cast(pl.Float64, strict=False) * scales
    if alone.null_count() == durations.null_count():
        return alone
    return alone.zip_with(alone.is_not_null(), add_durations(durations))


def keep_matches(texts: pl.Series, pattern: str) -> pl.Series:
    """Return the texts that match, without blanks around them, and null for all others."""
    matching = texts.set(~texts.str.contains(pattern).fill_null(value=False), None)
    return matching.str.strip_chars()


def add_durations(texts: pl.Series) -> pl.Series:
    """Return the sums of durations with several units, each distinct text parsed once."""
    distinct = texts.drop_nulls().unique()
    sums = [add_parts(text) for text in distinct]
    return texts.replace_strict(distinct, sums, default=None, return_dtype=pl.Float64)


def add_parts(text: str) -> float:
    parts = re.findall(DURATION_PART, text)
    total_ns = sum(float(number) * DURATIONS_NS[SPELLINGS[unit]] for number, unit in parts)
    return -total_ns if text.startswith("-") else total_ns


def read_size(text: pl.Expr) -> pl.Expr:
    """Return the bytes of a text like `10KB`; null if it is not a size."""
    return text.map_batches(measure_sizes, return_dtype=pl.Float64, is_elementwise=True)


def measure_sizes(texts: pl.Series) -> pl.Series:
    sizes = keep_matches(texts, SIZE)
    numbers = sizes.str.strip_chars_end("bBiIkKmMgGtTpP").str.strip_chars_end()
    units = sizes.str.strip_chars_start("+-.0123456789").str.strip_chars_start()
    scales = units.str.to_lowercase().replace_strict(
        SIZE_FACTORS, default=None, return_dtype=pl.Float64
    )
    return numbers.cast(pl.Float64, strict=False) * scales

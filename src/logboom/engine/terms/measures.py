"""Durations and sizes that texts spell with their unit, and the unit that a field's name implies."""

import re

import polars as pl

from logboom.base.patterns import compile_later
from logboom.lang.ast import DURATIONS_NS, SIZES
from logboom.model.names import fold_name

DIGITS = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
SPELLINGS = {**{unit: unit for unit in DURATIONS_NS}, "µs": "us", "μs": "us"}
"""The units of durations as texts write them; µ is two characters in Unicode."""
DURATION_PART = rf"({DIGITS})\s*({'|'.join(sorted(SPELLINGS, key=len, reverse=True))})\s*"
DURATION = rf"^\s*[-+]?(?:{DURATION_PART})+$"
SIZE = rf"(?i)^\s*[-+]?{DIGITS}\s*(?:b|[kmgtp](?:i?b)?)\s*$"
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


def read_duration(text: pl.Expr) -> pl.Expr:
    """Return the nanoseconds of a text like `12ms` or `1h30m`; null if it is not a duration."""
    duration = pl.when(text.str.contains(DURATION)).then(text).str.strip_chars()
    number = duration.str.strip_chars_end("wdhmsunµμ").str.strip_chars_end()
    unit = duration.str.strip_chars_start("+-.0123456789").str.strip_chars_start()
    alone = number.cast(pl.Float64, strict=False) * unit.replace_strict(
        {spelled: float(DURATIONS_NS[unit]) for spelled, unit in SPELLINGS.items()},
        default=None,
        return_dtype=pl.Float64,
    )
    joined = (
        pl.when(alone.is_null())
        .then(duration)
        .map_batches(add_durations, return_dtype=pl.Float64, is_elementwise=True)
    )
    return pl.coalesce(alone, joined)


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
    size = pl.when(text.str.contains(SIZE)).then(text).str.strip_chars()
    number = size.str.strip_chars_end("bBiIkKmMgGtTpP").str.strip_chars_end()
    unit = size.str.strip_chars_start("+-.0123456789").str.strip_chars_start().str.to_lowercase()
    scales = {name.lower(): float(factor) for name, factor in SIZES.items()}
    factor = unit.replace_strict(scales, default=None, return_dtype=pl.Float64)
    return number.cast(pl.Float64, strict=False) * factor

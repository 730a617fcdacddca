"""`rate_counter`: how fast a counter grows, which begins at zero again when its program restarts."""

from collections.abc import Iterable, Mapping

import polars as pl

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Invalid
from logboom.model.timestamps import parse_time
from logboom.readers.loki.metrics.vectors import SERIES, STEP, VALUE, Labels
from logboom.search.answers import Sliding

TIME, GROWTH = "_time", "growth"
MAX_SAMPLES = 100_000
MAX_POINTS = 2_000_000
"""The values of all windows together; one that is in several counts in each."""


def gather_samples(
    rows: Iterable[Mapping[str, object]], columns: Mapping[str, str], figure: str
) -> tuple[pl.DataFrame, list[Labels]]:
    """Return the values of each series at each time, from rows with labels in `columns` and a `figure`."""
    series: dict[tuple[str, ...], int] = {}
    found = [
        (
            series.setdefault(
                tuple(str(row[each] or "") for each in columns.values()), len(series)
            ),
            read_time(row[TIME]),
            row[figure],
        )
        for row in rows
    ]
    if len(found) > MAX_SAMPLES:
        raise Invalid(
            f"a counter with more than {MAX_SAMPLES} values, expected a shorter range of time"
        )
    samples = pl.DataFrame(
        found, schema={SERIES: pl.Int64, TIME: pl.Int64, VALUE: pl.Float64}, orient="row"
    )
    labels = [
        {label: value for label, value in zip(columns, values, strict=True) if value}
        for values in series
    ]
    return samples, labels


def measure_growth(samples: pl.DataFrame, sliding: Sliding) -> pl.DataFrame:
    """Return the growth from the first to the last value of each window; after a decrease the whole value is growth."""
    if samples.height * sliding.overlap > MAX_POINTS:
        raise Invalid(
            "the range is too long for so many steps, expected a longer step or a shorter range"
        )
    before = pl.col(VALUE).shift(1).over(SERIES)
    grown = pl.when(pl.col(VALUE) < before).then(pl.col(VALUE)).otherwise(pl.col(VALUE) - before)
    slots = (pl.col(TIME) - sliding.first_ns) // sliding.slot_ns
    spread = (
        samples.sort(SERIES, TIME)
        .with_columns(
            grown.alias(GROWTH), sliding.list_windows(slots, 0, sliding.count).alias(STEP)
        )
        .filter(pl.col(STEP).list.len() > 0)
        .explode(STEP)
    )
    inside = pl.col(GROWTH).slice(1).sum()
    per_second = inside / (sliding.length_ns / NS_PER_S)
    return spread.group_by(SERIES, STEP, maintain_order=True).agg(per_second.alias(VALUE))


def read_time(text: object) -> int:
    parsed = parse_time(str(text), quoted=True)
    assert parsed is not None, "every event has a time"
    return parsed.time_ns

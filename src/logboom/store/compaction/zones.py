"""The index of a merged block: one index per zone, and their combination."""

from collections.abc import Sequence

import polars as pl
from msgspec.structs import replace

from logboom.model.columns import MESSAGE, SOURCE, Scalar, parse_column
from logboom.model.rows import CORE_SCHEMA, Rows
from logboom.model.shredder import ThreadShredders
from logboom.model.summary import (
    MAX_COUNTED_BYTES,
    MAX_COUNTED_VALUES,
    ColumnSummary,
    measure_value,
)
from logboom.store.block.held import join_held
from logboom.store.block.index import BlockIndex, IndexPart
from logboom.store.block.writer import describe_rows
from logboom.store.compaction.rows import OWN_SCHEMA

OWN_COLUMNS = frozenset({*CORE_SCHEMA, *OWN_SCHEMA})
"""The columns that are not fields of events."""
ALWAYS = frozenset({MESSAGE.name, SOURCE.name})


def describe_zone(frame: pl.DataFrame, shredders: ThreadShredders) -> BlockIndex:
    """Return the index of some rows; columns that none of them has are left out."""
    summaries = {
        series.name: shredders.shredder.summarise_series(parse_column(series.name), series)
        for series in frame
        if series.name not in OWN_COLUMNS
        if series.name in ALWAYS or series.null_count() < frame.height
    }
    return describe_rows(Rows(frame, summaries))


def join_zones(zones: Sequence[BlockIndex]) -> BlockIndex:
    """Return the index of a block of these zones."""
    if len(zones) == 1:
        return zones[0]
    names = dict.fromkeys(name for zone in zones for name in zone.columns)
    return BlockIndex(
        rows=sum(zone.rows for zone in zones),
        first_ns=zones[0].first_ns,
        last_ns=zones[-1].last_ns,
        indexes=join_parts(zones),
        columns={
            name: join_summaries([zone.columns[name] for zone in zones if name in zone.columns])
            for name in names
        },
        overflow_rows=sum(zone.overflow_rows for zone in zones),
        zones=[replace(zone, held={}) for zone in zones],
        held=join_held(zones, names),
    )


def join_parts(zones: Sequence[BlockIndex]) -> dict[str, IndexPart]:
    joined: dict[str, IndexPart] = {}
    for zone in zones:
        for name, part in zone.indexes.items():
            known = joined.get(name, IndexPart(0, part.first_ns, part.last_ns))
            joined[name] = IndexPart(
                known.events + part.events,
                min(known.first_ns, part.first_ns),
                max(known.last_ns, part.last_ns),
            )
    return joined


def join_summaries(summaries: Sequence[ColumnSummary]) -> ColumnSummary:
    """Return counts, counted values and range of all rows; filters are kept per zone only."""
    lows = [summary.low for summary in summaries if summary.low is not None]
    highs = [summary.high for summary in summaries if summary.high is not None]
    return ColumnSummary(
        sum(summary.count for summary in summaries),
        values=join_values(summaries),
        low=min(lows, default=None),
        high=max(highs, default=None),
    )


def join_values(summaries: Sequence[ColumnSummary]) -> list[tuple[Scalar, int]] | None:
    """Return each distinct value and its count, or None if there are too many."""
    counts: dict[Scalar, int] = {}
    for summary in summaries:
        if summary.values is None:
            return None
        for value, count in summary.values:
            counts[value] = counts.get(value, 0) + count
    size_bytes = sum(map(measure_value, counts))
    is_small = len(counts) <= MAX_COUNTED_VALUES and size_bytes <= MAX_COUNTED_BYTES
    return list(counts.items()) if is_small else None

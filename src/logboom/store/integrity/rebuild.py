"""The index of a block made again from its Parquet file.

rebuild_index(objects, info) -> BlockIndex    the block must have been verified before
"""

import polars as pl
from polars.selectors import by_name

from logboom.base.objects import ObjectStore
from logboom.model.columns import Column, parse_column
from logboom.model.summary import ColumnSummary, summarise
from logboom.store.block.index import BlockIndex, IndexPart
from logboom.store.block.info import BlockInfo

OWN_COLUMNS = frozenset(
    ("_time", "_seq", "_node", "_index", "_env", "_day", "_shape", "_raw", "_rest")
)
"""The service's own columns, which an index does not describe."""


def rebuild_index(objects: ObjectStore, info: BlockInfo) -> BlockIndex:
    """What the index of a block must say; one column at a time is in memory."""
    return objects.use(info.path, describe_file)


def describe_file(file: str) -> BlockIndex:
    scan = pl.scan_parquet(file, glob=False)
    names = [name for name in scan.collect_schema().names() if name not in OWN_COLUMNS]
    own = scan.select(
        pl.col("_time").to_physical(), pl.col("_index"), pl.col("_rest").is_not_null()
    ).collect()
    return BlockIndex(
        rows=own.height,
        first_ns=int(own["_time"][0]),
        last_ns=int(own["_time"][-1]),
        indexes=describe_indexes(own),
        columns={
            name: summarise_column(parse_column(name), read_column(scan, name)) for name in names
        },
        overflow_rows=int(own["_rest"].sum()),
    )


def read_column(scan: pl.LazyFrame, name: str) -> pl.Series:
    # A name given as a text may be taken as a pattern.
    return scan.select(by_name(name)).collect().to_series()


def describe_indexes(own: pl.DataFrame) -> dict[str, IndexPart]:
    parts = own.group_by("_index", maintain_order=True).agg(
        pl.len(), pl.col("_time").min().alias("first"), pl.col("_time").max().alias("last")
    )
    return {name: IndexPart(events, first, last) for name, events, first, last in parts.iter_rows()}


def summarise_column(column: Column, series: pl.Series) -> ColumnSummary:
    """What an index says of a column."""
    return summarise(column, series.drop_nulls().to_list())

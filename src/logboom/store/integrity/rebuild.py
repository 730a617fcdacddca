"""Rebuilds the index of a block from its Parquet file.

rebuild_index(objects, info) -> BlockIndex    the block must have been verified before
"""

from collections.abc import Iterator

import msgspec
import polars as pl

from logboom.base.stores.objects import ObjectStore
from logboom.model.shredder import open_shredder
from logboom.store.block.index import BlockIndex
from logboom.store.block.info import BlockInfo
from logboom.store.block.layout import list_columns, select_columns
from logboom.store.block.output import describe_path
from logboom.store.compaction.rows import ZONE_ROWS
from logboom.store.compaction.zones import describe_zone, join_zones


def rebuild_index(objects: ObjectStore, info: BlockInfo) -> BlockIndex:
    """Return the index of a block; only one zone of its rows is in memory at a time."""

    def describe(file: str) -> BlockIndex:
        index = join_zones(list(describe_zones(file, info.rows)))
        return msgspec.structs.replace(index, file=describe_path(file))

    return objects.use(info.path, describe)


def describe_zones(file: str, rows: int) -> Iterator[BlockIndex]:
    scan = pl.scan_parquet(file, glob=False)
    names = list_columns(scan)
    shredders = open_shredder()
    for start in range(0, rows, ZONE_ROWS):
        frame = select_columns(scan.slice(start, ZONE_ROWS), names).collect()
        yield describe_zone(frame, shredders)

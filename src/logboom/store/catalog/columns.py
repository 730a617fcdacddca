"""The blocks of a checkpoint as columns: all `add` actions at once, the same as `describe_block` and `read_block`.

    describe_blocks(blocks, time_ms) -> frame of the column `add`
    read_blocks(frame) -> the blocks, and the paths of files that are not ours

A catalog of a million blocks takes seconds in this way, and minutes one action at a time. Unusual blocks (those of the
first release, or with tags of a newer build) are still handled one by one.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import starmap
from typing import NamedTuple

import msgspec
import polars as pl

from logboom.base.clock import format_day
from logboom.base.versions import BLOCK, check_version, parse_version
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.actions import Add, describe_block, read_block
from logboom.store.catalog.steps import is_ours

TEXTS = pl.Map(pl.String(), pl.String())
ADD = pl.Struct(
    {
        "path": pl.String,
        "partitionValues": TEXTS,
        "size": pl.Int64,
        "modificationTime": pl.Int64,
        "dataChange": pl.Boolean,
        "stats": pl.String,
        "tags": TEXTS,
    }
)
ENTRIES = pl.List(pl.Struct({"key": pl.String, "value": pl.String}))
STATS = {"numRecords": "rows", "_seq": "last_seq"}
"""What is read of the statistics of a block."""
FIELDS = {
    "path": pl.String,
    "env": pl.String,
    "day": pl.Int64,
    "rows": pl.Int64,
    "size_bytes": pl.Int64,
    "first_ns": pl.Int64,
    "last_ns": pl.Int64,
    "last_seq": pl.Int64,
    "node": pl.String,
    "level": pl.Int64,
    "checksum": pl.Int64,
    "index_checksum": pl.Int64,
    "through": pl.String,
}
TAGS = [
    "node",
    "env",
    "day",
    "level",
    "checksum",
    "index_checksum",
    "through",
    "first_ns",
    "last_ns",
    "format",
]
NUMBERS = ("day", "level", "checksum", "index_checksum", "first_ns", "last_ns")
NEEDED = ("node", "env", "day", "first_ns", "last_ns")
"""Tags that a block must have to be read together with others."""
TIME_FORMAT = "%Y-%m-%dT%H:%M:%S%.6fZ"


class FoundBlocks(NamedTuple):
    """The blocks that a checkpoint names, and the files that another engine added."""

    blocks: list[BlockInfo]
    strays: list[str]


def describe_blocks(blocks: Iterable[BlockInfo], time_ms: int) -> pl.DataFrame:
    plain: list[BlockInfo] = []
    others: list[BlockInfo] = []
    for block in blocks:
        (plain if block.is_timed and not block.more else others).append(block)
    rows = [
        msgspec.to_builtins(describe_block(each, time_ms, is_new_data=False)) for each in others
    ]
    slowly = pl.DataFrame({"add": rows}, schema={"add": ADD})
    return pl.concat([describe_plain(plain, time_ms), slowly])


def describe_plain(blocks: Sequence[BlockInfo], time_ms: int) -> pl.DataFrame:
    columns = zip(*(block[: len(FIELDS)] for block in blocks), strict=True) if blocks else ()
    frame = pl.DataFrame(
        [
            pl.Series(name, values, dtype)
            for (name, dtype), values in zip(
                FIELDS.items(), columns or [[]] * len(FIELDS), strict=True
            )
        ]
    )
    frame = frame.with_columns(
        pl.Series("format", [str(block.version) for block in blocks], pl.String),
        pl.col("level").replace(0, None),
    )
    add = pl.struct(
        path="path",
        partitionValues=pl.lit([], ENTRIES).cast(TEXTS),
        size="size_bytes",
        modificationTime=pl.lit(time_ms, pl.Int64),
        dataChange=pl.lit(False),
        stats=write_stats(frame),
        tags=join_tags(frame),
    )
    return frame.select(add.cast(ADD).alias("add"))


def write_stats(frame: pl.DataFrame) -> pl.Expr:
    """Return the statistics by which other engines skip files, as `describe_block` writes them."""
    envs = {env: json.dumps(env) for env in frame["env"].unique()}
    days = {day: json.dumps(format_day(day)) for day in frame["day"].unique()}
    env = pl.col("env").replace_strict(envs, return_dtype=pl.String)
    day = pl.col("day").replace_strict(days, return_dtype=pl.String)
    first = (pl.col("first_ns") // 1000).cast(pl.Datetime("us")).dt.to_string(TIME_FORMAT)
    last = (-(-pl.col("last_ns") // 1000)).cast(pl.Datetime("us")).dt.to_string(TIME_FORMAT)
    parts = (
        *(
            '{"numRecords": ',
            pl.col("rows"),
            ', "minValues": {"_time": "',
            first,
            '", "_env": ',
            env,
        ),
        *(
            ', "_day": ',
            day,
            '}, "maxValues": {"_time": "',
            last,
            '", "_seq": ',
            pl.col("last_seq"),
        ),
        *(', "_env": ', env, ', "_day": ', day, "}}"),
    )
    return pl.concat_str(pl.lit(each) if isinstance(each, str) else each for each in parts)


def join_tags(frame: pl.DataFrame) -> pl.Series:
    """Return the tags of every block; those that it does not have are left out."""
    texts = frame.select(pl.col(TAGS).cast(pl.String)).with_row_index("block")
    entries = texts.unpivot(index="block", variable_name="key").sort("block", maintain_order=True)
    joined = entries.select(pl.struct("key", "value"))["key"].reshape((frame.height, len(TAGS)))
    is_there = pl.element().struct.field("value").is_not_null()
    lists = joined.to_frame("tags").select(pl.col("tags").arr.to_list().list.filter(is_there))
    return lists["tags"].cast(TEXTS)


def read_blocks(frame: pl.DataFrame) -> FoundBlocks:
    """Read the blocks; raise TooNew for one of a newer build, errors of Polars and msgspec for a damaged file."""
    adds = frame.filter(pl.col("add").is_not_null()).unnest("add")
    tags = [pl.col("tags").map.get(name).alias(name) for name in TAGS]
    # Twice as fast as parsing JSON, and enough for what this program writes.
    stats = [
        pl.col("stats").str.extract(rf'"{name}": ?(\d+)').cast(pl.Int64).alias(column)
        for name, column in STATS.items()
    ]
    adds = adds.with_columns(*tags, *stats).with_columns(size_bytes="size")
    known = pl.sum_horizontal(pl.col(name).is_not_null() for name in TAGS)
    is_plain = pl.all_horizontal(
        known == pl.col("tags").map.len(), pl.col(*NEEDED, *STATS.values(), "size").is_not_null()
    )
    adds = adds.with_columns(is_plain=is_plain.fill_null(False))
    others = [read_add(row) for row in adds.filter(~pl.col("is_plain")).iter_rows(named=True)]
    ours = [read_block(add) for add in others if is_ours(add)]
    plain = read_plain(adds.filter("is_plain"))
    return FoundBlocks([*plain, *ours], [add.path for add in others if not is_ours(add)])


def read_plain(adds: pl.DataFrame) -> Iterator[BlockInfo]:
    frame = adds.with_columns(pl.col(NUMBERS).cast(pl.Int64)).with_columns(
        pl.col("level").fill_null(0)
    )
    versions = {text: parse_version(text) for text in frame["format"].unique()}
    for text, path in frame.group_by("format").agg(pl.first("path")).rows():
        check_version(path, versions[text], BLOCK)
    columns = [frame[name].to_list() for name in FIELDS]
    written = [versions[text] for text in frame["format"].to_list()]
    return starmap(BlockInfo, zip(*columns, written, strict=True))


def read_add(row: dict[str, object]) -> Add:
    members = {name: row[name] for name in Add.__struct_fields__ if row[name] is not None}
    return msgspec.convert(members, Add)

"""Blocks as columns of a checkpoint: the same as one action at a time."""

import msgspec
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logboom.base.errors import TooNew
from logboom.base.versions import BLOCK, FIRST, Version
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.actions import Add, describe_block, read_block
from logboom.store.catalog.columns import ADD, describe_blocks, read_blocks

TIME_MS = 1_700_000_000_000
TIMES_NS = st.integers(-(2**63), 2**63 - 1)
CHECKSUMS = st.none() | st.integers(0, 2**32 - 1)
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
BLOCKS = st.builds(
    BlockInfo,
    path=NAMES,
    env=NAMES,
    day=st.integers(-100_000, 100_000),
    rows=st.integers(0, 2**40),
    size_bytes=st.integers(0, 2**50),
    first_ns=TIMES_NS,
    last_ns=TIMES_NS,
    last_seq=st.integers(0, 2**62),
    node=NAMES,
    level=st.integers(0, 12),
    checksum=CHECKSUMS,
    index_checksum=CHECKSUMS,
    through=st.none() | NAMES,
    version=st.sampled_from([BLOCK, FIRST, Version(BLOCK.major, 7)]),
    more=st.just(()) | st.just((("invented", "later"),)),
)


def list_adds(frame: pl.DataFrame) -> list[Add]:
    rows = frame["add"].to_list()
    return [
        msgspec.convert({name: each for name, each in row.items() if each is not None}, Add)
        for row in rows
    ]


@given(st.lists(BLOCKS, max_size=8, unique_by=lambda block: block.path))
@settings(max_examples=100)
def test_columns_say_what_single_actions_say(blocks: list[BlockInfo]) -> None:
    frame = describe_blocks(blocks, TIME_MS)
    found = {add.path: add for add in list_adds(frame)}
    assert found == {
        block.path: describe_block(block, TIME_MS, is_new_data=False) for block in blocks
    }


@given(st.lists(BLOCKS, max_size=8, unique_by=lambda block: block.path))
@settings(max_examples=100)
def test_columns_are_read_as_single_actions_are(blocks: list[BlockInfo]) -> None:
    frame = describe_blocks(blocks, TIME_MS)
    found = read_blocks(frame)
    assert found.strays == []
    assert sorted(found.blocks) == sorted(read_block(add) for add in list_adds(frame))
    assert sorted(found.blocks) == sorted(blocks)


def test_files_of_another_engine_are_told_apart() -> None:
    block = BlockInfo("ours", "default", 1, 1, 1, 1, 1, 1, "node")
    foreign = {"path": "theirs", "partitionValues": {}, "size": 1, "dataChange": True}
    foreign["modificationTime"] = 1
    others = pl.DataFrame({"add": [foreign, None]}, schema={"add": ADD})
    found = read_blocks(pl.concat([describe_blocks([block], TIME_MS), others]))
    assert found == ([block], ["theirs"])


def test_a_block_of_a_newer_build_is_refused() -> None:
    newer = BlockInfo("a", "e", 1, 1, 1, 1, 1, 1, "n", version=Version(BLOCK.major + 1, 0))
    with pytest.raises(TooNew):
        read_blocks(describe_blocks([newer], TIME_MS))


@pytest.mark.parametrize(
    "stats", ["{}", '{"numRecords": 1}', "[]", "nonsense", '{"numRecords": "x"}']
)
def test_statistics_that_say_nothing_are_refused(stats: str) -> None:
    block = BlockInfo("a", "e", 1, 1, 1, 1, 1, 1, "n")
    frame = describe_blocks([block], TIME_MS)
    add = pl.col("add").struct.with_fields(pl.lit(stats).alias("stats"))
    with pytest.raises((ValueError, KeyError, TypeError)):
        read_blocks(frame.select(add))

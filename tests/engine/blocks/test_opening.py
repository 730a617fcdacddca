"""Opened blocks: kept while their indexes are cached, and no longer."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.engine.stored import Stored

from logboom.engine.blocks.reader import BlockReader
from logboom.store.block.info import BlockInfo
from logboom.store.indexes import IndexCache

BLOCKS = 8
LARGE_BYTES = 1 << 20


@pytest.fixture
def infos(wide: Stored) -> list[BlockInfo]:
    env = wide.make_env()
    for number in range(BLOCKS):
        wide.keep(env, [{"message": f"event {number}"}])
    return list(wide.store.snapshot().list_blocks(env))


def make_reader(stored: Stored, index_bytes: int) -> BlockReader:
    return BlockReader(
        stored.store.access, IndexCache(stored.store.access, index_bytes), LARGE_BYTES
    )


def test_a_block_is_opened_once(wide: Stored, infos: list[BlockInfo]) -> None:
    reader = make_reader(wide, LARGE_BYTES)
    first = [reader.open(info) for info in infos]
    assert all(reader.open(info) is block for info, block in zip(infos, first, strict=True))
    reader.drop([infos[0].path])
    assert reader.open(infos[0]) is not first[0]


def test_no_more_blocks_are_kept_than_indexes(wide: Stored, infos: list[BlockInfo]) -> None:
    reader = make_reader(wide, 1)  # room for the last index only
    with ThreadPoolExecutor(4) as pool:
        kept = list(pool.map(lambda info: weakref.ref(reader.open(info)), infos * 20))
    gc.collect()
    assert len({id(block) for each in kept if (block := each())}) <= 1


def test_blocks_are_looked_at_together_once(wide: Stored, infos: list[BlockInfo]) -> None:
    reader = make_reader(wide, LARGE_BYTES)
    together = reader.open_group(infos)
    assert reader.open_group(infos) is together
    assert reader.open_group(infos[1:]) is not together
    assert together.rows == BLOCKS


def test_blocks_are_not_kept_together_after_one_is_closed(
    wide: Stored, infos: list[BlockInfo]
) -> None:
    indexes = IndexCache(wide.store.access, LARGE_BYTES)
    reader = BlockReader(wide.store.access, indexes, LARGE_BYTES)
    together = weakref.ref(reader.open_group(infos))
    indexes.drop([infos[0].path])
    gc.collect()
    assert together() is None


def test_blocks_are_not_kept_together_without_room_for_their_indexes(
    wide: Stored, infos: list[BlockInfo]
) -> None:
    together = weakref.ref(make_reader(wide, 1).open_group(infos))
    gc.collect()
    assert together() is None

"""The scrub finds damage by itself, in its own time, and uses a block again once it is intact."""

from pathlib import Path

import pytest
from tests.store.integrity.damaging import (
    find_file,
    find_index,
    flip,
    keep_events,
    list_flips,
    newest_block,
)
from tests.store.stores import HandClock, make_store, opened

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Corrupt
from logboom.base.stores.local import LocalObjects
from logboom.model.shredder import open_shredder
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.change import Change
from logboom.store.integrity import scrub as scrub_module
from logboom.store.integrity.verify import measure_checksum, verify_block, verify_index
from logboom.store.options import StoreOptions
from logboom.store.store import Store


def make_watched(data: Path, stopwatch: HandClock) -> Store:
    """A store whose maintenance goes by a stopwatch that is moved by hand."""
    options = StoreOptions(data, flush_secs=3600.0)
    return Store(options, LocalObjects(data / "store"), open_shredder(), HandClock(), stopwatch)


def pass_by(store: Store, stopwatch: HandClock, seconds: float) -> None:
    stopwatch.time_ns += int(seconds * NS_PER_S)
    store.scrubber.step()


def damage_blocks(store: Store, count: int) -> None:
    for _ in range(count):
        keep_events(store)
    for info in store.snapshot().list_blocks():
        flip(find_file(store, info), info.size_bytes // 2)


def test_every_block_is_read_once_in_a_pass(tmp_path: Path) -> None:
    stopwatch = HandClock()
    with opened(make_watched(tmp_path, stopwatch)) as store:
        damage_blocks(store, 4)
        store.scrubber.step()
        assert store.damaged.list() == [], "no time has passed"
        pass_by(store, stopwatch, scrub_module.PASS_S / 4)
        assert 0 < len(store.damaged.list()) < 4
        pass_by(store, stopwatch, scrub_module.PASS_S)
        assert len(store.damaged.list()) == 4


def test_no_step_reads_more_than_its_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopwatch = HandClock()
    monkeypatch.setattr(scrub_module, "MAX_STEP_BYTES", 1)
    with opened(make_watched(tmp_path, stopwatch)) as store:
        damage_blocks(store, 3)
        pass_by(store, stopwatch, 100 * scrub_module.PASS_S)
        assert len(store.damaged.list()) == 1


def test_a_lost_index_is_found_and_rebuilt(tmp_path: Path) -> None:
    stopwatch = HandClock()
    with opened(make_watched(tmp_path, stopwatch)) as store:
        info = keep_events(store)
        flip(find_index(store, info), 50)
        pass_by(store, stopwatch, 2 * scrub_module.PASS_S)
        assert verify_index(store.objects, newest_block(store)) is None
        assert store.damaged.list() == []


def test_a_block_that_is_whole_again_is_taken_back(tmp_path: Path) -> None:
    stopwatch = HandClock()
    with opened(make_watched(tmp_path, stopwatch)) as store:
        info = keep_events(store)
        flip(find_file(store, info), 100)
        with pytest.raises(Corrupt):
            store.access.use(info, len)
        store.scrubber.step()
        assert not store.may_merge(info)
        flip(find_file(store, info), 100)
        pass_by(store, stopwatch, scrub_module.RECHECK_S)
        assert store.may_merge(info)
        assert store.access.use(info, len)
    with opened(make_store(tmp_path)) as store:
        assert store.damaged.list() == []


def test_blocks_without_checksums_get_them(tmp_path: Path) -> None:
    stopwatch = HandClock()
    with opened(make_watched(tmp_path, stopwatch)) as store:
        info = keep_events(store)
        unsign(store)
        assert newest_block(store).checksum is None
        pass_by(store, stopwatch, 2 * scrub_module.PASS_S)
        assert list(store.snapshot().list_blocks()) == [info]
        version = store.snapshot().version
        pass_by(store, stopwatch, 2 * scrub_module.PASS_S)
        assert store.snapshot().version == version, "once is enough"
    with opened(make_store(tmp_path)) as store:
        assert newest_block(store) == info
        assert verify_block(store.objects, newest_block(store)) is None


def test_a_damaged_block_gets_no_checksum(tmp_path: Path) -> None:
    stopwatch = HandClock()
    with opened(make_watched(tmp_path, stopwatch)) as store:
        keep_events(store)
        unsign(store)
        info = newest_block(store)
        damage_unnoticed(store, info)
        pass_by(store, stopwatch, 2 * scrub_module.PASS_S)
        assert [damage.block for damage in store.damaged.list()] == [info.path]
        assert newest_block(store).checksum is None


def damage_unnoticed(store: Store, info: BlockInfo) -> None:
    """Change a bit that only shows when all pages are decoded."""
    file = find_file(store, info)
    for offset, bit in list_flips(file, 40):
        flip(file, offset, bit)
        is_noticed = verify_block(store.objects, info) is not None
        if not is_noticed and verify_block(store.objects, info, deep=True):
            return
        flip(file, offset, bit)
    pytest.fail("no such bit")


def test_a_block_that_is_removed_before_it_gets_its_checksum_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remove_first(file: str) -> int:
        store.catalog.remove([block.path for block in store.snapshot().list_blocks()])
        return measure_checksum(file)

    stopwatch = HandClock()
    with opened(make_watched(tmp_path, stopwatch)) as store:
        keep_events(store)
        unsign(store)
        monkeypatch.setattr(scrub_module, "measure_checksum", remove_first)
        pass_by(store, stopwatch, 2 * scrub_module.PASS_S)
        assert store.snapshot().count_blocks() == 0


def unsign(store: Store) -> None:
    """Let the blocks be as the first release wrote them."""
    updates = tuple(
        info._replace(checksum=None, index_checksum=None) for info in store.snapshot().list_blocks()
    )
    store.catalog.commit(Change(updates=updates))

"""Opening blocks: checked once, set aside when damaged, indexes rebuilt, notes shared between processes."""

import os
from pathlib import Path

import pytest
from tests.logged import list_said_by
from tests.store.disk import behind, failing
from tests.store.integrity.damaging import (
    find_file,
    find_index,
    flip,
    ignore_memory,
    keep_events,
    newest_block,
)
from tests.store.stores import make_store, opened

from logboom.base.errors import Corrupt, Unavailable
from logboom.store.block.info import BlockInfo
from logboom.store.integrity import access as access_module
from logboom.store.integrity import damage as damage_module
from logboom.store.integrity.verify import MISSING, WRONG_CHECKSUM, check_block, verify_index
from logboom.store.reader import StoreReader
from logboom.store.store import Store


def use(store: Store | StoreReader, info: BlockInfo) -> int:
    return store.access.use(info, lambda file: os.stat(file).st_size)


def test_a_block_is_checked_once_for_each_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str] = []

    def count(file: str, info: BlockInfo) -> None:
        checked.append(info.path)
        check_block(file, info)

    monkeypatch.setattr(access_module, "check_block", count)
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        assert use(store, info) == use(store, info) == info.size_bytes
        assert checked == [info.path]
        file = find_file(store, info)
        file.with_suffix(".copy").write_bytes(file.read_bytes())
        file.with_suffix(".copy").replace(file)
        use(store, info)
        assert checked == [info.path] * 2


def test_a_damaged_block_is_set_aside_and_named_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        assert store.may_merge(info)
        flip(find_file(store, info), 100)
        for _ in range(3):
            with pytest.raises(Corrupt, match=WRONG_CHECKSUM):
                use(store, info)
        (said,) = list_said_by(damage_module.__name__, caplog)
        assert (said.block, said.events, said.reason) == (info.path, info.rows, WRONG_CHECKSUM)
        assert not store.may_merge(info)
        assert find_file(store, info).exists()
        assert store.indexes.read(info).rows == info.rows, "its index is good"


def test_damage_is_known_after_a_restart_and_to_others(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with opened(make_store(data)) as store:
        info = keep_events(store)
        find_file(store, info).unlink()
        with opened(make_store(tmp_path / "other", objects=store.objects)) as other:
            with pytest.raises(Corrupt, match=MISSING):
                use(store, info)
            other.scrubber.step()
            (damage,) = other.damaged.list()
            assert (damage.block, damage.events, damage.reason) == (info.path, info.rows, MISSING)
    with opened(make_store(data)) as store:
        assert [damage.block for damage in store.damaged.list()] == [info.path]


def test_a_block_that_left_the_catalog_is_not_noted(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        store.catalog.remove([info.path])
        find_file(store, info).unlink()
        with pytest.raises(Corrupt, match=MISSING):
            use(store, info)
        assert store.damaged.list() == []


def test_a_damaged_block_that_is_removed_is_forgotten(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        flip(find_file(store, info), 100)
        with pytest.raises(Corrupt):
            use(store, info)
        store.catalog.remove([info.path])
        store.scrubber.step()
        assert store.damaged.list() == []
        assert store.objects.list(damage_module.FOLDER) == []


def test_a_note_that_cannot_be_written_is_written_later(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        flip(find_file(store, info), 100)
        with failing("link"), pytest.raises(Corrupt):
            use(store, info)
        assert store.objects.list(damage_module.FOLDER) == []
        store.damaged.refresh()
        assert len(store.objects.list(damage_module.FOLDER)) == 1
        assert not store.may_merge(info)


def test_a_store_that_fails_otherwise_is_not_damaged(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        with pytest.raises(Unavailable, match="Too many open files"):
            store.access.use(info, fail_to_open)
        assert store.damaged.list() == []
        use(store, info)


def fail_to_open(_file: str) -> None:
    raise OSError(24, "Too many open files")


@pytest.mark.parametrize("damage", ["gone", "flipped", "cut", "empty"])
def test_a_lost_index_is_rebuilt_and_stored(tmp_path: Path, damage: str) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        expected = ignore_memory(store.indexes.read(info))
    with opened(make_store(tmp_path)) as store:
        harm(find_index(store, info), damage)
        assert ignore_memory(store.indexes.read(info)) == expected
        assert ignore_memory(store.access.load_index(info)[0]) == expected, (
            "also by an old snapshot"
        )
        latest = newest_block(store)
        assert latest.rows == info.rows
        assert verify_index(store.objects, latest) is None
        assert store.damaged.list() == []
    reader = StoreReader(tmp_path)
    assert ignore_memory(reader.indexes.read(newest_block(store))) == expected


def harm(file: Path, damage: str) -> None:
    match damage:
        case "gone":
            file.unlink()
        case "flipped":
            flip(file, 30)
        case "cut":
            os.truncate(file, 20)
        case _:
            os.truncate(file, 0)


def test_whoever_only_reads_rebuilds_in_memory(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        expected = ignore_memory(store.indexes.read(info))
        find_index(store, info).unlink()
        version = store.snapshot().version
        reader = StoreReader(tmp_path)
        assert ignore_memory(reader.indexes.read(info)) == expected
        assert not find_index(store, info).exists()
        assert reader.snapshot().version == version


def test_an_index_that_cannot_be_stored_serves_all_the_same(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        find_index(store, info).unlink()
        with failing("fsync", when=behind(".tmp")):
            assert store.indexes.read(info).rows == info.rows
        assert not find_index(store, info).exists()


def test_an_index_is_not_made_of_a_damaged_block(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        find_index(store, info).unlink()
        flip(find_file(store, info), 200)
        with pytest.raises(Corrupt, match=WRONG_CHECKSUM):
            store.indexes.read(info)
        assert not find_index(store, info).exists()
        assert not store.may_merge(info)
        store.refresh()

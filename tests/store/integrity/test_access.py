"""Opening blocks: checked once, set aside when damaged, indexes rebuilt, notes shared between processes."""

import errno
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import polars as pl
import pytest
from tests.logged import list_said_by
from tests.store.disk import behind, fail, failing
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
from logboom.base.stores.local import LocalObjects
from logboom.store.block.info import BlockInfo
from logboom.store.integrity import access as access_module
from logboom.store.integrity import damage as damage_module
from logboom.store.integrity.verify import MISSING, WRONG_CHECKSUM, check_block, verify_index
from logboom.store.reader import StoreReader
from logboom.store.store import Store

T = TypeVar("T")


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


def test_a_damaged_block_is_refused_every_time_also_when_it_left_the_catalog(
    tmp_path: Path,
) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        store.catalog.remove([info.path])
        flip(find_file(store, info), 100)
        for _ in range(2):
            with pytest.raises(Corrupt, match=WRONG_CHECKSUM):
                use(store, info)


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


def test_what_one_node_takes_back_the_others_take_back_too(tmp_path: Path) -> None:
    with opened(make_store(tmp_path / "data")) as store:
        info = keep_events(store)
        flip(find_file(store, info), 100)
        with pytest.raises(Corrupt):
            use(store, info)
        with opened(make_store(tmp_path / "other", objects=store.objects)) as other:
            flip(find_file(store, info), 100)
            with pytest.raises(Corrupt, match=WRONG_CHECKSUM):
                use(other, info)
            other.scrubber.step()
            assert use(other, info) == info.size_bytes
        store.damaged.refresh()
        assert use(store, info) == info.size_bytes
        assert store.objects.list(damage_module.FOLDER) == []


def test_damage_counts_also_when_the_catalog_is_out_of_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        flip(find_file(store, info), 100)
        monkeypatch.setattr(store.damaged, "_follow", fail_to_follow)
        with pytest.raises(Corrupt, match=WRONG_CHECKSUM):
            use(store, info)
        assert [damage.block for damage in store.damaged.list()] == [info.path]


def fail_to_follow() -> None:
    raise Unavailable("the store does not answer")


@pytest.mark.parametrize("content", [b"", b"{}", b"no json"])
def test_a_note_that_cannot_be_read_is_passed_over(tmp_path: Path, content: bytes) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        store.objects.put_new(damage_module.name_note(info.path), content)
        store.damaged.refresh()
        assert use(store, info) == info.size_bytes


def test_a_note_under_another_name_sets_no_block_aside(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        file = find_file(store, info)
        flip(file, 100)
        with pytest.raises(Corrupt):
            use(store, info)
        (name,) = store.objects.list(damage_module.FOLDER)
        note = store.objects.read(f"{damage_module.FOLDER}/{name}")
        flip(file, 100)
        store.damaged.take_back(info.path)
        store.objects.put_new(f"{damage_module.FOLDER}/other.json", note)
        store.damaged.refresh()
        assert use(store, info) == info.size_bytes


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


@pytest.mark.parametrize(
    "error",
    [OSError(24, "Too many open files"), pl.exceptions.ComputeError("not enough memory")],
    ids=["disk", "reader"],
)
def test_a_store_that_fails_otherwise_is_not_damaged(tmp_path: Path, error: Exception) -> None:
    def fail_to_read(_file: str) -> None:
        raise error

    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        with pytest.raises(Unavailable, match=r"Too many open files|not enough memory"):
            store.access.use(info, fail_to_read)
        assert store.damaged.list() == []
        use(store, info)


def test_an_index_that_is_out_of_reach_is_not_rebuilt(tmp_path: Path) -> None:
    class OutOfReach(LocalObjects):
        def use(self, name: str, read: Callable[[str], T]) -> T:
            if name.endswith(".index"):
                raise fail(errno.EMFILE)
            return super().use(name, read)

    objects = OutOfReach(tmp_path / "store")
    with opened(make_store(tmp_path, objects=objects)) as store:
        info = keep_events(store)
        version = store.snapshot().version
        with pytest.raises(Unavailable, match="Too many open files"):
            store.access.load_index(info)
        assert store.catalog.refresh().version == version


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


def test_whoever_only_reads_notes_no_damage(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        flip(find_file(store, info), 100)
        reader = StoreReader(tmp_path)
        with pytest.raises(Corrupt, match=WRONG_CHECKSUM):
            use(reader, info)
        assert store.objects.list(damage_module.FOLDER) == []


def test_an_index_is_rebuilt_once_however_many_ask_for_it(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        find_index(store, info).unlink()
        version = store.snapshot().version
        with ThreadPoolExecutor(4) as pool:
            rows = list(pool.map(lambda _: store.access.load_index(info)[0].rows, range(4)))
        assert rows == [info.rows] * 4
        assert store.catalog.refresh().version == version + 1


def test_an_index_that_cannot_be_stored_serves_all_the_same(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        find_index(store, info).unlink()
        with failing("fsync", when=behind(".tmp")):
            assert store.indexes.read(info).rows == info.rows
        assert not find_index(store, info).exists()


def test_no_index_is_stored_for_a_block_that_was_removed(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        store.catalog.remove([info.path])
        find_index(store, info).unlink()
        assert store.indexes.read(info).rows == info.rows
        assert not find_index(store, info).exists()


def test_an_index_that_is_rebuilt_for_an_old_snapshot_leaves_what_is_known_since(
    tmp_path: Path,
) -> None:
    with opened(make_store(tmp_path)) as store:
        signed = keep_events(store)
        unsigned = signed._replace(checksum=None, index_checksum=None)
        find_index(store, signed).unlink()
        assert store.access.load_index(unsigned)[0].rows == signed.rows
        assert newest_block(store).checksum == signed.checksum


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

"""Backups of stores that go on working, and what comes back from them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.store.integrity.damaging import find_file, flip, newest_block
from tests.store.stores import (
    HandClock,
    list_messages,
    make_answer,
    make_store,
    opened,
    read_rows,
    say,
)

from logboom.base.clock import NS_PER_DAY
from logboom.base.errors import Conflict, Corrupt, NotFound, Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.store.backup.manifest import NAME, locate, read_manifest
from logboom.store.backup.restore import Restored, restore_backup
from logboom.store.backup.take import BackupResult, BackupSource, take_backup
from logboom.store.companions import Companions
from logboom.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """One event in a block, one in the log only, with an answer and a mark."""
    with opened(make_store(tmp_path / "data")) as store:
        store.submit(say("in a block")).result()
        store.flush().result()
        companions = Companions(make_answer("key"), {"file": 7})
        store.submit(say("in the log"), companions).result()
        yield store


@pytest.fixture
def target(tmp_path: Path) -> LocalObjects:
    return LocalObjects(tmp_path / "backup")


class Disturbed(LocalObjects):
    """Lets something happen before a block is read for the first time."""

    def __init__(self, root: Path, disturb: Callable[[str], object]) -> None:
        super().__init__(root)
        self._disturb = disturb
        self._is_over = False

    def read(self, name: str) -> bytes:
        if name.endswith(".parquet") and name.startswith("blocks") and not self._is_over:
            self._is_over = True
            self._disturb(name)
        return super().read(name)


def back_up(
    store: Store, target: LocalObjects, objects: LocalObjects | None = None
) -> BackupResult:
    source = BackupSource(objects or LocalObjects(root_of(store)), store.options.data_dir, {})
    return take_backup(source, target, HandClock())


def root_of(store: Store) -> Path:
    return Path(store.objects.locate(""))


def restore(target: LocalObjects, data: Path) -> Restored:
    return restore_backup(target, data, LocalObjects(data / "store"), HandClock())


def find_restored(target: LocalObjects, data: Path) -> list[str]:
    restore(target, data)
    with opened(make_store(data)) as store:
        assert read_rows(store)["_seq"].n_unique() == read_rows(store).height
        return list_messages(store)


def test_what_was_acknowledged_comes_back_once(
    tmp_path: Path, store: Store, target: LocalObjects
) -> None:
    taken = back_up(store, target)
    assert (taken.manifest.blocks, taken.manifest.events, taken.damaged) == (1, 1, {})
    store.submit(say("later")).result()
    store.flush().result()
    data = tmp_path / "again"
    assert find_restored(target, data) == ["in a block", "in the log"]
    with opened(make_store(data)) as again:
        assert again.node == store.node
        assert again.answers.find("key") == make_answer("key")
        assert again.find_mark("file") == 7
        again.submit(say("goes on")).result()
        again.flush().result()
        assert list_messages(again) == ["goes on", "in a block", "in the log"]


def test_events_that_are_in_blocks_and_in_the_copied_log_come_back_once(
    tmp_path: Path, store: Store, target: LocalObjects
) -> None:
    def flush(_name: str) -> None:
        store.flush().result()

    # The log is copied by now; the catalog is read again because a block vanished.
    def vanish(name: str) -> None:
        flush(name)
        store.catalog.remove([name])
        (root_of(store) / name).unlink()

    taken = back_up(store, target, Disturbed(root_of(store), vanish))
    assert (taken.manifest.blocks, taken.damaged) == (1, {})
    assert find_restored(target, tmp_path / "again") == ["in the log"]


def test_a_later_backup_copies_what_is_new_and_drops_what_is_gone(
    tmp_path: Path, store: Store, target: LocalObjects
) -> None:
    first = back_up(store, target).manifest
    (old,) = [name for name in first.files if name.endswith(".parquet") and "blocks" in name]
    (tmp_path / "backup" / old).chmod(0o400)
    store.flush().result()
    second = back_up(store, target).manifest
    assert second.files[old] == first.files[old]
    assert (tmp_path / "backup" / old).stat().st_mode & 0o777 == 0o400, "it was not written again"
    assert second.blocks == 2
    store.catalog.remove([old])
    third = back_up(store, target).manifest
    assert old not in third.files
    assert not (tmp_path / "backup" / old).exists()
    runs = {name.split("~")[0] for name in target.list("runs")}
    assert runs == {third.run}
    assert find_restored(target, tmp_path / "again") == ["in the log"]


def test_an_interrupted_backup_leaves_the_one_before(
    tmp_path: Path, store: Store, target: LocalObjects
) -> None:
    def fail(_name: str) -> None:
        raise OSError("pulled out")

    with pytest.raises(OSError, match="pulled out"):
        back_up(store, target, Disturbed(root_of(store), fail))
    with pytest.raises(Unavailable, match="never finished"):
        restore(target, tmp_path / "early")
    back_up(store, target)
    store.submit(say("later")).result()
    store.flush().result()
    with pytest.raises(OSError, match="pulled out"):
        back_up(store, target, Disturbed(root_of(store), fail))
    assert find_restored(target, tmp_path / "again") == ["in a block", "in the log"]
    back_up(store, target)
    assert find_restored(target, tmp_path / "last") == ["in a block", "in the log", "later"]


def test_a_place_that_is_no_backup_of_this_store_is_refused(
    tmp_path: Path, store: Store, target: LocalObjects
) -> None:
    note = tmp_path / "backup/thesis.txt"
    note.write_text("dear to somebody")
    with pytest.raises(Conflict, match="is not empty and is not a backup"):
        back_up(store, target)
    assert list((tmp_path / "backup").iterdir()) == [note]
    note.unlink()
    with opened(make_store(tmp_path / "other")) as other:
        back_up(other, target)
        with pytest.raises(Conflict, match="another store or node"):
            back_up(store, target)


def test_damage_in_the_store_is_named_and_copied_as_it_is(
    tmp_path: Path, store: Store, target: LocalObjects
) -> None:
    block = newest_block(store)
    flip(find_file(store, block), 100)
    taken = back_up(store, target)
    assert taken.damaged == {block.path: "its checksum is wrong"}
    assert restore(target, tmp_path / "again").damaged == {}
    find_file(store, block).unlink()
    (tmp_path / "backup" / block.path).unlink()
    assert back_up(store, target).damaged == {block.path: "it is missing"}


def test_a_damaged_backup_is_noticed(tmp_path: Path, store: Store, target: LocalObjects) -> None:
    manifest = back_up(store, target).manifest
    (block,) = [name for name in manifest.files if name.endswith(".parquet") and "log" not in name]
    flip(tmp_path / "backup" / block, 100)
    assert restore(target, tmp_path / "again").damaged == {block: "its checksum is wrong"}
    with opened(make_store(tmp_path / "again")) as again:
        assert again.snapshot().is_live(block), "that it is missing is known"
    node = tmp_path / "backup" / locate("data/node", manifest.run)
    flip(node, 0)
    with pytest.raises(Corrupt, match="checksum is wrong"):
        restore(target, tmp_path / "third")
    node.unlink()
    with pytest.raises(Corrupt, match="missing from the backup"):
        restore(target, tmp_path / "fourth")


def test_what_is_no_backup_or_a_newer_one_is_not_restored(
    tmp_path: Path, store: Store, target: LocalObjects
) -> None:
    with pytest.raises(NotFound, match="no backup"):
        restore(target, tmp_path / "again")
    back_up(store, target)
    text = (tmp_path / "backup" / NAME).read_text()
    (tmp_path / "backup" / NAME).write_text(text.replace('"format":1', '"format":2'))
    with pytest.raises(Unavailable, match="a newer release made it"):
        restore(target, tmp_path / "again")
    (tmp_path / "backup" / NAME).write_text("{")
    with pytest.raises(Corrupt, match="not a manifest"):
        read_manifest(target)


def test_the_original_and_the_copy_go_on_apart(
    tmp_path: Path, store: Store, target: LocalObjects
) -> None:
    back_up(store, target)
    restore(target, tmp_path / "again")
    with opened(
        make_store(tmp_path / "again", clock=HandClock(HandClock()() + NS_PER_DAY))
    ) as copy:
        copy.submit(say("of the copy")).result()
        copy.flush().result()
        store.submit(say("of the original")).result()
        store.flush().result()
        assert list_messages(copy) == ["in a block", "in the log", "of the copy"]
    assert list_messages(store) == ["in a block", "in the log", "of the original"]


def test_a_restored_copy_goes_on_with_the_backup_until_the_original_does(
    store: Store, target: LocalObjects, tmp_path: Path
) -> None:
    back_up(store, target)
    first, second = tmp_path / "first", tmp_path / "second"
    restore(target, first)
    restore(target, second)
    with opened(make_store(first)) as copy:
        copy.submit(say("only in the copy")).result()
        back_up(copy, target)
        back_up(copy, target)
    with opened(make_store(second)) as other:
        for late in (store, other):
            with pytest.raises(Conflict, match="another copy of this store"):
                back_up(late, target)
    back_up(store, LocalObjects(tmp_path / "elsewhere"))
    restore(target, tmp_path / "third")
    with opened(make_store(tmp_path / "third")) as again:
        assert "only in the copy" in list_messages(again)


def test_the_backup_of_the_original_is_not_overwritten_by_that_of_a_copy(
    store: Store, target: LocalObjects, tmp_path: Path
) -> None:
    back_up(store, target)
    restore(target, tmp_path / "copy")
    store.submit(say("only in the original")).result()
    back_up(store, target)
    with opened(make_store(tmp_path / "copy")) as copy:
        with pytest.raises(Conflict, match="another copy of this store"):
            back_up(copy, target)
        back_up(copy, LocalObjects(tmp_path / "elsewhere"))
    back_up(store, target)

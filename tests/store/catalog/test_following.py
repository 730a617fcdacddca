"""A node that was away while others went on and cleaned up: it is never led astray, and leads nobody."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.store.stores import NOW_NS, HandClock

from logboom.base.stores.local import LocalObjects
from logboom.store.block.info import BlockInfo
from logboom.store.catalog import upkeep
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.catalog.loading import load
from logboom.store.catalog.log import FOLDER, LogFiles, name_commit
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.catalog.upkeep import write_checkpoint


class Interrupted(LocalObjects):
    """Lets something happen just before or after an object is created, before one is read, or after a folder is listed."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.before: Callable[[], None] | None = None
        self.after: Callable[[], None] | None = None
        self.before_reading: dict[str, Callable[[], None]] = {}
        self.after_list: Callable[[], None] | None = None

    def read(self, name: str) -> bytes:
        if before := self.before_reading.pop(name, None):
            before()
        return super().read(name)

    def list(self, prefix: str) -> list[str]:
        found = super().list(prefix)
        after, self.after_list = self.after_list, None
        if after:
            after()
        return found

    def put_new(self, name: str, data: bytes) -> None:
        before, self.before = self.before, None
        if before:
            before()
        super().put_new(name, data)
        after, self.after = self.after, None
        if after:
            after()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Superfluous commits go at once."""
    monkeypatch.setattr(upkeep, "KEEP_COMMITS", 0)


def open_catalog(objects: LocalObjects) -> Catalog:
    catalog = Catalog(objects, HandClock())
    catalog.open()
    return catalog


def commit(catalog: Catalog, name: str, transaction: tuple[str, int] | None = None) -> None:
    block = BlockInfo(
        name_block(name), "default", 19675, 3, 100, NOW_NS, NOW_NS + 9, 5 << 24, "node"
    )
    catalog._objects.put_all({block.path: b"a block"})
    catalog.commit(Change(adds=(block,), transaction=transaction))


def name_block(name: str) -> str:
    return f"blocks/2023-11-14/{name}.parquet"


def list_live(catalog: Catalog) -> list[str]:
    return list_blocks(catalog.refresh())


def list_blocks(snapshot: Snapshot) -> list[str]:
    return sorted(Path(block.path).stem for block in snapshot.list_blocks())


def go_on(root: Path, *names: str) -> None:
    """Another node commits, writes checkpoints, and cleans up all that they make superfluous."""
    objects = LocalObjects(root)
    other = open_catalog(objects)
    for name in names:
        commit(other, name)
        write_checkpoint(other, objects)


def list_commits(root: Path) -> list[int]:
    return sorted(int(path.stem) for path in (root / FOLDER).glob("*.json"))


def test_a_node_that_slept_sees_what_happened_meanwhile(tmp_path: Path) -> None:
    sleeper = open_catalog(LocalObjects(tmp_path))
    commit(sleeper, "a")
    go_on(tmp_path, "b", "c", "d")
    assert sleeper.snapshot.version + 1 not in list_commits(tmp_path), "its part of the log is gone"
    assert list_live(sleeper) == ["a", "b", "c", "d"]


def test_a_node_that_slept_commits_at_the_end_of_the_log(tmp_path: Path) -> None:
    sleeper = open_catalog(LocalObjects(tmp_path))
    go_on(tmp_path, "b", "c", "d")
    commit(sleeper, "late", ("node", 1))
    assert list_live(open_catalog(LocalObjects(tmp_path))) == ["b", "c", "d", "late"]


@pytest.mark.parametrize("transaction", [None, ("node", 1)])
def test_a_node_that_fell_asleep_before_its_commit_makes_it_again(
    tmp_path: Path, transaction: tuple[str, int] | None
) -> None:
    objects = Interrupted(tmp_path)
    sleeper = open_catalog(objects)
    objects.before = lambda: go_on(tmp_path, "b", "c", "d")
    commit(sleeper, "late", transaction)
    assert list_live(sleeper) == ["b", "c", "d", "late"]
    assert list_live(open_catalog(LocalObjects(tmp_path))) == ["b", "c", "d", "late"]


@pytest.mark.parametrize("transaction", [None, ("node", 1)])
def test_a_node_that_fell_asleep_after_its_commit_does_not_make_it_twice(
    tmp_path: Path, transaction: tuple[str, int] | None
) -> None:
    objects = Interrupted(tmp_path)
    sleeper = open_catalog(objects)
    objects.after = lambda: go_on(tmp_path, "b", "c", "d")
    version = sleeper.snapshot.version
    commit(sleeper, "early", transaction)
    fresh = open_catalog(LocalObjects(tmp_path))
    assert list_live(fresh) == list_live(sleeper) == ["b", "c", "d", "early"]
    assert fresh.snapshot.version == version + 4


def test_a_commit_is_not_made_twice_when_its_block_was_removed_meanwhile(tmp_path: Path) -> None:
    """As when others merge it, delete its files, and clean up all that the log said of it."""
    objects = Interrupted(tmp_path)
    sleeper = open_catalog(objects)

    def remove_and_go_on() -> None:
        other = open_catalog(LocalObjects(tmp_path))
        other.remove([name_block("early")])
        other.forget([name_block("early")])
        objects.delete(name_block("early"))
        for _ in range(3):
            other.commit(Change(marks={"file": 1}))
            write_checkpoint(other, LocalObjects(tmp_path))

    objects.after = remove_and_go_on
    commit(sleeper, "early")
    assert list_live(sleeper) == list_live(open_catalog(LocalObjects(tmp_path))) == []


def leave_stray(root: Path, version: int, change: Callable[[bytes], bytes]) -> None:
    """Others go on and clean up, and a node that slept commits where the log is gone."""
    go_on(root, "b", "c", "d")
    stray = (root / name_commit(list_commits(root)[-1])).read_bytes()
    LocalObjects(root).put_new(name_commit(version), change(stray))


def name_other(stray: bytes) -> bytes:
    """A commit of another block. Its checksum is wrong: whoever reads it must not stumble over that either."""
    return stray.replace(b"d.parquet", b"x.parquet")


@pytest.mark.parametrize("change", [bytes, name_other], ids=["whole", "damaged"])
@pytest.mark.parametrize("when", ["before", "while reading"])
def test_nobody_follows_a_commit_that_was_made_where_the_log_is_gone(
    tmp_path: Path, change: Callable[[bytes], bytes], when: str
) -> None:
    objects = Interrupted(tmp_path)
    catalog = open_catalog(objects)
    commit(catalog, "a")
    gap = catalog.snapshot.version + 1
    if when == "before":
        leave_stray(tmp_path, gap, change)
    else:
        objects.before_reading[name_commit(gap)] = lambda: leave_stray(tmp_path, gap, change)
    assert list_live(catalog) == ["a", "b", "c", "d"]
    commit(catalog, "e")
    assert list_live(open_catalog(objects)) == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize("checkpoints", [0, 2])
def test_a_log_that_is_cleaned_up_while_it_is_loaded_is_loaded_again(
    tmp_path: Path, checkpoints: int
) -> None:
    commit(open_catalog(LocalObjects(tmp_path)), "a")
    go_on(tmp_path, *"bc"[:checkpoints])
    objects = Interrupted(tmp_path)
    objects.after_list = lambda: go_on(tmp_path, "d", "e", "f")
    position, _ = load(objects, LogFiles(objects))
    assert list_blocks(position.snapshot) == ["a", *"bc"[:checkpoints], "d", "e", "f"]


def test_a_reader_that_stands_at_a_checkpoint_alone_sees_what_happened_meanwhile(
    tmp_path: Path,
) -> None:
    """As in a store from a backup, whose log is one checkpoint."""
    go_on(tmp_path, "a")
    for version in list_commits(tmp_path):
        (tmp_path / name_commit(version)).unlink()
    reader = Catalog(LocalObjects(tmp_path), HandClock())
    reader.follow()
    assert list_live(reader) == ["a"]
    go_on(tmp_path, "b", "c", "d")
    assert reader.snapshot.version + 1 not in list_commits(tmp_path), "its part of the log is gone"
    assert list_live(reader) == ["a", "b", "c", "d"]


def test_a_commit_under_the_number_of_the_anchor_is_not_taken_for_it(tmp_path: Path) -> None:
    sleeper = open_catalog(LocalObjects(tmp_path))
    commit(sleeper, "a")
    go_on(tmp_path, "b", "c", "d")
    stray = (tmp_path / name_commit(list_commits(tmp_path)[-1])).read_bytes()
    LocalObjects(tmp_path).put_new(name_commit(sleeper.snapshot.version), stray)
    assert list_live(sleeper) == ["a", "b", "c", "d"]


def test_commits_are_deleted_in_ascending_order(tmp_path: Path) -> None:
    deleted: list[str] = []

    class Noting(LocalObjects):
        def delete_all(self, names: object) -> None:
            assert isinstance(names, list)
            deleted.extend(names)
            super().delete_all(names)

    catalog = open_catalog(LocalObjects(tmp_path))
    for names in ("abc", "def", "ghi"):
        for name in names:
            commit(catalog, name)
        write_checkpoint(catalog, Noting(tmp_path))
    commits = [name for name in deleted if name.endswith(".json")]
    assert len(commits) > 3
    assert commits == sorted(commits)

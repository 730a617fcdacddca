"""Objects on the local disk: made once, durable, listed, read and deleted."""

import errno
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from logboom.base.errors import Conflict, NotFound
from logboom.base.stores.local import LocalObjects


@pytest.fixture
def objects(tmp_path: Path) -> LocalObjects:
    return LocalObjects(tmp_path / "root")


def test_an_object_is_read_as_it_was_made(objects: LocalObjects) -> None:
    objects.put_new("folder/deep/name", b"content")
    assert objects.read("folder/deep/name") == b"content"
    assert Path(objects.locate("folder/deep/name")).read_bytes() == b"content"


def test_an_object_is_made_once(objects: LocalObjects) -> None:
    objects.put_new("name", b"first")
    with pytest.raises(Conflict):
        objects.put_new("name", b"second")
    assert objects.read("name") == b"first"


def test_of_many_makers_one_wins(objects: LocalObjects) -> None:
    def put(number: int) -> bool:
        try:
            objects.put_new("folder/name", b"%d" % number)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(put, range(16)))
    assert sum(won) == 1
    assert objects.read("folder/name") == b"%d" % won.index(True)


def test_a_missing_object_is_not_found(objects: LocalObjects) -> None:
    with pytest.raises(NotFound, match="no object folder/name"):
        objects.read("folder/name")


def test_a_folder_is_listed_in_order_without_what_is_under_way(
    objects: LocalObjects, tmp_path: Path
) -> None:
    for name in ("b", "a", "c/d"):
        objects.put_new(f"folder/{name}", b"")
    (tmp_path / "root" / "folder" / ".z.abc.tmp").write_bytes(b"")
    assert objects.list("folder") == ["a", "b", "c"]
    assert objects.list("missing") == []


def test_a_deleted_object_is_gone_and_may_be_deleted_again(objects: LocalObjects) -> None:
    objects.put_new("folder/name", b"")
    for _ in range(2):
        objects.delete("folder/name")
        assert objects.list("folder") == []
    objects.delete("missing/name")


def watch_syncs(monkeypatch: pytest.MonkeyPatch, is_broken: Callable[[str], bool]) -> list[str]:
    """The names of the folders that are synced; `is_broken` ones fail."""
    synced: list[str] = []
    real = os.fsync

    def sync(handle: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        if path.is_dir():
            synced.append(path.name)
            if is_broken(path.name):
                raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(handle)

    monkeypatch.setattr(os, "fsync", sync)
    return synced


def test_new_folders_are_durable_before_an_object_is_made_in_them(
    objects: LocalObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = watch_syncs(monkeypatch, lambda _name: False)
    objects.put_new("blocks/2024-01-01/a", b"")
    assert synced[-3:] == ["root", "blocks", "2024-01-01"]
    synced.clear()
    objects.put_new("blocks/2024-01-01/b", b"")
    assert synced == ["2024-01-01"], "known folders are not synced again"


def test_folders_that_a_dead_process_left_are_synced_once_more(
    objects: LocalObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = watch_syncs(monkeypatch, lambda name: name == "blocks")
    with pytest.raises(OSError, match="Input/output"):
        objects.put_new("blocks/2024-01-01/a", b"")
    monkeypatch.undo()
    synced = watch_syncs(monkeypatch, lambda _name: False)
    LocalObjects(tmp_path / "root").put_new("blocks/2024-01-01/a", b"")
    assert "blocks" in synced


def test_a_folder_that_somebody_removed_is_made_again(
    objects: LocalObjects, tmp_path: Path
) -> None:
    objects.put_new("folder/name", b"")
    objects.delete("folder/name")
    (tmp_path / "root" / "folder").rmdir()
    objects.put_new("folder/name", b"again")
    assert objects.read("folder/name") == b"again"


def test_a_folder_can_be_synced_whether_it_is_there_or_not(
    objects: LocalObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects.put_new("folder/name", b"")
    synced = watch_syncs(monkeypatch, lambda _name: False)
    objects.sync("folder")
    objects.sync("missing")
    assert synced == ["folder"]


def test_many_objects_are_made_at_once_in_folders_that_last(
    objects: LocalObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = []

    def watch(handle: int, real: Callable[[int], None] = os.fsync) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{handle}"))
        real(handle)

    monkeypatch.setattr(os, "fsync", watch)
    wanted = {f"blocks/{day}/{name}": f"{day}{name}".encode() for day in "12" for name in "ab"}
    objects.put_all(wanted)
    assert {name: objects.read(name) for name in wanted} == wanted
    root = tmp_path / "root"
    assert {str(path) for path in (root, root / "blocks", *(root / "blocks").iterdir())} <= set(
        synced
    )
    with pytest.raises(Conflict):
        objects.put_all({"blocks/1/a": b"other"})
    assert objects.read("blocks/1/a") == b"1a"


def test_an_object_is_made_of_what_is_written_piece_by_piece(objects: LocalObjects) -> None:
    assert objects.put_written("folder/name", lambda file: file.write(b"content")) == 7
    assert objects.read("folder/name") == b"content"
    with pytest.raises(Conflict):
        objects.put_written("folder/name", lambda file: file.write(b"other"))
    assert objects.list("folder") == ["name"]

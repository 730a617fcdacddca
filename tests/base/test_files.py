"""Durable files: all or nothing, synced in the right order, and a directory for one process only."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from logboom.base import files as files_module
from logboom.base.errors import Conflict, Unavailable
from logboom.base.files import (
    append_synced,
    can_sync_all,
    lock_directory,
    make_directory,
    publish_all,
    publish_new,
    publish_written,
    replace_file,
    sync_directory,
    write_synced,
)

HOLDER = """
import pathlib, sys
from logboom.base.files import lock_directory
lock_directory(pathlib.Path(sys.argv[1]))
print("locked", flush=True)
sys.stdin.read()
"""


class Journal:
    """The system calls that make something durable, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[str] = []
        self.broken = ""
        for name in ("mkdir", "link", "unlink", "replace", "fsync"):
            monkeypatch.setattr(os, name, self._watch(name, getattr(os, name)))

    def _watch(self, name: str, real: object) -> object:
        def call(*args: object, **kwargs: object) -> object:
            path = os.readlink(f"/proc/self/fd/{args[0]}") if name == "fsync" else str(args[-1])
            if name == "mkdir":
                path = str(args[0])
            entry = f"{name} {Path(path).name if not path.endswith('.tmp') else 'temporary'}"
            self.calls.append(entry)
            if entry == self.broken:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            assert callable(real)
            return real(*args, **kwargs)

        return call


@pytest.fixture
def journal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Journal:
    (tmp_path / "folder").mkdir()
    return Journal(monkeypatch)


def list_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_is_written_synced_linked_and_its_folder_synced(
    journal: Journal, tmp_path: Path
) -> None:
    path = tmp_path / "folder" / "file"
    publish_new(path, b"content")
    assert path.read_bytes() == b"content"
    assert path.stat().st_mode & 0o777 == 0o600
    assert journal.calls == [
        *("fsync temporary", "link file", "unlink temporary", "fsync folder"),
    ]
    assert list_names(path.parent) == ["file"]


def test_a_name_that_exists_is_a_conflict_and_stays_as_it_is(tmp_path: Path) -> None:
    publish_new(tmp_path / "file", b"first")
    with pytest.raises(Conflict, match="exists already"):
        publish_new(tmp_path / "file", b"second")
    assert (tmp_path / "file").read_bytes() == b"first"
    assert list_names(tmp_path) == ["file"]


@pytest.mark.parametrize("broken", ["fsync temporary", "link file"])
def test_a_publication_that_fails_leaves_nothing(
    journal: Journal, tmp_path: Path, broken: str
) -> None:
    journal.broken = broken
    with pytest.raises(OSError, match="Input/output"):
        publish_new(tmp_path / "folder" / "file", b"content")
    assert list_names(tmp_path / "folder") == []


def test_a_publication_that_is_not_synced_is_not_a_success(
    journal: Journal, tmp_path: Path
) -> None:
    journal.broken = "fsync folder"
    with pytest.raises(OSError, match="Input/output"):
        publish_new(tmp_path / "folder" / "file", b"content")


def test_a_replacement_is_written_synced_renamed_and_its_folder_synced(
    journal: Journal, tmp_path: Path
) -> None:
    path = tmp_path / "folder" / "file"
    path.write_bytes(b"old")
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert journal.calls[:2] == ["fsync temporary", "replace file"]
    assert journal.calls[-1] == "fsync folder"
    assert list_names(path.parent) == ["file"]


@pytest.mark.parametrize("broken", ["fsync temporary", "replace file"])
def test_a_replacement_that_fails_leaves_the_old_file(
    journal: Journal, tmp_path: Path, broken: str
) -> None:
    path = tmp_path / "folder" / "file"
    path.write_bytes(b"old")
    journal.broken = broken
    with pytest.raises(OSError, match="Input/output"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert list_names(path.parent) == ["file"]


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, data[:3]))
    write_synced(tmp_path / "file", b"0123456789")
    append_synced(tmp_path / "file", b"abcdefg")
    monkeypatch.undo()
    assert (tmp_path / "file").read_bytes() == b"0123456789abcdefg"


def test_appending_needs_a_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        append_synced(tmp_path / "missing", b"x")


def test_a_folder_is_made_with_what_is_missing_above_it_each_name_synced(
    journal: Journal, tmp_path: Path
) -> None:
    make_directory(tmp_path / "folder" / "a" / "b")
    assert (tmp_path / "folder" / "a" / "b").stat().st_mode & 0o777 == 0o700
    assert journal.calls[-4:] == ["mkdir a", "fsync folder", "mkdir b", "fsync a"]


def test_a_folder_that_is_there_is_synced_all_the_same(journal: Journal, tmp_path: Path) -> None:
    make_directory(tmp_path / "folder")
    assert journal.calls == [f"fsync {tmp_path.name}"]


def test_a_folder_left_unsynced_is_synced_before_anything_is_made_in_it(
    journal: Journal, tmp_path: Path
) -> None:
    journal.broken = "fsync folder"
    with pytest.raises(OSError, match="Input/output"):
        make_directory(tmp_path / "folder" / "a" / "b")
    journal.broken = ""
    journal.calls.clear()
    make_directory(tmp_path / "folder" / "a" / "b")
    assert journal.calls == ["fsync folder", "mkdir b", "fsync a"]


def test_a_parent_that_may_not_be_read_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def refuse(path: object, flags: int, *args: int) -> int:
        if flags & os.O_DIRECTORY:
            raise PermissionError(errno.EACCES, "may not be read")
        return real(str(path), flags, *args)

    monkeypatch.setattr(os, "open", refuse)
    make_directory(tmp_path / "folder")
    assert (tmp_path / "folder").is_dir()


def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileExistsError):
        make_directory(tmp_path / "file")


def test_syncing_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        sync_directory(tmp_path / "missing")


def test_a_directory_is_locked_once(tmp_path: Path) -> None:
    handle = lock_directory(tmp_path)
    with pytest.raises(Unavailable, match="in use by another process"):
        lock_directory(tmp_path)
    os.close(handle)
    os.close(lock_directory(tmp_path))


def test_another_process_is_locked_out_and_death_unlocks(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(Unavailable, match="in use by another process"):
            lock_directory(tmp_path)
        holder.kill()
    os.close(lock_directory(tmp_path))


def test_many_files_are_written_before_any_is_synced_and_synced_before_any_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {tmp_path / name / "x": name.encode() for name in ("a", "b")}
    for path in files:
        path.parent.mkdir()
    journal = Journal(monkeypatch)
    publish_all(files)
    assert [call.split()[0] for call in journal.calls] == [
        *["fsync"] * 2,
        *["link"] * 2,
        *["unlink"] * 2,
        *["fsync"] * 2,
    ]
    assert {path: path.read_bytes() for path in files} == files
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


@pytest.mark.skipif(not files_module.CAN_SYNC_ALL, reason="needs Linux 5.8")
def test_very_many_files_are_synced_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    real = files_module.sync_file_system

    def sync(path: Path) -> None:
        synced.append(len(list(tmp_path.glob("*.parquet"))))
        real(path)

    monkeypatch.setattr(files_module, "sync_file_system", sync)
    journal = Journal(monkeypatch)
    publish_all({tmp_path / f"{number}.parquet": b"x" for number in range(100)})
    assert synced == [0]
    assert sum(call.startswith("fsync") for call in journal.calls) == 1
    assert len(list(tmp_path.iterdir())) == 100


def test_files_that_cannot_be_synced_get_no_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_path: Path) -> None:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(files_module, "CAN_SYNC_ALL", True)
    monkeypatch.setattr(files_module, "sync_file_system", fail)
    with pytest.raises(OSError, match="broken"):
        publish_all({tmp_path / str(number): b"x" for number in range(100)})
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_not_replaced_by_one_of_many(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"old")
    with pytest.raises(Conflict):
        publish_all({tmp_path / name: b"new" for name in ("a", "b")})
    assert (tmp_path / "b").read_bytes() == b"old"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_what_is_written_piece_by_piece_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    assert publish_written(tmp_path / "a", lambda file: file.write(b"whole")) == 5
    with pytest.raises(Conflict):
        publish_written(tmp_path / "a", lambda file: file.write(b"other"))
    with pytest.raises(ZeroDivisionError):
        publish_written(tmp_path / "b", lambda file: file.write(b"half") // 0)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"whole"


@pytest.mark.parametrize(
    ("system", "release", "expected"),
    [
        ("Linux", "6.1.0-13-amd64", True),
        ("Linux", "5.8.0", True),
        ("Linux", "5.4.0-150", False),
        ("Linux", "odd", False),
        ("Darwin", "24.1.0", False),
    ],
)
def test_a_file_system_is_synced_whole_only_where_failures_are_reported(
    system: str, release: str, expected: bool
) -> None:
    assert can_sync_all(system, release) is expected

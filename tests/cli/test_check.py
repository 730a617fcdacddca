"""`logboom check` and `logboom repair`: each kind of damage is named, and mended as far as that can be."""

import os
from pathlib import Path

import polars as pl
import pytest
from tests.buckets import S3Server
from tests.cli.conftest import Logboom
from tests.store.integrity.damaging import flip
from tests.store.stores import (
    HandClock,
    checkpoint,
    copy_directory,
    list_messages,
    make_store,
    opened,
    say,
)

from logboom.base.stores.local import LocalObjects
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import parse_place
from logboom.store.backup.take import BackupSource, take_backup
from logboom.store.catalog.log import FOLDER


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """As a crash leaves it: two blocks, a checkpoint, a commit after it, an event in the log only."""
    data = tmp_path / "live"
    with opened(make_store(data)) as store:
        for message in ("first", "second"):
            store.submit(say(message)).result()
            store.flush().result()
        checkpoint(data / "store")
        store.set_marks({"file": 1})
        store.submit(say("in the log")).result()
        return copy_directory(data, tmp_path / "data")


def list_files(data: Path, suffix: str) -> list[Path]:
    return sorted((data / "store/blocks").rglob(f"*{suffix}"))


def find_block(data: Path, message: str) -> Path:
    blocks = {pl.read_parquet(path)["message"][0]: path for path in list_files(data, ".parquet")}
    return blocks[message]


def find_checkpoint(data: Path) -> Path:
    (path,) = (data / "store" / FOLDER).glob("*.checkpoint.parquet")
    return path


def list_commits(data: Path) -> list[Path]:
    return sorted((data / "store" / FOLDER).glob("*.json"))


def read_tree(data: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}


def open_again(data: Path) -> list[str]:
    with opened(make_store(data)) as store:
        return list_messages(store)


def break_middle(path: Path) -> None:
    flip(path, path.stat().st_size // 2)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def test_a_whole_store_is_found_whole_and_not_touched(logboom: Logboom, data: Path) -> None:
    before = read_tree(data)
    for place in (data, data / "store"):
        done = logboom("check", place)
        assert (done.status, done.output.splitlines()[-1]) == (0, "no damage found"), done
        assert "2 blocks with 2 events" in done.output
    assert "1 event not yet in blocks" in logboom("check", data).output
    for options in ((), ("--dry-run",)):
        done = logboom("repair", "--data", data, *options)
        assert (done.status, done.output) == (0, "no damage found\n")
    after = read_tree(data)
    after.pop(data / "lock", None)
    before.pop(data / "lock", None)
    assert after == before


def test_a_store_that_is_in_use_can_be_checked_but_not_repaired(
    logboom: Logboom, tmp_path: Path
) -> None:
    with opened(make_store(tmp_path / "data")) as store:
        store.submit(say("waiting")).result()
        assert logboom("check", tmp_path / "data").status == 0
        refused = logboom("repair", "--data", tmp_path / "data")
        assert (refused.status, "stop the service first" in refused.errors) == (1, True)


@pytest.mark.parametrize("is_missing", [False, True])
def test_an_index_is_rebuilt(logboom: Logboom, data: Path, is_missing: bool) -> None:
    index = list_files(data, ".index")[0]
    index.unlink() if is_missing else break_middle(index)
    done = logboom("check", data)
    assert (done.status, done.output.count("damaged: "), index.name in done.output) == (1, 1, True)
    planned = logboom("repair", "--data", data, "--dry-run")
    assert (planned.status, planned.output.startswith("would: ")) == (1, True)
    assert logboom("check", data).status == 1
    assert logboom("repair", "--data", data).status == 0
    assert logboom("check", data).status == 0
    assert open_again(data) == ["first", "in the log", "second"]


@pytest.mark.parametrize("is_missing", [False, True])
def test_a_damaged_block_is_removed_kept_and_named(
    logboom: Logboom, data: Path, is_missing: bool
) -> None:
    block = find_block(data, "first")
    block.unlink() if is_missing else break_middle(block)
    done = logboom("check", data)
    assert done.status == 1
    assert f"{block.name}: " in done.output
    assert "it held 1 event of default from 2023-11-14T" in done.output
    done = logboom("repair", "--data", data)
    assert done.status == 0
    assert "1 event of default from 2023-11-14T" in done.output
    assert "are lost" in done.output
    assert (data / "set-aside" / block.name).exists() is not is_missing
    assert logboom("check", data).status == 0
    assert open_again(data) == ["in the log", "second"]


def test_a_damaged_block_comes_back_from_a_backup(
    logboom: Logboom, data: Path, tmp_path: Path
) -> None:
    source = BackupSource(LocalObjects(data / "store"), data, {})
    take_backup(source, LocalObjects(tmp_path / "backup"), HandClock())
    block = list_files(data, ".parquet")[0]
    break_middle(block)
    list_files(data, ".index")[0].unlink()
    refused = logboom("repair", "--data", data, "--from", tmp_path / "nowhere")
    assert refused.status == 1
    done = logboom("repair", "--data", data, "--from", tmp_path / "backup")
    assert (done.status, "restored from the backup" in done.output) == (0, True)
    assert logboom("check", data).status == 0
    assert open_again(data) == ["first", "in the log", "second"]


def test_a_damaged_checkpoint_goes_while_commits_say_the_same(logboom: Logboom, data: Path) -> None:
    cut_short(find_checkpoint(data))
    done = logboom("check", data)
    assert (done.status, find_checkpoint(data).name in done.output) == (1, True)
    assert logboom("repair", "--data", data).status == 0
    assert logboom("check", data).status == 0
    assert open_again(data) == ["first", "in the log", "second"]


def test_a_damaged_commit_goes_when_a_checkpoint_sums_it_up(logboom: Logboom, data: Path) -> None:
    commit = list_commits(data)[1]
    cut_short(commit)
    assert commit.name in logboom("check", data).output
    assert logboom("repair", "--data", data).status == 0
    assert logboom("check", data).status == 0
    assert open_again(data) == ["first", "in the log", "second"]


def test_what_cannot_be_repaired_is_left_as_it_is(logboom: Logboom, data: Path) -> None:
    cut_short(list_commits(data)[-1])
    before = read_tree(data / "store")
    done = logboom("check", data)
    assert (done.status, done.output.count("damaged: ")) == (1, 1)
    done = logboom("repair", "--data", data)
    assert (done.status, "restore the store from a backup" in done.output) == (1, True)
    assert read_tree(data / "store") == before


def test_without_commits_a_damaged_checkpoint_is_never_deleted(
    logboom: Logboom, data: Path
) -> None:
    list_commits(data)[0].unlink()
    path = find_checkpoint(data)
    cut_short(path)
    assert logboom("check", data).status == 1
    assert logboom("repair", "--data", data).status == 1
    assert path.exists()


def test_a_hole_in_the_log_is_damage(logboom: Logboom, data: Path) -> None:
    find_checkpoint(data).unlink()
    list_commits(data)[2].unlink()
    done = logboom("check", data)
    assert (done.status, "missing, but the log goes on" in done.output) == (1, True)


def test_damage_of_the_write_ahead_log_is_named_and_kept(logboom: Logboom, data: Path) -> None:
    (segment,) = (data / "wal").glob("*.wal")
    flip(segment, segment.stat().st_size - 1)
    done = logboom("check", data)
    assert (done.status, f"wal/{segment.name}" in done.output) == (1, True)
    assert logboom("repair", "--data", data).status == 0
    assert (data / "set-aside" / segment.name).read_bytes() == segment.read_bytes()
    segment.write_bytes(b"x" * 500)
    assert "its header is damaged" in logboom("check", data).output
    assert logboom("repair", "--data", data).status == 0
    assert not segment.exists()
    assert logboom("check", data).status == 0


def test_files_that_no_commit_names_are_a_note(logboom: Logboom, data: Path) -> None:
    orphan = list_files(data, ".parquet")[0].with_name("01ARZ3NDEKTSV4RRFFQ69G5FAV.parquet")
    orphan.write_bytes(b"left by a crash")
    done = logboom("check", data)
    assert (done.status, f"note: blocks/2023-11-14/{orphan.name}" in done.output) == (0, True)


def test_a_bucket_is_checked(
    logboom: Logboom, s3_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)
    url = s3_server.make_url()
    objects = open_objects(parse_place(url), tmp_path / "cache", 1 << 20)
    with opened(make_store(tmp_path / "data", objects=objects)) as store:
        store.submit(say("in a bucket")).result()
        store.flush().result()
        (block,) = store.snapshot().list_blocks()
    assert logboom("check", url).status == 0
    objects.replace(block.path, objects.read(block.path)[:-1] + b"!")
    done = logboom("check", tmp_path / "data", "--store", url)
    assert (done.status, f"damaged: {block.path}" in done.output) == (1, True)


def test_a_place_without_a_store_is_refused(logboom: Logboom, tmp_path: Path) -> None:
    for command in (
        ("check", tmp_path / "nowhere"),
        ("check", tmp_path),
        ("repair", "--data", tmp_path / "nowhere"),
        ("repair", "--data", tmp_path),
    ):
        refused = logboom(*command)
        assert (refused.status, refused.errors.count("\n")) == (1, 1), refused
    assert os.listdir(tmp_path) == []

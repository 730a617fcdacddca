"""Checkpoints of the catalog: taken up, passed over when damaged, and never ahead of the disk."""

import os
from pathlib import Path

import deltalake
import pytest
from tests.store.disk import behind, failing
from tests.store.stores import NOW_NS, HandClock, list_messages, make_store, opened, say

from logboom.base.errors import Corrupt
from logboom.base.objects import LocalObjects
from logboom.store.catalog.catalog import LOG, Catalog, Snapshot, name_commit
from logboom.store.catalog.checkpoint import write_checkpoint

TWO_DAYS_S = 2 * 86_400


def write_commits(data: Path, *messages: str) -> None:
    """One commit for each message."""
    with opened(make_store(data)) as store:
        for message in messages:
            store.submit(say(message)).result()
            store.flush().result()


def open_catalog(root: Path) -> Catalog:
    catalog = Catalog(LocalObjects(root), HandClock())
    catalog.open()
    return catalog


def read_snapshot(root: Path) -> Snapshot:
    return open_catalog(root).snapshot


def checkpoint_of(root: Path, version: int) -> Path:
    return root / LOG / f"{version:020d}.checkpoint.parquet"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A store of three commits after the first, in `tmp_path`."""
    write_commits(tmp_path, "a", "b", "c")
    return tmp_path / "store"


def test_a_checkpoint_says_what_the_commits_said(root: Path) -> None:
    before = read_snapshot(root)
    assert write_checkpoint(root) == 3
    catalog = open_catalog(root)
    assert catalog.snapshot == before
    assert catalog.checkpoint_version == 3


def test_commits_after_a_checkpoint_are_followed(root: Path) -> None:
    write_checkpoint(root)
    write_commits(root.parent, "d", "e")
    write_checkpoint(root)
    write_commits(root.parent, "f")
    catalog = open_catalog(root)
    assert (catalog.checkpoint_version, catalog.snapshot.version) == (5, 6)
    with opened(make_store(root.parent)) as store:
        assert list_messages(store) == list("abcdef")


def make_old(root: Path) -> None:
    """Let every commit be two days old."""
    for path in (root / LOG).glob("*.json"):
        age = path.stat().st_mtime - TWO_DAYS_S
        os.utime(path, (age, age))


def test_old_commits_go_once_they_are_summed_up(root: Path) -> None:
    before = read_snapshot(root)
    make_old(root)
    write_checkpoint(root)
    left = sorted(path.name for path in (root / LOG).glob("*.json"))
    assert left in ([], [f"{3:020d}.json"])
    assert read_snapshot(root) == before
    write_commits(root.parent, "d")
    with opened(make_store(root.parent)) as store:
        assert list_messages(store) == list("abcd")


@pytest.mark.parametrize("unsynced", [".checkpoint.parquet", "_last_checkpoint", LOG])
def test_no_commit_goes_before_the_checkpoint_is_durable(root: Path, unsynced: str) -> None:
    make_old(root)
    with failing("fsync", when=behind(unsynced)), pytest.raises(OSError, match="Input/output"):
        write_checkpoint(root)
    assert len(list((root / LOG).glob("*.json"))) == 4


@pytest.mark.parametrize("damage", ["empty", "cut", "zeros", "text", "other"])
def test_a_damaged_checkpoint_is_passed_over_and_cleared_away(root: Path, damage: str) -> None:
    write_checkpoint(root)
    write_commits(root.parent, "d")
    write_checkpoint(root)
    before = read_snapshot(root)
    newest = checkpoint_of(root, 4)
    data = newest.read_bytes()
    other = next(path for path in root.rglob("*.parquet") if "blocks" in path.parts).read_bytes()
    damaged = {
        "empty": b"",
        "cut": data[: len(data) // 2],
        "zeros": bytes(len(data)),
        "text": b"PAR1 nothing of the kind PAR1",
        "other": other,
    }
    newest.write_bytes(damaged[damage])
    catalog = open_catalog(root)
    assert catalog.snapshot == before
    assert catalog.checkpoint_version == 3
    assert not newest.exists()
    assert deltalake.DeltaTable(root).version() == 4, "other readers are not stopped by it either"
    assert write_checkpoint(root) == 4
    assert open_catalog(root).checkpoint_version == 4


def test_a_damaged_checkpoint_without_the_commits_it_summed_up_is_refused(root: Path) -> None:
    make_old(root)
    write_checkpoint(root)
    checkpoint = checkpoint_of(root, 3)
    checkpoint.write_bytes(b"damaged")
    for _ in range(2):
        with pytest.raises(Corrupt, match="missing"):
            open_catalog(root)
    assert checkpoint.exists(), "it may be all that there is to be repaired"


def test_a_hole_after_the_checkpoint_is_refused(root: Path) -> None:
    write_checkpoint(root)
    write_commits(root.parent, "d", "e")
    (root / name_commit(4)).unlink()
    with pytest.raises(Corrupt, match="missing"):
        open_catalog(root)


def test_a_node_goes_on_counting_after_a_checkpoint(root: Path) -> None:
    write_checkpoint(root)
    with opened(make_store(root.parent)) as store:
        assert store.submit(say("d", arrival_ns=NOW_NS)).result() == 4

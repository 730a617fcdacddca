"""Checkpoints of the catalog: read back as written, passed over when damaged, and checked before a clean-up."""

import random
from pathlib import Path

import deltalake
import polars as pl
import pytest
from tests.store.disk import behind, failing
from tests.store.stores import NOW_NS, HandClock, list_messages, make_store, opened, say

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Corrupt
from logboom.base.stores.local import LocalObjects
from logboom.store.block.info import BlockInfo
from logboom.store.catalog import upkeep
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.catalog.checkpoint import DIGEST, FORMAT
from logboom.store.catalog.log import FOLDER, name_checkpoint, name_commit
from logboom.store.catalog.snapshot import CommitStep, Snapshot
from logboom.store.catalog.steps import HOLDER
from logboom.store.catalog.upkeep import write_checkpoint

BLOCK = BlockInfo("blocks/2023-11-14/a.parquet", "default", 19675, 1, 1, NOW_NS, NOW_NS, 1, "node")


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


def checkpoint(root: Path) -> Path:
    """Writes one; returns its file."""
    version = write_checkpoint(open_catalog(root), LocalObjects(root))
    return root / name_checkpoint(version)


def list_commits(root: Path) -> list[int]:
    return sorted(int(path.stem) for path in (root / FOLDER).glob("*.json"))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of three commits after the first two, in `tmp_path`; superfluous commits go at once."""
    monkeypatch.setattr(upkeep, "KEEP_COMMITS", 0)
    write_commits(tmp_path, "a", "b", "c")
    return tmp_path / "store"


def test_a_checkpoint_says_what_the_commits_said(root: Path) -> None:
    before = open_catalog(root)
    checkpoint(root)
    after = open_catalog(root)
    assert after.snapshot == before.snapshot
    assert after.checkpoint_version == before.snapshot.version
    assert after.marks.copy() == before.marks.copy()


def test_commits_after_a_checkpoint_are_followed(root: Path) -> None:
    checkpoint(root)
    write_commits(root.parent, "d", "e")
    checkpoint(root)
    write_commits(root.parent, "f")
    catalog = open_catalog(root)
    assert catalog.checkpoint_version == catalog.snapshot.version - 2
    with opened(make_store(root.parent)) as store:
        assert list_messages(store) == list("abcdef")


def test_commits_go_when_two_checkpoints_sum_them_up(root: Path) -> None:
    first = int(checkpoint(root).name[:20])
    assert list_commits(root) == list(range(first + 1)), "one checkpoint may get damaged"
    write_commits(root.parent, "d")
    before = open_catalog(root).snapshot
    checkpoint(root)
    assert list_commits(root) == list(range(first, before.version + 1))
    assert open_catalog(root).snapshot == before
    write_commits(root.parent, "e")
    with opened(make_store(root.parent)) as store:
        assert list_messages(store) == list("abcde")


@pytest.mark.parametrize("spare", ["damaged", "of another engine"])
def test_commits_stay_when_the_checkpoint_before_cannot_be_relied_on(
    root: Path, spare: str
) -> None:
    older = None
    if spare == "damaged":
        older = checkpoint(root)
    else:
        deltalake.DeltaTable(root).create_checkpoint()
    with opened(make_store(root.parent)) as store:
        store.submit(say("d")).result()
        store.flush().result()
        if older:
            older.write_bytes(b"damaged")
        before = list_commits(root)
        newest = write_checkpoint(store.catalog, store.objects)
        assert list_commits(root) == before
    (root / name_checkpoint(newest)).write_bytes(b"damaged")
    with opened(make_store(root.parent)) as store:
        assert list_messages(store) == list("abcd")


def test_the_newest_commits_stay_for_readers_that_are_a_little_behind(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "KEEP_COMMITS", 3)
    checkpoint(root)
    write_commits(root.parent, "d")
    checkpoint(root)
    write_commits(root.parent, "e")
    last = int(checkpoint(root).name[:20])
    assert list_commits(root) == list(range(last - 3, last + 1))


def test_the_size_of_a_log_is_bounded(root: Path) -> None:
    for number in range(5):
        write_commits(root.parent, str(number))
        checkpoint(root)
    names = LocalObjects(root).list(FOLDER)
    assert len([name for name in names if ".checkpoint." in name]) == 2
    assert len(list_commits(root)) <= 4


@pytest.mark.parametrize("unsynced", [".tmp", FOLDER])
def test_no_commit_goes_before_the_checkpoint_is_durable(root: Path, unsynced: str) -> None:
    checkpoint(root)
    write_commits(root.parent, "d")
    before = list_commits(root)
    catalog = open_catalog(root)
    with failing("fsync", when=behind(unsynced)), pytest.raises(OSError, match="Input/output"):
        write_checkpoint(catalog, LocalObjects(root))
    assert list_commits(root) == before


@pytest.mark.parametrize(
    "change",
    [
        Change(adds=(BLOCK,)),
        Change(transaction=("node", 9)),
        Change(numbers={f"{HOLDER}node": 9}),
        Change(marks={"file": 9}),
    ],
    ids=["blocks", "positions", "claims", "marks"],
)
def test_nothing_goes_when_the_checkpoint_is_not_what_was_written(
    root: Path, change: Change
) -> None:
    older = checkpoint(root).read_bytes()

    class Confused(LocalObjects):
        def put_new(self, name: str, data: bytes) -> None:
            super().put_new(name, older if "checkpoint" in name else data)

    catalog = open_catalog(root)
    catalog.commit(change)
    before = list_commits(root)
    with pytest.raises(Corrupt, match="not what was written"):
        write_checkpoint(catalog, Confused(root))
    assert list_commits(root) == before
    assert open_catalog(root).snapshot == catalog.snapshot


def test_nothing_goes_when_the_checkpoint_cannot_be_read_back(root: Path) -> None:
    class Cutting(LocalObjects):
        def put_new(self, name: str, data: bytes) -> None:
            super().put_new(name, data[:100] if "checkpoint" in name else data)

    checkpoint(root)
    write_commits(root.parent, "d")
    before = list_commits(root)
    with pytest.raises(Corrupt, match="not what was written"):
        write_checkpoint(open_catalog(root), Cutting(root))
    assert list_commits(root) == before


def test_nothing_goes_for_a_checkpoint_of_another_engine(root: Path) -> None:
    checkpoint(root)
    write_commits(root.parent, "d")
    before = list_commits(root)
    deltalake.DeltaTable(root).create_checkpoint()
    with pytest.raises(Corrupt, match="not what was written"):
        checkpoint(root)
    assert list_commits(root) == before
    checkpoint(root)
    assert list_commits(root) != before, "the next try writes our own"


@pytest.mark.parametrize("damage", ["empty", "cut", "zeros", "text", "other"])
def test_a_damaged_checkpoint_is_passed_over_and_cleared_away(root: Path, damage: str) -> None:
    older = checkpoint(root)
    write_commits(root.parent, "d")
    newest = checkpoint(root)
    before = open_catalog(root).snapshot
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
    assert catalog.checkpoint_version == int(older.name[:20])
    assert not newest.exists()
    assert deltalake.DeltaTable(root).version() == before.version, "other readers go on as well"
    assert checkpoint(root) == newest


def test_a_flipped_bit_in_a_checkpoint_is_harmless_or_noticed(root: Path) -> None:
    checkpoint(root)
    write_commits(root.parent, "d")
    newest = checkpoint(root)
    expected = open_catalog(root).snapshot
    data = newest.read_bytes()
    chooser = random.Random(7)
    for bit in chooser.sample(range(len(data) * 8), 300):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        newest.write_bytes(flipped)
        catalog = Catalog(LocalObjects(root), HandClock())
        catalog.follow()
        assert catalog.snapshot == expected


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("path", pl.Binary), ("stats", pl.Binary), ("size", pl.UInt64), ("size", pl.Datetime("us"))],
)
def test_a_column_of_another_type_is_noticed(
    root: Path, name: str, dtype: type[pl.DataType] | pl.DataType
) -> None:
    older = checkpoint(root)
    write_commits(root.parent, "d")
    newest = checkpoint(root)
    expected = open_catalog(root).snapshot
    metadata = pl.read_parquet_metadata(newest)
    changed = pl.col("add").struct.with_fields(pl.field(name).cast(dtype))
    frame = pl.read_parquet(newest).with_columns(changed)
    frame.write_parquet(newest, metadata={key: metadata[key] for key in (DIGEST, FORMAT)})
    catalog = open_catalog(root)
    assert catalog.snapshot == expected
    assert catalog.checkpoint_version == int(older.name[:20])


def test_a_damaged_checkpoint_without_the_commits_it_summed_up_is_refused(root: Path) -> None:
    checkpoint(root)
    write_commits(root.parent, "d")
    newest = checkpoint(root)
    for path in (root / FOLDER).glob("*.checkpoint.parquet"):
        path.write_bytes(b"damaged")
    for _ in range(2):
        with pytest.raises(Corrupt, match="missing"):
            open_catalog(root)
    assert newest.exists(), "it may be all that there is to be repaired"


def test_a_checkpoint_without_a_digest_is_believed_where_it_is_all_there_is(root: Path) -> None:
    """The first release had its checkpoints written by another engine, and deleted the commits before them."""
    before = open_catalog(root).snapshot
    deltalake.DeltaTable(root).create_checkpoint()
    for version in list_commits(root):
        (root / name_commit(version)).unlink()
    with opened(make_store(root.parent)) as store:
        assert store.snapshot().days == before.days
        assert list_messages(store) == list("abc")


def test_a_hole_after_the_checkpoint_is_refused(root: Path) -> None:
    version = int(checkpoint(root).name[:20])
    write_commits(root.parent, "d", "e")
    (root / name_commit(version + 1)).unlink()
    with pytest.raises(Corrupt, match="missing"):
        open_catalog(root)


def test_removals_are_in_checkpoints_for_a_day(root: Path) -> None:
    clock = HandClock()
    catalog = Catalog(LocalObjects(root), clock)
    catalog.open()
    (first, *_) = [block.path for block in catalog.snapshot.list_blocks()]
    catalog.remove([first])
    for hours, expected in ((23, [first]), (25, [])):
        clock.time_ns = NOW_NS + hours * 3600 * NS_PER_S
        catalog.commit(Change(marks={"file": hours}))
        write_checkpoint(catalog, LocalObjects(root))
        assert list(open_catalog(root).snapshot.tombstones) == expected


def test_a_node_goes_on_counting_after_a_checkpoint(root: Path) -> None:
    checkpoint(root)
    with opened(make_store(root.parent)) as store:
        assert store.submit(say("d")).result() == 4


def test_a_second_checkpoint_of_the_same_version_changes_nothing(root: Path) -> None:
    first = checkpoint(root)
    data = first.read_bytes()
    assert checkpoint(root) == first
    assert first.read_bytes() == data


def test_many_blocks_take_more_commits_to_a_checkpoint() -> None:
    blocks = tuple(BLOCK._replace(path=f"blocks/{number}.parquet") for number in range(5000))
    few = Snapshot().change(CommitStep(0, added=blocks[:10]))
    many = Snapshot().change(CommitStep(0, added=blocks))
    assert upkeep.is_worth_it(few, 1)
    assert not upkeep.is_worth_it(many, 2)
    assert upkeep.is_worth_it(many, 3)

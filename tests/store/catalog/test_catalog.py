"""The catalog: commits that race, fail half-way or are damaged, and what is live afterwards."""

import errno
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.store.disk import behind, failing
from tests.store.stores import NOW_NS, HandClock, checkpoint

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Conflict, Corrupt, Unavailable
from logboom.base.ids import make_ulid
from logboom.base.stores.local import LocalObjects
from logboom.store.block.info import BlockInfo
from logboom.store.catalog import catalog as catalog_module
from logboom.store.catalog import upkeep
from logboom.store.catalog.actions import Action, Remove, encode_commit
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.catalog.log import FOLDER as LOG
from logboom.store.catalog.log import name_commit
from logboom.store.catalog.upkeep import write_checkpoint


def make_block(name: str, node: str = "node") -> BlockInfo:
    path = f"blocks/2023-11-14/{name}.parquet"
    return BlockInfo(path, "default", 19675, 3, 100, NOW_NS, NOW_NS + 9, 5 << 24, node)


def open_catalog(root: Path) -> Catalog:
    catalog = Catalog(LocalObjects(root), HandClock())
    catalog.open()
    return catalog


def commit(catalog: Catalog, name: str, transaction: tuple[str, int] | None = None) -> None:
    catalog.commit(Change(adds=(make_block(name),), transaction=transaction))


def list_live(catalog: Catalog) -> list[str]:
    return sorted(Path(block.path).stem for block in catalog.snapshot.list_blocks())


def path_of(root: Path, version: int) -> Path:
    return root / name_commit(version)


def test_a_new_store_begins_a_log(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    assert (catalog.snapshot.version, list_live(catalog)) == (0, [])
    assert path_of(tmp_path, 0).exists()
    assert open_catalog(tmp_path).snapshot == catalog.snapshot


def test_blocks_are_live_with_the_log_position_they_cover(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    blocks = (make_block("a"), make_block("b"))
    snapshot = catalog.commit(Change(adds=blocks, transaction=("node", 17)))
    assert (snapshot.version, snapshot.transactions) == (1, {"node": 17})
    assert tuple(snapshot.list_blocks()) == blocks
    assert catalog.snapshot == snapshot
    assert open_catalog(tmp_path).snapshot == snapshot


def test_a_snapshot_never_changes(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    before = catalog.snapshot
    commit(catalog, "a")
    assert (before.version, before.count_blocks()) == (0, 0)
    assert before.list_between(["default"], 0, NOW_NS * 2) == []


def test_what_others_commit_is_followed(tmp_path: Path) -> None:
    ours, theirs = open_catalog(tmp_path), open_catalog(tmp_path)
    for name in "abc":
        commit(theirs, name)
    assert ours.refresh() == theirs.snapshot


def test_a_taken_number_is_passed_over(tmp_path: Path) -> None:
    ours, theirs = open_catalog(tmp_path), open_catalog(tmp_path)
    commit(theirs, "theirs")
    commit(ours, "ours")
    assert ours.snapshot.version == 2
    assert list_live(ours) == ["ours", "theirs"]


def test_racing_writers_lose_nothing_and_leave_no_hole(tmp_path: Path) -> None:
    catalogs = [open_catalog(tmp_path), open_catalog(tmp_path)]

    def write(writer: int) -> None:
        for number in range(20):
            name = f"{writer}-{number}"
            commit(catalogs[writer % 2], name, (f"node {writer}", number + 1))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    names = [f"{writer}-{number}" for writer in range(4) for number in range(20)]
    fresh = open_catalog(tmp_path)
    for catalog in (*catalogs, fresh):
        catalog.refresh()
        assert list_live(catalog) == sorted(names)
        assert catalog.snapshot.transactions == {f"node {writer}": 20 for writer in range(4)}
    versions = sorted(path.name for path in (tmp_path / LOG).iterdir())
    assert versions == [f"{version:020d}.json" for version in range(81)]


def test_a_position_is_committed_once(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    commit(catalog, "a", ("node", 5))
    commit(catalog, "again", ("node", 5))
    commit(catalog, "older", ("node", 4))
    commit(catalog, "b", ("other", 5))
    assert list_live(catalog) == ["a", "b"]


def test_a_commit_that_was_made_but_not_synced_is_not_made_twice(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    with failing("fsync", when=behind(LOG)) as failed:
        with pytest.raises(OSError, match="Input/output"):
            commit(catalog, "a", ("node", 5))
        for _ in range(2):
            with pytest.raises(Unavailable, match="cannot be synced"):
                commit(catalog, "a", ("node", 5))
    assert len(failed) == 3, "nobody is told of a commit that may not be durable"
    commit(catalog, "a", ("node", 5))
    assert catalog.snapshot.version == 1
    assert list_live(open_catalog(tmp_path)) == ["a"]


def test_a_commit_that_could_not_be_written_is_made_by_the_next_try(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    for call, number in (("write", errno.ENOSPC), ("link", errno.EIO)):
        with failing(call, number), pytest.raises(OSError, match=r"."):
            commit(catalog, "a", ("node", 5))
    commit(catalog, "a", ("node", 5))
    assert catalog.snapshot.version == 1
    assert [path.name for path in (tmp_path / LOG).iterdir() if path.name.startswith(".")] == []


def test_what_an_earlier_process_left_unsynced_is_synced_before_it_is_trusted(
    tmp_path: Path,
) -> None:
    commit(open_catalog(tmp_path), "a", ("node", 5))
    with (
        failing("fsync", when=behind(LOG)) as failed,
        pytest.raises(Unavailable, match="cannot be synced"),
    ):
        open_catalog(tmp_path)
    assert len(failed) == 1


def test_a_commit_that_meets_itself_is_made_once(tmp_path: Path) -> None:
    class Forgetful(LocalObjects):
        """Retries a put whose answer was lost, and does not know its own object again."""

        def put_new(self, name: str, data: bytes) -> None:
            super().put_new(name, data)
            raise Conflict(f"{name} exists already")

    catalog = Catalog(Forgetful(tmp_path), HandClock())
    catalog.open()
    catalog.claim("node", 17, expected=None)
    commit(catalog, "a", ("node", 1))
    assert (catalog.snapshot.version, catalog.find_claim("node")) == (2, 17)


def test_a_writer_that_is_always_late_gives_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Busy(LocalObjects):
        def put_new(self, name: str, data: bytes) -> None:
            del data
            super().put_new(name, b'{"commitInfo":{"operation":"somebody else"}}\n')
            raise Conflict(f"{name} exists already")

    open_catalog(tmp_path)
    monkeypatch.setattr(catalog_module, "MAX_ATTEMPTS", 3)
    catalog = Catalog(Busy(tmp_path), HandClock())
    catalog.open()
    with pytest.raises(Conflict, match="keep changing"):
        commit(catalog, "a")
    assert list_live(open_catalog(tmp_path)) == []


def test_blocks_without_a_log_are_refused(tmp_path: Path) -> None:
    commit(open_catalog(tmp_path), "a")
    LocalObjects(tmp_path).put_new(make_block("a").path, b"a block")
    for path in (tmp_path / LOG).iterdir():
        path.unlink()
    with pytest.raises(Corrupt, match="no log that names them"):
        open_catalog(tmp_path)
    (tmp_path / LOG).rmdir()
    with pytest.raises(Corrupt, match="no log that names them"):
        open_catalog(tmp_path)


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_hole_in_the_log_is_refused_by_name(tmp_path: Path, missing: int) -> None:
    catalog = open_catalog(tmp_path)
    for name in "abc":
        commit(catalog, name)
    path_of(tmp_path, missing).unlink()
    with pytest.raises(Corrupt, match=f"{missing:020d}.json is damaged at byte 0: missing"):
        open_catalog(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 100,
        b"not json\n",
        b'{"add":3}\n',
        b'{"add":{"path":"x"}}\n',
        b'{"commitInfo":{"commit_id":"x"}}\n',
        b"[1,2]\n",
        b"\xff\xfe\n",
    ],
)
def test_a_commit_that_cannot_be_read_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    catalog = open_catalog(tmp_path)
    commit(catalog, "a")
    path_of(tmp_path, 1).write_bytes(content)
    with pytest.raises(Corrupt, match=f"{1:020d}.json"):
        open_catalog(tmp_path)


def test_a_truncated_commit_is_never_taken_for_a_whole_one(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    whole = catalog.commit(Change(adds=(make_block("a"), make_block("b")), transaction=("node", 1)))
    data = path_of(tmp_path, 1).read_bytes()
    for size in (0, data.index(b"\n") + 1, data.rindex(b"\n", 0, -1) + 1, len(data) - 2):
        path_of(tmp_path, 1).write_bytes(data[:size])
        with pytest.raises(Corrupt, match="not a commit"):
            open_catalog(tmp_path)
    path_of(tmp_path, 1).write_bytes(data)
    assert open_catalog(tmp_path).snapshot == whole


def test_a_removed_block_is_no_longer_live(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    commit(catalog, "a")
    commit(catalog, "b")
    remove = Remove(make_block("a").path, dataChange=True, deletionTimestamp=1)
    for version in (3, 4):
        path_of(tmp_path, version).write_bytes(encode_commit([Action(remove=remove)], "DELETE", 1))
    catalog.refresh()
    assert list_live(catalog) == list_live(open_catalog(tmp_path)) == ["b"]
    assert catalog.snapshot.count_rows() == make_block("b").rows, "it counts once"


def test_removed_blocks_are_gone_all_at_once_also_for_others(tmp_path: Path) -> None:
    catalog, other = open_catalog(tmp_path), open_catalog(tmp_path)
    blocks = [make_block(name) for name in "abc"]
    catalog.commit(Change(adds=tuple(blocks), transaction=("node", 17)))
    version = catalog.snapshot.version
    catalog.remove([blocks[0].path, blocks[2].path])
    assert list_live(catalog) == ["b"]
    assert catalog.snapshot.version == version + 1
    assert catalog.snapshot.transactions == {"node": 17}
    for each in (other, open_catalog(tmp_path)):
        each.refresh()
        assert each.snapshot == catalog.snapshot


def test_removing_what_is_not_live_writes_nothing(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    commit(catalog, "a")
    before = catalog.snapshot
    catalog.remove([])
    catalog.remove([make_block("never").path])
    assert catalog.snapshot == before


def test_a_commit_whose_blocks_were_removed_since_is_not_made_again(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    load = Change(adds=(make_block("a"), make_block("b")))
    catalog.commit(load)
    catalog.remove([make_block("a").path])
    catalog.forget([make_block("a").path])
    catalog.commit(load)
    assert list_live(catalog) == ["b"]
    catalog.remove([make_block("b").path])
    catalog.commit(load)
    assert list_live(catalog) == []


def test_a_merge_that_was_made_is_not_refused_when_it_is_tried_again(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    commit(catalog, "a")
    merge = Change(adds=(make_block("b"),), removes=(make_block("a").path,), is_new_data=False)
    assert catalog.commit(merge) == catalog.commit(merge)
    assert list_live(catalog) == ["b"]


def test_a_block_is_known_that_was_committed_whatever_became_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "KEEP_COMMITS", 0)
    catalog = open_catalog(tmp_path)
    for name in "ab":
        commit(catalog, name)
    catalog.remove([make_block("b").path])
    assert not catalog.was_added(make_block("never").path)
    for number in range(2):
        catalog.commit(Change(marks={"file": number + 1}))
        write_checkpoint(catalog, LocalObjects(tmp_path))
    assert not path_of(tmp_path, 3).exists(), "no commit names them"
    assert [catalog.was_added(make_block(name).path) for name in "ab"] == [True, True]


def test_a_block_is_looked_for_beyond_commits_of_nodes_whose_clocks_are_behind(
    tmp_path: Path,
) -> None:
    catalog = open_catalog(tmp_path)
    other = Catalog(LocalObjects(tmp_path), HandClock(NOW_NS - 300 * NS_PER_S))
    other.open()
    name = make_ulid(NOW_NS)
    commit(catalog, name)
    other.remove([make_block(name).path])
    other.commit(Change(marks={"file": 1}))
    catalog.refresh()
    catalog.forget([make_block(name).path])
    assert catalog.was_added(make_block(name).path)
    assert not catalog.was_added(make_block(make_ulid(NOW_NS)).path)


def test_only_removed_blocks_are_forgotten(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    commit(catalog, "a")
    catalog.forget([make_block("a").path])
    assert catalog.snapshot.is_live(make_block("a").path)


def test_nothing_new_is_said_of_a_block_that_was_removed(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    commit(catalog, "a")
    catalog.remove([make_block("a").path])
    with pytest.raises(Conflict, match="1 of 1 blocks are no longer live"):
        catalog.commit(Change(updates=(make_block("a")._replace(checksum=1),)))
    assert list_live(open_catalog(tmp_path)) == []


def test_a_process_whose_claim_the_log_does_not_know_may_not_commit(tmp_path: Path) -> None:
    """As when the store was replaced by a backup under a running process."""
    catalog = open_catalog(tmp_path)
    with pytest.raises(Conflict, match="another process has taken over"):
        catalog.commit(Change(adds=(make_block("a"),), expected_claims={"node": 17}))


def test_racing_removes_and_commits_lose_nothing(tmp_path: Path) -> None:
    catalogs = [open_catalog(tmp_path) for _ in range(2)]
    blocks = [make_block(f"old{number}") for number in range(20)]
    catalogs[0].commit(Change(adds=tuple(blocks)))

    def change(number: int) -> None:
        catalog = catalogs[number % 2]
        catalog.remove([blocks[number].path, blocks[number // 2].path])
        commit(catalog, f"new{number}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(change, range(20)))
    expected = sorted(f"new{number}" for number in range(20))
    assert list_live(open_catalog(tmp_path)) == expected


def test_a_checkpoint_after_a_removal_knows_it(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    blocks = [make_block(name) for name in "ab"]
    catalog.commit(Change(adds=tuple(blocks)))
    catalog.remove([blocks[0].path])
    version = checkpoint(tmp_path)
    again = open_catalog(tmp_path)
    assert again.checkpoint_version == version
    assert list_live(again) == ["b"]

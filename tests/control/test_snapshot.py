"""The copy in memory: follows the store, never falls back, merges the edits of many."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from logboom.base.errors import Conflict, Corrupt, Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.control.documents.cipher import PlainCipher
from logboom.control.documents.snapshot import Snapshot
from logboom.control.documents.store import Documents


class Tags(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tags: tuple[str, ...] = ()


class CountingObjects(LocalObjects):
    """The local store, which counts how often an object is read."""

    reads = 0

    def read(self, name: str) -> bytes:
        self.reads += 1
        return super().read(name)


def open_documents(root: Path) -> Documents:
    return Documents(LocalObjects(root), PlainCipher())


def open_snapshot(root: Path) -> Snapshot[Tags]:
    return Snapshot(open_documents(root), "tags", Tags())


def add_tag(snapshot: Snapshot[Tags], tag: str) -> None:
    snapshot.edit(lambda body: Tags((*body.tags, tag)))


def test_an_unwritten_document_is_the_empty_body_of_generation_zero(tmp_path: Path) -> None:
    snapshot = open_snapshot(tmp_path)
    assert (snapshot.generation, snapshot.body) == (0, Tags())


def test_an_edit_is_seen_at_once_here_and_after_a_refresh_elsewhere(tmp_path: Path) -> None:
    here, elsewhere = open_snapshot(tmp_path), open_snapshot(tmp_path)
    add_tag(here, "a")
    assert here.body == Tags(("a",))
    assert elsewhere.body == Tags()
    assert elsewhere.refresh() == Tags(("a",))
    assert elsewhere.generation == 1


def test_a_refresh_reads_only_what_is_new(tmp_path: Path) -> None:
    objects, elsewhere = CountingObjects(tmp_path), open_snapshot(tmp_path)
    snapshot = Snapshot(Documents(objects, PlainCipher()), "tags", Tags())
    add_tag(elsewhere, "a")
    for _ in range(3):
        assert snapshot.refresh() == Tags(("a",))
    assert objects.reads == 1


def test_edits_from_many_threads_and_copies_are_all_kept(tmp_path: Path) -> None:
    snapshots = [open_snapshot(tmp_path), open_snapshot(tmp_path)]
    expected = [str(number) for number in range(40)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda tag: add_tag(snapshots[int(tag) % 2], tag), expected))
    assert sorted(open_snapshot(tmp_path).body.tags) == sorted(expected)


def test_creating_twice_is_a_conflict(tmp_path: Path) -> None:
    first, second = open_snapshot(tmp_path), open_snapshot(tmp_path)
    first.create(Tags(("first",)))
    with pytest.raises(Conflict):
        second.create(Tags(("second",)))
    assert second.refresh() == Tags(("first",))


def test_a_change_that_refuses_leaves_everything_as_it_was(tmp_path: Path) -> None:
    def refuse(body: Tags) -> Tags:
        raise Conflict("no")

    snapshot = open_snapshot(tmp_path)
    add_tag(snapshot, "a")
    with pytest.raises(Conflict, match=r"^no$"):
        snapshot.edit(refuse)
    assert (snapshot.generation, snapshot.body) == (1, Tags(("a",)))


def test_an_edit_of_another_generation_than_expected_is_a_conflict(tmp_path: Path) -> None:
    here, elsewhere = open_snapshot(tmp_path), open_snapshot(tmp_path)
    assert here.edit(lambda body: Tags(("a",)), expected_generation=0) == Tags(("a",))
    add_tag(elsewhere, "b")
    for expected_generation in (0, 1, 3):
        with pytest.raises(Conflict, match="tags changed in the meantime: generation 2, expected"):
            here.edit(lambda body: Tags(("lost",)), expected_generation)
    assert here.body == Tags(("a", "b"))
    assert here.edit(lambda body: Tags(("c",)), expected_generation=2) == Tags(("c",))


def test_an_edit_that_expects_a_generation_and_is_overtaken_is_a_conflict(tmp_path: Path) -> None:
    here, elsewhere = open_snapshot(tmp_path), open_snapshot(tmp_path)

    def change_too_slowly(body: Tags) -> Tags:
        add_tag(elsewhere, "first")
        return Tags((*body.tags, "second"))

    with pytest.raises(Conflict, match="tags changed in the meantime"):
        here.edit(change_too_slowly, expected_generation=0)
    assert here.body == Tags(("first",))


def test_a_document_that_vanished_is_an_error_and_the_copy_stays(tmp_path: Path) -> None:
    snapshot = open_snapshot(tmp_path)
    add_tag(snapshot, "a")
    shutil.rmtree(tmp_path / "control")
    with pytest.raises(Unavailable, match="generation 1 was deleted"):
        snapshot.refresh()
    assert snapshot.body == Tags(("a",))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"tags":1}', b'{"tags":[1],"newer":1}'])
def test_content_of_another_shape_is_corrupt_never_a_default(
    tmp_path: Path, content: bytes
) -> None:
    open_documents(tmp_path).write("tags", content, 0)
    with pytest.raises(Corrupt, match="control/tags/000000000001"):
        open_snapshot(tmp_path)

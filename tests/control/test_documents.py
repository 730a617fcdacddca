"""Documents: generations, stale edits, racing writers, and a store that cannot be read."""

import errno
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from logboom.base.errors import Conflict, Corrupt, Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.control.documents.cipher import AesCipher, PlainCipher
from logboom.control.documents.store import KEPT_WRITES, Document, Documents

KEY = bytes(range(32))


class HookedObjects(LocalObjects):
    """The local store, with something happening just before an object is made or read, or right after it is made."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.before_put: Callable[[], object] | None = None
        self.after_put: Callable[[], object] | None = None
        self.before_read: Callable[[], object] | None = None

    def put_new(self, name: str, data: bytes) -> None:
        hook, self.before_put = self.before_put, None
        if hook:
            hook()
        super().put_new(name, data)
        hook, self.after_put = self.after_put, None
        if hook:
            hook()

    def read(self, name: str) -> bytes:
        hook, self.before_read = self.before_read, None
        if hook:
            hook()
        return super().read(name)


class BrokenObjects(LocalObjects):
    """A store on a disk that gives nothing back."""

    def list(self, prefix: str) -> list[str]:
        raise OSError(errno.EIO, os.strerror(errno.EIO), prefix)


def open_documents(root: Path) -> Documents:
    return Documents(LocalObjects(root), AesCipher(KEY))


def write_many(documents: Documents, name: str, first: int, last: int) -> None:
    for generation in range(first, last + 1):
        documents.write(name, b"body %d" % generation, generation - 1)


def test_a_document_that_was_never_written_is_none(tmp_path: Path) -> None:
    assert open_documents(tmp_path).read("users") is None


def test_the_newest_generation_is_read_back_also_after_reopening(tmp_path: Path) -> None:
    documents = open_documents(tmp_path)
    assert documents.write("users", b"one", 0) == 1
    assert documents.write("users", b"two", 1) == 2
    assert documents.read("users") == Document(2, b"two")
    assert open_documents(tmp_path).read("users") == Document(2, b"two")


def test_generations_order_by_number_beyond_ten(tmp_path: Path) -> None:
    documents = open_documents(tmp_path)
    write_many(documents, "users", 1, 12)
    assert documents.read("users") == Document(12, b"body 12")


def test_only_the_last_five_generations_stay(tmp_path: Path) -> None:
    write_many(open_documents(tmp_path), "users", 1, 8)
    names = sorted(os.listdir(tmp_path / "control" / "users"))
    assert names == [f"{generation:012d}" for generation in range(4, 9)]


def test_foreign_files_beside_the_generations_do_not_count(tmp_path: Path) -> None:
    documents = open_documents(tmp_path)
    documents.write("users", b"one", 0)
    (tmp_path / "control" / "users" / "000000000009.bak").write_bytes(b"?")
    assert documents.read("users") == Document(1, b"one")


@pytest.mark.parametrize("expected_generation", [0, 1, 2, 6, 8, 9])
def test_a_stale_or_early_edit_is_a_conflict_and_changes_nothing(
    tmp_path: Path, expected_generation: int
) -> None:
    documents = open_documents(tmp_path)
    write_many(documents, "users", 1, 7)
    with pytest.raises(Conflict, match="users was changed in the meantime"):
        documents.write("users", b"stale", expected_generation)
    assert documents.read("users") == Document(7, b"body 7")


@pytest.mark.parametrize("writes_meanwhile", [1, 4, 5, 6, 12])
def test_a_writer_that_was_overtaken_after_it_looked_gets_a_conflict(
    tmp_path: Path, writes_meanwhile: int
) -> None:
    other = open_documents(tmp_path)
    other.write("users", b"body 1", 0)
    last = 1 + writes_meanwhile
    objects = HookedObjects(tmp_path)
    objects.before_put = lambda: write_many(other, "users", 2, last)
    with pytest.raises(Conflict):
        Documents(objects, AesCipher(KEY)).write("users", b"late", 1)
    assert other.read("users") == Document(last, b"body %d" % last)


@pytest.mark.parametrize("writes_since", [1, 4, 5, 6, KEPT_WRITES - 1])
def test_a_write_counts_however_many_others_follow_before_its_writer_looks_again(
    tmp_path: Path, writes_since: int
) -> None:
    other = open_documents(tmp_path)
    other.write("users", b"body 1", 0)
    last = 2 + writes_since
    objects = HookedObjects(tmp_path)
    objects.after_put = lambda: write_many(other, "users", 3, last)
    assert Documents(objects, AesCipher(KEY)).write("users", b"mine", 1) == 2
    assert other.read("users") == Document(last, b"body %d" % last)


def test_after_more_writes_than_are_remembered_nobody_knows_whether_one_counts(
    tmp_path: Path,
) -> None:
    other = open_documents(tmp_path)
    objects = HookedObjects(tmp_path)
    objects.after_put = lambda: write_many(other, "users", 2, 1 + KEPT_WRITES)
    with pytest.raises(Unavailable, match="it is unknown whether this change was saved"):
        Documents(objects, AesCipher(KEY)).write("users", b"mine", 0)


@pytest.mark.parametrize("content", [b"", b"{}", b"aabbccddeeff", b"not hex\n{}"])
def test_what_has_no_writes_is_no_document(tmp_path: Path, content: bytes) -> None:
    name = f"control/users/{1:012d}"
    LocalObjects(tmp_path).put_new(name, AesCipher(KEY).seal(name, content))
    with pytest.raises(Corrupt, match="not a control document"):
        open_documents(tmp_path).read("users")


def test_a_reader_that_was_overtaken_reads_the_newer_generation(tmp_path: Path) -> None:
    other = open_documents(tmp_path)
    other.write("users", b"body 1", 0)
    objects = HookedObjects(tmp_path)
    objects.before_read = lambda: write_many(other, "users", 2, 9)
    assert Documents(objects, AesCipher(KEY)).read("users") == Document(9, b"body 9")


def test_racing_writers_lose_no_update(tmp_path: Path) -> None:
    def add_tags(writer: str) -> None:
        documents = open_documents(tmp_path)
        for number in range(20):
            while not add_tag(documents, f"{writer}{number}"):
                pass

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add_tags, "abcd"))
    document = open_documents(tmp_path).read("tags")
    assert document is not None
    tags = msgspec.json.decode(document.body)
    assert sorted(tags) == sorted(f"{writer}{number}" for writer in "abcd" for number in range(20))


def add_tag(documents: Documents, tag: str) -> bool:
    document = documents.read("tags") or Document(0, b"[]")
    tags = msgspec.json.decode(document.body)
    if tag in tags:
        return True
    try:
        documents.write("tags", msgspec.json.encode([*tags, tag]), document.generation)
    except Conflict:
        return False
    return True


def test_of_many_first_writes_exactly_one_counts(tmp_path: Path) -> None:
    def write_first(number: int) -> bool:
        try:
            open_documents(tmp_path).write("users", b"%d" % number, 0)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        won = [number for number, wrote in enumerate(pool.map(write_first, range(32))) if wrote]
    assert len(won) == 1
    assert open_documents(tmp_path).read("users") == Document(1, b"%d" % won[0])


def test_swapped_documents_are_corrupt(tmp_path: Path) -> None:
    documents = open_documents(tmp_path)
    documents.write("users", b"users", 0)
    documents.write("environments", b"environments", 0)
    users = tmp_path / "control" / "users" / "000000000001"
    environments = tmp_path / "control" / "environments" / "000000000001"
    users_content, environments_content = users.read_bytes(), environments.read_bytes()
    users.write_bytes(environments_content)
    environments.write_bytes(users_content)
    for name in ("users", "environments"):
        with pytest.raises(Corrupt, match=f"control/{name}/000000000001"):
            documents.read(name)


def test_an_old_generation_put_in_front_is_corrupt(tmp_path: Path) -> None:
    documents = open_documents(tmp_path)
    write_many(documents, "users", 1, 2)
    folder = tmp_path / "control" / "users"
    shutil.copy(folder / "000000000001", folder / "000000000003")
    with pytest.raises(Corrupt, match="control/users/000000000003"):
        documents.read("users")


def test_every_flipped_byte_on_disk_is_corrupt_never_an_older_generation(tmp_path: Path) -> None:
    documents = open_documents(tmp_path)
    write_many(documents, "users", 1, 2)
    path = tmp_path / "control" / "users" / "000000000002"
    content = path.read_bytes()
    for offset in range(len(content)):
        path.write_bytes(content[:offset] + bytes([content[offset] ^ 0x20]) + content[offset + 1 :])
        with pytest.raises(Corrupt):
            documents.read("users")
    path.write_bytes(content)
    assert documents.read("users") == Document(2, b"body 2")


def test_an_empty_object_is_corrupt(tmp_path: Path) -> None:
    documents = open_documents(tmp_path)
    documents.write("users", b"one", 0)
    (tmp_path / "control" / "users" / "000000000001").write_bytes(b"")
    with pytest.raises(Corrupt):
        documents.read("users")


def test_a_directory_in_place_of_the_object_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "control" / "users" / "000000000001").mkdir(parents=True)
    with pytest.raises(Unavailable, match="users is unreachable: Is a directory"):
        open_documents(tmp_path).read("users")


def test_a_store_that_fails_is_unavailable_without_telling_its_paths(tmp_path: Path) -> None:
    documents = Documents(BrokenObjects(tmp_path), PlainCipher())
    with pytest.raises(Unavailable, match=r"is unreachable: Input/output error$"):
        documents.read("users")
    with pytest.raises(Unavailable, match=r"is unreachable: Input/output error$"):
        documents.write("users", b"", 0)


@pytest.mark.parametrize("lost", ["the newest", "all"])
def test_a_generation_that_was_deleted_is_missed(tmp_path: Path, lost: str) -> None:
    documents, other = open_documents(tmp_path), open_documents(tmp_path)
    write_many(documents, "users", 1, 3)
    assert other.read("users") == Document(3, b"body 3")
    folder = tmp_path / "control" / "users"
    if lost == "all":
        shutil.rmtree(folder)
    else:
        (folder / f"{3:012d}").unlink()
    for each in (documents, other):
        with pytest.raises(Corrupt, match="generation 3 was deleted"):
            each.read("users")
        with pytest.raises(Corrupt, match="generation 3 was deleted"):
            each.find_generation("users")


class CountingObjects(LocalObjects):
    """Counts how often a folder is listed."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.listed: list[str] = []

    def list(self, prefix: str) -> list[str]:
        self.listed.append(prefix)
        return super().list(prefix)


def test_many_documents_are_looked_at_by_one_listing(tmp_path: Path) -> None:
    objects = CountingObjects(tmp_path)
    documents, other = (Documents(objects, AesCipher(KEY)) for _ in range(2))
    other.write("a", b"first", 0)
    other.write("a", b"second", 1)
    objects.listed.clear()
    with documents.listed_once():
        assert read_body(documents, "a") == b"second"
        assert documents.read("never-written") is None
        assert documents.find_generation("a") == 2
    assert objects.listed == []
    other.write("a", b"third", 2)
    assert read_body(documents, "a") == b"third"


def test_a_listing_older_than_what_this_process_wrote_does_not_count(tmp_path: Path) -> None:
    documents = Documents(LocalObjects(tmp_path), AesCipher(KEY))
    documents.write("a", b"first", 0)
    with documents.listed_once():
        for generation in range(1, 9):
            documents.write("a", b"later", generation)
        assert documents.find_generation("a") == 9
        assert read_body(documents, "a") == b"later"


def test_a_listing_that_others_have_overtaken_is_given_up(tmp_path: Path) -> None:
    documents, other = (Documents(LocalObjects(tmp_path), AesCipher(KEY)) for _ in range(2))
    other.write("a", b"first", 0)
    with documents.listed_once():
        for generation in range(1, 9):
            other.write("a", b"later", generation)
        assert read_body(documents, "a") == b"later"


def read_body(documents: Documents, name: str) -> bytes:
    found = documents.read(name)
    assert found is not None
    return found.body

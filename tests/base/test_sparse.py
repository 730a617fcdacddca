import os
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from logboom.base.errors import Corrupt, Unavailable
from logboom.base.pages import PAGE_BYTES, Pages, Span, sum_pages
from logboom.base.stores.sparse import SparseFiles

PAGE_COUNT = 40
MEGABYTE = 1 << 20


class Source:
    """Objects, and which spans were fetched of them."""

    def __init__(self) -> None:
        self.data = {
            name: random.Random(name).randbytes(PAGE_COUNT * PAGE_BYTES - 7) for name in "abc"
        }
        self.fetched: list[Span] = []

    def fetch(self, name: str, spans: Sequence[Span]) -> list[bytes]:
        self.fetched += spans
        return [self.data[name][start:end] for start, end in spans]

    def describe(self, name: str = "a", start: int = 0) -> Pages:
        data = self.data[name][start:]
        return Pages(name, start, len(data), sum_pages(data))


@pytest.fixture
def source() -> Source:
    return Source()


def read(files: SparseFiles, source: Source, start: int, end: int, name: str = "a") -> bytes:
    def read_span(path: str) -> bytes:
        return Path(path).read_bytes()[start:end]

    return files.use(source.describe(name), [(start, end)], source.fetch, read_span)


def test_only_what_is_missing_is_fetched(tmp_path: Path, source: Source) -> None:
    files = SparseFiles(tmp_path, MEGABYTE)
    assert read(files, source, 10, 20) == source.data["a"][10:20]
    assert source.fetched == [(0, PAGE_BYTES)]
    assert read(files, source, 0, 3 * PAGE_BYTES) == source.data["a"][: 3 * PAGE_BYTES]
    assert source.fetched[1:] == [(PAGE_BYTES, 3 * PAGE_BYTES)]
    end = len(source.data["a"])
    assert read(files, source, end - 5, end) == source.data["a"][-5:]
    assert source.fetched[2:] == [((PAGE_COUNT - 1) * PAGE_BYTES, end)]
    assert read(files, source, 5, PAGE_BYTES) == source.data["a"][5:PAGE_BYTES]
    assert len(source.fetched) == 3


def test_pages_that_begin_inside_an_object_are_fetched_from_there(
    tmp_path: Path, source: Source
) -> None:
    files = SparseFiles(tmp_path, MEGABYTE)
    pages = source.describe(start=100)
    data = files.use(pages, [(0, 8)], source.fetch, lambda path: Path(path).read_bytes()[:8])
    assert data == source.data["a"][100:108]
    assert source.fetched == [(100, 100 + PAGE_BYTES)]


def test_a_new_process_uses_what_is_whole(tmp_path: Path, source: Source) -> None:
    read(SparseFiles(tmp_path, MEGABYTE), source, 0, 4 * PAGE_BYTES)
    (path,) = tmp_path.iterdir()
    with path.open("r+b") as file:
        file.seek(2 * PAGE_BYTES)
        file.write(b"torn")
    source.fetched.clear()
    data = read(SparseFiles(tmp_path, MEGABYTE), source, 0, 4 * PAGE_BYTES)
    assert data == source.data["a"][: 4 * PAGE_BYTES]
    assert source.fetched == [(2 * PAGE_BYTES, 3 * PAGE_BYTES)]


def test_a_file_that_was_removed_is_made_again(tmp_path: Path, source: Source) -> None:
    files = SparseFiles(tmp_path, MEGABYTE)
    read(files, source, 0, PAGE_BYTES)
    (path,) = tmp_path.iterdir()
    path.unlink()
    assert read(files, source, 0, PAGE_BYTES) == source.data["a"][:PAGE_BYTES]
    assert source.fetched == [(0, PAGE_BYTES)] * 2


def test_a_damaged_object_is_told_and_nothing_of_it_is_kept(tmp_path: Path, source: Source) -> None:
    files, pages = SparseFiles(tmp_path, MEGABYTE), source.describe()
    whole = source.data["a"]
    source.data["a"] = whole[: PAGE_BYTES + 5] + b"?" + whole[PAGE_BYTES + 6 :]
    spans = [(0, 2 * PAGE_BYTES)]
    with pytest.raises(Corrupt, match=f"damaged at byte {PAGE_BYTES}: its checksum is wrong"):
        files.use(pages, spans, source.fetch, lambda path: path)
    source.data["a"] = whole
    assert read(files, source, 0, 2 * PAGE_BYTES) == whole[: 2 * PAGE_BYTES]


def test_the_file_used_longest_ago_makes_room(tmp_path: Path, source: Source) -> None:
    files = SparseFiles(tmp_path, 10 * PAGE_BYTES)
    for name in "abac":
        read(files, source, 0, 4 * PAGE_BYTES, name)
    assert {path.name[0] for path in tmp_path.iterdir()} == {"a", "c"}


def test_a_file_being_read_does_not_make_room(tmp_path: Path, source: Source) -> None:
    files = SparseFiles(tmp_path, PAGE_BYTES)

    def read_late(path: str) -> bytes:
        read(files, source, 0, 4 * PAGE_BYTES, "b")
        return Path(path).read_bytes()[:10]

    found = files.use(source.describe(), [(0, 10)], source.fetch, read_late)
    assert found == source.data["a"][:10]


def test_nothing_is_left_of_an_object_that_is_dropped(tmp_path: Path, source: Source) -> None:
    files = SparseFiles(tmp_path, MEGABYTE)
    read(files, source, 0, 10)
    read(files, source, 0, 10, "b")
    files.drop("a")
    assert {path.name[0] for path in tmp_path.iterdir()} == {"b"}


def test_a_place_that_cannot_be_used_is_told(tmp_path: Path, source: Source) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(Unavailable, match="cannot be used"):
        read(SparseFiles(tmp_path / "file", MEGABYTE), source, 0, 10)


def test_a_full_disk_makes_room_for_what_is_needed(
    tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = SparseFiles(tmp_path, MEGABYTE)
    read(files, source, 0, 4 * PAGE_BYTES, "b")
    write = os.pwrite

    def write_if_alone(descriptor: int, data: bytes, at: int) -> int:
        if len(list(tmp_path.iterdir())) > 1:
            raise OSError(28, "No space left on device")
        return write(descriptor, data, at)

    monkeypatch.setattr(os, "pwrite", write_if_alone)
    assert read(files, source, 0, 10) == source.data["a"][:10]
    assert {path.name[0] for path in tmp_path.iterdir()} == {"a"}


def test_many_readers_get_what_they_ask_for(tmp_path: Path, source: Source) -> None:
    files = SparseFiles(tmp_path, 8 * PAGE_BYTES)
    picks = random.Random(1)
    spans = [
        (picks.choice("abc"), start, start + picks.randrange(1, 40_000))
        for start in (picks.randrange(PAGE_COUNT * PAGE_BYTES - 50_000) for _ in range(200))
    ]
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda each: read(files, source, each[1], each[2], each[0]), spans)
    assert list(found) == [source.data[name][start:end] for name, start, end in spans]

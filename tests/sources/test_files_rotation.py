"""Files that grow, are renamed, copied, cut off, compressed and deleted: each line exactly once."""

import gzip
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from prometheus_client import REGISTRY
from tests.sources.pulling import Pulling, pulling, set_mtime

from logboom.sources.files.passes import ENDED_NS

LONG = [f"line {number:04} {'x' * 40}" for number in range(60)]
"""More than the part of a file that it is known by."""
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "zst": zstandard.ZstdCompressor().compress,
}


def pack(path: Path, suffix: str) -> Path:
    """Compress a file as rotation does, its time kept."""
    packed = path.with_name(f"{path.name}.{suffix}")
    packed.write_bytes(PACKERS[suffix](path.read_bytes()))
    shutil.copystat(path, packed)
    path.unlink()
    return packed


def count_lost() -> int:
    return int(REGISTRY.get_sample_value("logboom_source_lost_bytes_total") or 0)


@pytest.fixture(params=["remembers", "forgets", "crashes"])
def forget(request: pytest.FixtureRequest) -> Callable[[Pulling], None]:
    """What happens to the poller between two polls: all must be the same to the files."""
    ways: dict[str, Callable[[Pulling], None]] = {
        "remembers": lambda _: None,
        "forgets": Pulling.renew,
        "crashes": Pulling.crash,
    }
    return ways[request.param]


@pytest.mark.parametrize("first", [["a", "b"], LONG], ids=["short", "long"])
def test_of_a_file_that_grows_only_what_is_new_is_read(
    tmp_path: Path, forget: Callable[[Pulling], None], first: list[str]
) -> None:
    with pulling(tmp_path) as bed:
        bed.write("app.log", *first)
        assert bed.read() == first
        forget(bed)
        bed.write("app.log", "c", "d")
        assert bed.poll().ingested == 2
        forget(bed)
        assert bed.poll().ingested == 0
        assert bed.messages == [*first, "c", "d"]


@pytest.mark.parametrize("first", [["a", "b"], LONG], ids=["short", "long"])
def test_a_renamed_file_is_read_on_and_the_new_one_from_its_start(
    tmp_path: Path, forget: Callable[[Pulling], None], first: list[str]
) -> None:
    with pulling(tmp_path, "app.log*") as bed:
        path = bed.write("app.log", *first)
        bed.poll()
        bed.write("app.log", "last")
        path.rename(path.with_name("app.log.1"))
        bed.write("app.log", "new")
        forget(bed)
        assert sorted(bed.read()) == sorted([*first, "last", "new"])
        forget(bed)
        assert bed.poll().ingested == 0


def test_a_file_that_is_renamed_out_of_the_glob_is_read_to_its_end(tmp_path: Path) -> None:
    with pulling(tmp_path, "app.log") as bed:
        path = bed.write("app.log", "a")
        bed.poll()
        bed.write("app.log", "b")
        path.rename(path.with_name("app.log.1"))
        bed.write("app.log", "new")
        assert sorted(bed.read()) == ["a", "b", "new"]
        bed.write("app.log.1", "c")
        assert sorted(bed.read()) == ["a", "b", "c", "new"]
        bed.write("other", "not meant")
        assert bed.poll().ingested == 0


@pytest.mark.parametrize("glob", ["app.log", "app.log*"])
@pytest.mark.parametrize("is_still", [False, True])
def test_the_last_line_of_a_renamed_file_is_read_without_its_line_feed(
    tmp_path: Path, glob: str, is_still: bool
) -> None:
    """Once nothing was written for a while, also if that was so before it was renamed."""
    with pulling(tmp_path, glob) as bed:
        path = bed.write_bytes("app.log", b"a\nb")
        os.utime(path, ns=(bed.clock.time_ns, bed.clock.time_ns))
        for _ in range(10 if is_still else 1):
            assert bed.read() == ["a"]
        path.rename(path.with_name("app.log.1"))
        bed.write("app.log", "new")
        for _ in range(0 if is_still else 3):
            assert sorted(bed.read()) == ["a", "new"]
        bed.clock.time_ns += ENDED_NS
        assert sorted(bed.read()) == ["a", "b", "new"]
        assert bed.poll().ingested == 0
        bed.write_bytes("app.log", b"unfinished")
        bed.clock.time_ns += 2 * ENDED_NS
        assert bed.poll().ingested == 0


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("first", [["a", "b"], LONG], ids=["short", "long"])
def test_a_file_is_known_again_when_it_was_compressed(
    tmp_path: Path, forget: Callable[[Pulling], None], first: list[str], suffix: str
) -> None:
    with pulling(tmp_path, "app.log*") as bed:
        path = bed.write("app.log", *first)
        bed.poll()
        bed.write("app.log", "last")
        pack(path, suffix)
        bed.write("app.log", "new")
        forget(bed)
        assert sorted(bed.read()) == sorted([*first, "last", "new"])
        forget(bed)
        assert bed.poll().ingested == 0


def test_a_compressed_file_beside_the_one_it_was_made_of_is_not_read(
    tmp_path: Path, forget: Callable[[Pulling], None]
) -> None:
    with pulling(tmp_path, "app.log*") as bed:
        path = bed.write("app.log", *LONG)
        bed.poll()
        forget(bed)
        shutil.copy2(path, path.with_name("app.log.1"))
        pack(path.with_name("app.log.1"), "gz")
        assert bed.poll().ingested == 0
        path.unlink()
        assert bed.poll().ingested == 0


@pytest.mark.parametrize("first", [["a", "b"], LONG], ids=["short", "long"])
def test_a_file_that_was_copied_and_cut_off_is_known_again(
    tmp_path: Path, forget: Callable[[Pulling], None], first: list[str]
) -> None:
    with pulling(tmp_path, "app.log*") as bed:
        path = bed.write("app.log", *first)
        bed.poll()
        bed.write("app.log", "last")
        shutil.copy(path, path.with_name("app.log.1"))
        path.write_bytes(b"")
        bed.write("app.log", "new")
        forget(bed)
        assert sorted(bed.read()) == sorted([*first, "last", "new"])
        forget(bed)
        assert bed.poll().ingested == 0


def test_a_copy_that_is_still_being_made_waits(tmp_path: Path) -> None:
    with pulling(tmp_path, "app.log*") as bed:
        path = bed.write("app.log", *LONG)
        bed.poll()
        copy = path.with_name("app.log.1")
        content = path.read_bytes()
        copy.write_bytes(content[:1500])
        assert bed.poll().ingested == 0
        copy.write_bytes(content)
        assert bed.poll().ingested == 0
        path.write_bytes(b"new\n")
        assert bed.read() == [*LONG, "new"]


@pytest.mark.parametrize("cut", range(0, 41, 5))
def test_after_a_cut_at_any_place_what_is_written_then_is_read(
    tmp_path: Path, forget: Callable[[Pulling], None], cut: int
) -> None:
    with pulling(tmp_path) as bed:
        path = bed.write("app.log", *(f"old {number}" for number in range(8)))
        bed.poll()
        with path.open("r+b") as file:
            file.truncate(cut)
        bed.poll()
        forget(bed)
        path.write_bytes(b"new 1\nnew 2\n")
        assert [line for line in bed.read() if line.startswith("new")] == ["new 1", "new 2"]


@pytest.mark.parametrize("lines", [1, 60, 100])
def test_a_file_that_was_written_anew_is_read_from_its_start(
    tmp_path: Path, forget: Callable[[Pulling], None], lines: int
) -> None:
    with pulling(tmp_path) as bed:
        path = bed.write("app.log", *LONG)
        bed.poll()
        forget(bed)
        anew = [f"anew {number:04} {'y' * 40}" for number in range(lines)]
        path.write_text("".join(f"{line}\n" for line in anew))
        assert bed.read() == [*LONG, *anew]


def test_a_longer_file_with_the_same_head_and_another_middle_is_read_from_its_start(
    tmp_path: Path, forget: Callable[[Pulling], None]
) -> None:
    with pulling(tmp_path) as bed:
        path = bed.write("app.log", *LONG)
        bed.poll()
        forget(bed)
        anew = [*LONG[:30], *(f"anew {number:04} {'y' * 40}" for number in range(60))]
        path.write_text("".join(f"{line}\n" for line in anew))
        assert bed.read() == [*LONG, *anew]


def test_the_same_size_with_a_newer_time_is_read_from_the_start(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        path = bed.write("app.log", "a", "b")
        set_mtime(path, 1_000)
        bed.poll()
        set_mtime(path, 2_000)
        assert bed.read() == ["a", "b", "a", "b"]
        set_mtime(path, 1_500)
        assert bed.poll().ingested == 0


def test_a_time_that_is_set_before_the_size_is_no_rotation(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        path = bed.write("app.log", "a", "b")
        bed.poll()
        now_s = 4_000_000_000
        bed.clock.time_ns = now_s * 1_000_000_000
        set_mtime(path, now_s + 10)  # when the poll begins
        assert bed.poll().ingested == 0
        bed.write("app.log", "c")
        assert bed.read() == ["a", "b", "c"]


def test_times_in_the_future_are_no_matter(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        path = bed.write("app.log", "a")
        set_mtime(path, 5_000_000_000)
        bed.poll()
        bed.write("app.log", "b")
        set_mtime(path, 5_000_000_000)
        assert bed.read() == ["a", "b"]


def test_another_file_with_the_same_inode_is_another_file(
    tmp_path: Path, forget: Callable[[Pulling], None]
) -> None:
    with pulling(tmp_path) as bed:
        path = bed.write("app.log", *LONG)
        bed.poll()
        forget(bed)
        # Written in place: its inode is used again, whatever the file system would have given.
        path.write_text("other 1\nother 2\n")
        path.rename(path.with_name("other.log"))
        assert bed.read() == [*LONG, "other 1", "other 2"]


def test_files_of_the_same_content_are_each_read(
    tmp_path: Path, forget: Callable[[Pulling], None]
) -> None:
    with pulling(tmp_path) as bed:
        bed.write("a.log", *LONG)
        bed.write("b.log", *LONG)
        assert bed.read() == [*LONG, *LONG]
        forget(bed)
        bed.write("b.log", "more")
        bed.write("c.log", *LONG)
        bed.poll()
        bed.poll()
        assert sorted(bed.messages) == sorted([*LONG, *LONG, *LONG, "more"])
        assert bed.poll().ingested == 0


def test_a_line_that_a_new_file_begins_with_as_well_is_read_again(
    tmp_path: Path, forget: Callable[[Pulling], None]
) -> None:
    with pulling(tmp_path, "app.log") as bed:
        path = bed.write("app.log", "started")
        bed.poll()
        bed.write("app.log", "a")
        bed.poll()
        path.unlink()
        forget(bed)
        bed.write("app.log", "started", "b")
        assert bed.read() == ["started", "a", "started", "b"]


def test_members_appended_to_a_compressed_file_are_read(
    tmp_path: Path, forget: Callable[[Pulling], None]
) -> None:
    for suffix, packed in PACKERS.items():
        with pulling(tmp_path / suffix) as bed:
            name = f"app.log.{suffix}"
            bed.write_bytes(name, packed(b"a\nb\nsplit "))
            bed.poll()
            forget(bed)
            bed.write_bytes(name, packed(b"line\nc\n"))
            assert bed.read() == ["a", "b", "split line", "c"]


def test_a_compressed_file_that_is_still_written_waits_for_its_end(tmp_path: Path) -> None:
    for suffix, packed in PACKERS.items():
        with pulling(tmp_path / suffix, "app.log*") as bed:
            path = bed.write("app.log", *LONG)
            bed.poll()
            content = packed(path.read_bytes() + b"last\n")
            path.unlink()
            packed_path = bed.write_bytes(f"app.log.1.{suffix}", content[: len(content) // 2])
            assert bed.poll().ingested == 0
            packed_path.write_bytes(content)
            assert bed.read() == [*LONG, "last"]


def test_of_a_compressed_file_that_never_ends_all_is_read_that_is_there(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        bed.write_bytes(
            "app.log.gz", gzip.compress("".join(f"{line}\n" for line in LONG).encode())[:-8]
        )
        assert bed.poll().ingested == 0
        assert bed.read() == LONG


def test_what_was_not_read_of_a_deleted_file_is_counted(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        path = bed.write("app.log", "a")
        bed.write_bytes("app.log", b"partial")
        bed.poll()
        before = count_lost()
        path.unlink()
        bed.poll()
        assert count_lost() - before == len(b"partial")
        bed.write("app.log", "b")
        assert bed.read() == ["a", "b"]


def test_a_directory_that_was_removed_and_made_again_is_read_again(
    tmp_path: Path, forget: Callable[[Pulling], None]
) -> None:
    with pulling(tmp_path, "**/*.log") as bed:
        bed.write("deep/app.log", "a")
        bed.poll()
        shutil.rmtree(bed.logs)
        bed.poll()
        forget(bed)
        bed.write("deep/app.log", "b")
        assert bed.read() == ["a", "b"]


def test_after_a_reset_everything_is_read_again(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        bed.write("app.log", "a", "b")
        bed.poll()
        bed.change(generation=1)
        assert bed.read() == ["a", "b", "a", "b"]
        bed.crash()
        assert bed.poll().ingested == 0


def test_a_checkpoint_that_is_ahead_of_its_file_counts_for_nothing(
    tmp_path: Path, forget: Callable[[Pulling], None]
) -> None:
    with pulling(tmp_path) as bed:
        path = bed.write("app.log", *LONG)
        older = path.read_bytes()
        bed.write("app.log", *LONG)
        bed.poll()
        forget(bed)
        path.write_bytes(older)
        assert bed.read() == [*LONG, *LONG, *LONG]


def test_a_copy_is_known_again_though_the_file_it_was_made_of_has_moved_on(
    tmp_path: Path, forget: Callable[[Pulling], None]
) -> None:
    with pulling(tmp_path, "app.log*") as bed:
        path = bed.write("app.log", *LONG)
        bed.poll()
        shutil.copy(path, path.with_name("app.log.1"))
        path.write_bytes(b"")
        bed.poll()
        bed.write("app.log", "new")
        bed.poll()
        forget(bed)
        bed.write("app.log", "newer")
        assert bed.read() == [*LONG, "new", "newer"]


def test_a_copy_with_the_inode_of_a_file_that_was_empty_is_a_copy(tmp_path: Path) -> None:
    with pulling(tmp_path, "app.log*") as bed:
        path = bed.write("app.log", *LONG)
        empty = bed.write("app.log.1", "a")
        bed.poll()
        empty.write_bytes(b"")
        bed.poll()
        # Written in place: its inode is used again, whatever the file system would have given.
        empty.write_bytes(path.read_bytes())
        empty.rename(path.with_name("app.log.2"))
        path.write_bytes(b"")
        assert sorted(bed.read()) == sorted([*LONG, "a"])
        path.write_text("".join(f"{line}\n" for line in LONG))
        assert sorted(bed.read()) == sorted([*LONG, *LONG, "a"])


@pytest.mark.parametrize("lines", [["a"], LONG], ids=["short", "long"])
def test_a_file_that_was_deleted_and_made_anew_is_read_from_its_start(
    tmp_path: Path, lines: list[str]
) -> None:
    with pulling(tmp_path) as bed:
        path = bed.write("app.log", *lines)
        bed.poll()
        anew = bed.write("anew", *lines)
        anew.replace(path)
        assert bed.read() == [*lines, *lines]
        assert bed.poll().ingested == 0

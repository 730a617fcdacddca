"""How long it is remembered how far files were read, and what becomes of it then."""

import errno
import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.sources.pulling import Pulling, pulling

from logboom.base.clock import NS_PER_DAY, NS_PER_S
from logboom.sources.files import marks as marks_module
from logboom.sources.files.marks import KEPT_NS, REVIEW_NS


def count_marks(bed: Pulling, prefix: str = "s1.") -> int:
    bed.store.flush().result()
    return len(bed.store.list_marks(prefix))


def poll_later(bed: Pulling, time_ns: int = REVIEW_NS) -> None:
    """A poll after some time, with all that came before in the catalog."""
    bed.store.flush().result()
    bed.clock.time_ns += time_ns
    bed.poll()


@pytest.mark.parametrize("between", [Pulling.read, Pulling.renew, Pulling.crash])
def test_the_marks_of_a_file_end_when_it_is_gone_for_long(
    tmp_path: Path, between: Callable[[Pulling], object]
) -> None:
    with pulling(tmp_path) as bed:
        path = bed.write("a.log", "a")
        bed.write("b.log", "b")
        bed.poll()
        assert count_marks(bed) == 4
        path.unlink()
        poll_later(bed)
        between(bed)
        poll_later(bed, KEPT_NS - NS_PER_DAY)
        assert count_marks(bed) == 4
        between(bed)
        poll_later(bed, NS_PER_DAY)
        assert count_marks(bed) == 2
        between(bed)
        bed.write("a.log", "a")
        assert bed.read() == ["a", "b", "a"]


def test_a_file_that_is_back_in_time_is_not_read_again(tmp_path: Path) -> None:
    with pulling(tmp_path, "*.log") as bed:
        path = bed.write("a.log", "a")
        away = tmp_path / "away"
        bed.poll()
        path.rename(away)
        poll_later(bed)
        away.rename(path)
        poll_later(bed, KEPT_NS - NS_PER_DAY)
        bed.crash()
        poll_later(bed, KEPT_NS)
        path.rename(away)
        poll_later(bed)
        bed.crash()
        poll_later(bed, KEPT_NS - NS_PER_DAY)
        away.rename(path)
        poll_later(bed, 2 * NS_PER_DAY)
        bed.write("a.log", "b")
        assert bed.read() == ["a", "b"]
        assert count_marks(bed) == 2


def test_files_that_are_there_are_remembered_for_good(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        bed.write("a.log", "a")
        for _ in range(3):
            poll_later(bed, KEPT_NS)
            bed.crash()
        assert bed.read() == ["a"]
        assert count_marks(bed) == 2


def test_nothing_is_forgotten_while_it_is_not_known_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with pulling(tmp_path) as bed:
        path = bed.write("a.log", "a")
        bed.poll()
        bed.store.flush().result()
        path.rename(tmp_path / "away")
        bed.write("b.log", "b")
        before = bed.store.list_marks("")
        bed.clock.time_ns += KEPT_NS
        with monkeypatch.context() as patched:
            patched.setattr(os, "pread", fail)
            assert "b.log: Input/output error" in bed.try_poll()
        assert bed.store.list_marks("") == before
        bed.poll()
        assert bed.store.list_marks("") != before


def test_a_file_that_is_damaged_for_good_keeps_no_others(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        path = bed.write("a.log", "a")
        bed.write_bytes("b.gz", gzip.compress(b"b\n") + b"\x1f\x8bgarbage" * 10)
        bed.try_poll()
        assert count_marks(bed) == 4
        path.unlink()
        for _ in range(2):
            bed.clock.time_ns += KEPT_NS
            bed.try_poll()
        assert count_marks(bed) == 2


def test_marks_from_before_a_reset_end_at_once(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        bed.write("a.log", "a")
        bed.poll()
        bed.store.flush().result()
        bed.change(generation=2)
        bed.poll()
        assert bed.store.list_marks("s1.0/") == {}
        assert count_marks(bed, "s1.2/") == 2
        assert bed.store.find_mark("s1/total") == 2
        bed.change(generation=1)  # as a node has it that has not heard of the last reset
        poll_later(bed)
        assert count_marks(bed, "s1.2/") == 2


def test_many_marks_end_in_several_commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks_module, "CHANGED_AT_ONCE", 4)
    with pulling(tmp_path) as bed:
        paths = [bed.write(f"{number}.log", str(number)) for number in range(5)]
        bed.poll()
        for path in paths:
            path.unlink()
        poll_later(bed)
        before = bed.store.snapshot().version
        poll_later(bed, KEPT_NS)
        assert count_marks(bed) == 0
        assert bed.store.snapshot().version == before + 3


def test_marks_are_looked_through_now_and_then_only(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        bed.write("a.log", "a")
        bed.poll()
        bed.store.flush().result()
        before = bed.store.snapshot().version
        (bed.logs / "a.log").unlink()
        bed.poll()
        assert bed.store.snapshot().version == before
        poll_later(bed, REVIEW_NS - 20 * NS_PER_S)
        assert bed.store.snapshot().version == before + 1

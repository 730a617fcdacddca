"""Answers by idempotency key: kept for their time, durable, and never for what was not stored."""

import errno
import threading
from pathlib import Path

import msgspec
import pytest
from tests.store.disk import Call, Gate, failing, replaced
from tests.store.stores import NOW_NS, HandClock, make_answer

from logboom.base.clock import NS_PER_S
from logboom.store.idempotency import answers as answers_module
from logboom.store.idempotency.answers import Answers
from logboom.store.idempotency.memory import SHARE

HOUR_NS = 3600 * NS_PER_S
BLOCK = "blocks/2023-11-14/a.parquet"
BOUND = msgspec.structs.replace(make_answer("key"), block=BLOCK)


class Journal:
    """A journal on disk that can be opened again and again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = HandClock()
        self.committed: set[str] = set()
        self.size_bytes = 1024 * 1024

    def open(self) -> Answers:
        answers = Answers(self.path, 24, self.size_bytes, self.clock, self.committed.__contains__)
        answers.open()
        return answers

    def survives(self, key: str) -> bool:
        return self.open().find(key) is not None


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "idempotency.log")


def test_a_journalled_answer_is_found_again(journal: Journal) -> None:
    answer = make_answer("key")
    first = journal.open()
    first.journal([answer])
    assert first.find("key") == answer
    assert first.find("other") is None
    assert journal.open().find("key") == answer


def test_a_remembered_answer_is_somebody_elses_to_keep(journal: Journal) -> None:
    first = journal.open()
    first.remember(make_answer("key"))
    assert first.find("key") == make_answer("key")
    assert not journal.survives("key")


def test_an_answer_is_forgotten_after_its_time(journal: Journal) -> None:
    answers = journal.open()
    answers.journal([make_answer("key")])
    journal.clock.time_ns = NOW_NS + 24 * HOUR_NS
    assert answers.find("key") is not None
    assert journal.survives("key")
    journal.clock.time_ns += 1
    assert answers.find("key") is None
    assert not journal.survives("key")


def test_an_answer_bound_to_a_block_counts_only_if_the_block_was_committed(
    journal: Journal,
) -> None:
    answers = journal.open()
    answers.journal([BOUND])
    assert answers.find("key") is None
    journal.committed.add(BLOCK)
    assert answers.find("key") == BOUND


def test_an_answer_whose_block_was_never_committed_is_not_remembered(journal: Journal) -> None:
    journal.open().journal([BOUND])
    assert not journal.survives("key")
    journal.committed.add(BLOCK)
    assert not journal.survives("key"), "it was forgotten for good"


def test_an_answer_whose_block_was_live_once_outlives_the_block(journal: Journal) -> None:
    journal.open().journal([BOUND])
    journal.committed.add(BLOCK)
    assert journal.survives("key")
    journal.committed.clear()
    assert journal.survives("key")


@pytest.mark.parametrize("cut", range(1, 40, 6))
def test_a_torn_line_costs_only_itself(journal: Journal, cut: int) -> None:
    answers = journal.open()
    answers.journal([make_answer("first"), make_answer("second")])
    journal.path.write_bytes(journal.path.read_bytes()[:-cut])
    assert journal.survives("first")
    assert not journal.survives("second") or cut == 1


def test_a_half_written_journal_is_written_anew(journal: Journal) -> None:
    answers = journal.open()
    answers.journal([make_answer("before")])

    def make(real: Call) -> Call:
        torn = False

        def write(handle: int, data: memoryview) -> object:
            nonlocal torn
            if torn:
                raise OSError(errno.ENOSPC, "full")
            torn = True
            return real(handle, data[:10])

        return write

    with replaced("write", make), pytest.raises(OSError, match="full"):
        answers.journal([make_answer("during")])
    answers.journal([make_answer("during")])
    answers.journal([make_answer("after")])
    reopened = journal.open()
    assert all(reopened.find(key) for key in ("before", "during", "after"))


def test_a_journal_that_cannot_be_synced_says_so(journal: Journal) -> None:
    answers = journal.open()
    with failing("fsync"), pytest.raises(OSError, match=r"."):
        answers.journal([make_answer("key")])
    answers.journal([make_answer("key")])
    assert journal.survives("key")


def test_the_journal_does_not_grow_for_ever(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers_module, "REWRITE_AFTER_BYTES", 1_000)
    answers = journal.open()
    for number in range(200):
        journal.clock.time_ns = NOW_NS + number * HOUR_NS
        answers.journal([make_answer(f"key {number}", journal.clock.time_ns)])
    lines = journal.path.read_bytes().splitlines()
    assert len(lines) < 100
    reopened = journal.open()
    assert reopened.find("key 174") is None
    assert reopened.find("key 175")
    assert reopened.find("key 199")


def test_looking_a_key_up_does_not_wait_for_the_disk(journal: Journal) -> None:
    answers = journal.open()
    answers.remember(make_answer("known"))
    gate = Gate()
    with gate.holding("fsync"):
        thread = threading.Thread(target=answers.journal, args=([make_answer("key")],))
        thread.start()
        gate.wait()
        assert answers.find("known") is not None
        gate.go_on.set()
        thread.join()
    assert journal.survives("key")


def test_a_journal_of_an_earlier_release_is_read(journal: Journal) -> None:
    line = b'{"key":"owner\\u0000key","time_ns":%d,"ingested":3,"errors":1,"partitions":["a/2023-11-14"],"block":null}\n'
    journal.path.write_bytes(line % NOW_NS)
    answer = journal.open().find("owner\0key")
    assert answer is not None
    assert (answer.ingested, answer.errors, answer.partitions) == (3, 1, ["a/2023-11-14"])
    assert journal.survives("owner\0key"), "it is written anew with a digest"
    assert b"owner" not in journal.path.read_bytes()


def test_the_bounds_hold_for_what_is_read_and_for_the_file(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers_module, "REWRITE_AFTER_BYTES", 1_000)
    journal.size_bytes = 100_000
    answers = journal.open()
    answers.journal([msgspec.structs.replace(make_answer("other"), sender="careful")])
    largest_bytes = 0
    for number in range(2_000):
        answers.journal([msgspec.structs.replace(make_answer(f"key {number}"), sender="careless")])
        largest_bytes = max(largest_bytes, journal.path.stat().st_size)
    assert largest_bytes < 2 * journal.size_bytes / SHARE
    reopened = journal.open()
    assert reopened.find("other")
    assert reopened.find("key 1999")
    assert reopened.find("key 0") is None
    journal.size_bytes = 10_000
    assert not journal.survives("key 1900"), "a smaller bound holds for what was journalled before"
    assert journal.survives("key 1999")

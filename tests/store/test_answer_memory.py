"""Answers in bounded memory: nobody's keys push out somebody else's, and what is counted is what is held."""

import subprocess
import sys

import msgspec
import pytest
from tests.store.stores import NOW_NS, make_answer

from logboom.base.clock import NS_PER_S
from logboom.store.idempotency.memory import (
    SHARE,
    AnswerMemory,
    IngestAnswer,
    digest_key,
    find_level,
)

HOUR_NS = 3600 * NS_PER_S
SIZE_BYTES = 400_000
MANY = 5_000

MEASURE = """
import os
from pathlib import Path
from logboom.store.idempotency.memory import AnswerMemory, IngestAnswer, digest_key

def measure_rss():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

memory = AnswerMemory(3600 * 10**9, 1 << 30)
before = measure_rss()
for number in range(100_000):
    key = f"owner\\0key-{number}"
    answer = IngestAnswer(key, 10**18, 100, 0, ["default/2026-01-01"], sender=f"sender {number % 10}")
    memory.keep(digest_key(key), answer, 10**18)
print(measure_rss() - before, memory.size_bytes)
"""


@pytest.fixture
def memory() -> AnswerMemory:
    return AnswerMemory(24 * HOUR_NS, SIZE_BYTES)


def keep(memory: AnswerMemory, key: str, sender: str, time_ns: int = NOW_NS) -> None:
    answer = msgspec.structs.replace(make_answer(key, time_ns), sender=sender)
    memory.keep(digest_key(key), answer, time_ns)


def knows(memory: AnswerMemory, key: str, now_ns: int = NOW_NS) -> bool:
    return memory.find(key, now_ns) is not None


def test_a_sender_of_many_keys_loses_its_oldest_only(memory: AnswerMemory) -> None:
    keep(memory, "other", "careful")
    for number in range(MANY):
        keep(memory, f"key {number}", "careless")
        assert memory.size_bytes <= SIZE_BYTES / SHARE + 2_000
    assert knows(memory, "other")
    kept = [knows(memory, f"key {number}") for number in range(MANY)]
    assert 100 < sum(kept) < MANY / 2
    assert kept == sorted(kept), "the newest are kept"


def test_many_senders_together_stay_below_the_limit(memory: AnswerMemory) -> None:
    keep(memory, "other", "careful")
    for number in range(MANY):
        keep(memory, f"key {number}", f"careless {number % 20}")
        assert memory.size_bytes <= SIZE_BYTES
    assert knows(memory, "other")
    assert knows(memory, f"key {MANY - 1}")


def test_very_many_senders_of_one_key_each(memory: AnswerMemory) -> None:
    for number in range(MANY):
        keep(memory, f"key {number}", f"sender {number}")
        assert memory.size_bytes <= SIZE_BYTES
    assert len(memory) > 100
    assert knows(memory, f"key {MANY - 1}")


def test_keeping_an_answer_twice_takes_no_more(memory: AnswerMemory) -> None:
    keep(memory, "key", "a")
    once = memory.size_bytes
    for _ in range(MANY):
        keep(memory, "key", "a")
    assert (memory.size_bytes, len(memory)) == (once, 1)


def test_a_key_that_another_sender_takes_over_is_counted_once(memory: AnswerMemory) -> None:
    keep(memory, "key", "a")
    size_bytes = memory.size_bytes
    for sender in ("b", "a", "b"):
        keep(memory, "key", sender, NOW_NS + 25 * HOUR_NS)
    assert (memory.size_bytes, len(memory)) == (size_bytes, 1)


def test_an_answer_larger_than_the_share_is_not_kept(memory: AnswerMemory) -> None:
    keep(memory, "small", "a")
    partitions = [f"index-{number}/2026-01-01" for number in range(10_000)]
    memory.keep(
        digest_key("huge"), IngestAnswer("huge", NOW_NS, 1, 0, partitions, sender="b"), NOW_NS
    )
    assert not knows(memory, "huge")
    assert knows(memory, "small")


def test_old_answers_make_room(memory: AnswerMemory) -> None:
    for number in range(100):
        keep(memory, f"key {number}", "a")
    keep(memory, "new", "a", NOW_NS + 25 * HOUR_NS)
    assert len(memory) == 1
    memory.drop_old(NOW_NS + 50 * HOUR_NS)
    assert (memory.size_bytes, len(memory)) == (0, 0)


@pytest.mark.parametrize(
    ("sizes", "total", "level"),
    [([1, 2, 3], 10, 10), ([10, 10], 10, 5), ([1, 100, 100], 21, 10), ([], 5, 5)],
)
def test_the_level(sizes: list[int], total: int, level: int) -> None:
    assert find_level(sizes, total) == level


def test_what_is_counted_is_what_is_held() -> None:
    """In a process of its own, so that nothing else grows."""
    command = [sys.executable, "-c", MEASURE]
    found = subprocess.run(command, capture_output=True, check=True, text=True)
    rss_bytes, counted_bytes = map(int, found.stdout.split())
    assert 0.6 * counted_bytes < rss_bytes < 1.2 * counted_bytes

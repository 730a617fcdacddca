"""Splits the work of a query into tasks by size, and chooses their workers. Pure: nothing is read."""

from collections.abc import Mapping
from math import ceil
from typing import NamedTuple
from zlib import crc32

from logboom.engine.execution.partials import Work

MB = 1 << 20
OPENING_BYTES = MB // 4
"""Opening a block in a directory, with its index, takes about as long as reading this much."""
FETCHING_BYTES = MB
"""The same for a block in a bucket, which takes some tens of milliseconds to answer; several are read at once."""
SMALLEST_TASK_BYTES = 12 * MB
"""Each task has a fixed cost of some milliseconds; reading this much takes several times as long."""
LARGEST_TASK_BYTES = 64 * MB
"""Tasks stay short, because tasks of other queries wait for them."""
TASKS_PER_THREAD = 2
"""Several tasks per thread, so that all threads finish at about the same time."""

MIXER = 0x9E3779B97F4A7C15
CUT_SHARE = 4
"""One block in this many may begin a new task early. It is always the same blocks, so that different queries are cut alike."""


class Chunk(NamedTuple):
    """The work of one task, and the worker that most likely has its blocks in the cache."""

    work: list[Work]
    worker: str


def weigh(work: Work, opening_bytes: int) -> int:
    """The cost of a piece of work, in bytes."""
    return opening_bytes + work.size_bytes


def plan_chunks(work: list[Work], threads: int, opening_bytes: int) -> list[list[Work]]:
    """Cut the work, in its order, into tasks of about the same size."""
    weights = [weigh(each, opening_bytes) for each in work]
    fair_bytes = sum(weights) // (threads * TASKS_PER_THREAD)
    most_bytes = min(max(fair_bytes, SMALLEST_TASK_BYTES), LARGEST_TASK_BYTES)
    chunks: list[list[Work]] = []
    room_bytes = 0
    for each, weight in zip(work, weights, strict=True):
        may_end = 4 * room_bytes < most_bytes and hash_path(each) % CUT_SHARE == 0
        if room_bytes < weight or may_end or not chunks:
            chunks.append([])
            room_bytes = most_bytes
        chunks[-1].append(each)
        room_bytes -= weight
    return chunks


def choose_workers(chunks: list[list[Work]], threads: Mapping[str, int]) -> list[Chunk]:
    """Choose each task's worker by its first block, the same one every time, unless that worker already has its share."""
    share = len(chunks) / sum(threads.values())
    free = {worker: ceil(share * count) for worker, count in threads.items()}
    hashes = {worker: crc32(worker.encode()) for worker in threads}
    chosen = []
    for work in chunks:
        first = hash_path(work[0])
        worker = max(free, key=lambda each: mix(first, hashes[each]))
        chosen.append(Chunk(work, worker))
        free[worker] -= 1
        if free[worker] == 0:
            del free[worker]
    return chosen


def mix(one: int, other: int) -> int:
    """Combine two hashes into one that looks random."""
    return (one ^ other) * MIXER >> 16 & 0xFFFFFFFF


def hash_path(work: Work) -> int:
    return crc32(work.info.path.encode())

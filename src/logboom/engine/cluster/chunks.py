"""Splits the work of a query into tasks by size, and chooses their workers. Pure: nothing is read."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from math import ceil, log2
from typing import NamedTuple
from zlib import crc32

from logboom.engine.execution.partials import Work
from logboom.store.block.parquet import ROW_GROUP_ROWS, split_evenly

MB = 1 << 20
OPENING_BYTES = MB // 4
"""Opening a block in a directory, with its index, takes about as long as reading this much."""
FETCHING_BYTES = 2 * MB
"""The same for a block in a bucket, which takes some tens of milliseconds to answer; several are read at once."""
SMALLEST_TASK_BYTES = 16 * MB
"""Each task has a fixed cost of some milliseconds; reading this much takes several times as long."""
LARGEST_TASK_BYTES = 64 * MB
"""Tasks stay short, because tasks of other queries wait for them."""
TASKS_PER_THREAD = 3
"""Several tasks per thread if there is enough to do, so that all threads finish at about the same time."""
PART_BYTES = 3 * MB
"""Large blocks are divided into parts of about this size, which are the smallest units of work."""

MIXER = 0x9E3779B97F4A7C15
CUT_SHARE = 4
"""One part in this many may begin a new task early: always the same ones, so that all queries are cut alike."""


class Part(NamedTuple):
    """All rows of some work that was asked for, or a range of them."""

    whole: Work
    work: Work


class Chunk(NamedTuple):
    """The work of one task, and the worker that most likely has its blocks in the cache."""

    parts: list[Part]
    worker: str

    @property
    def work(self) -> list[Work]:
        return [part.work for part in self.parts]


def weigh(work: Work, opening_bytes: int) -> int:
    """Return the cost of a piece of work, in bytes."""
    return opening_bytes + work.size_bytes


def divide(work: Work) -> list[Part]:
    """Return the parts of a large block, so that several workers can read it; each begins with a row group.

    A block is always divided in the same way, so that different queries have parts in common.
    """
    rows = work.info.rows
    if work.is_cut or work.size_bytes < 2 * PART_BYTES or rows < 2 * ROW_GROUP_ROWS:
        return [Part(work, work)]
    group_rows = split_evenly(rows, ROW_GROUP_ROWS)
    groups, parts = ceil(rows / group_rows), work.size_bytes // PART_BYTES
    starts = sorted({groups * part // parts * group_rows for part in range(parts)})
    ends = [*starts[1:], rows]
    stretches = [(start, end - start) for start, end in zip(starts, ends, strict=True)]
    return [Part(work, each) for each in work.cut(stretches)]


def plan_chunks(work: list[Work], threads: int, opening_bytes: int) -> list[list[Part]]:
    """Cut the work, in its order, into tasks of about the same size."""
    parts = [part for each in work for part in divide(each)]
    weights = [weigh(part.work, opening_bytes) for part in parts]
    tasks = count_tasks(sum(weights), threads)
    most_bytes = choose_size(sum(weights) // tasks, is_rounded=tasks > threads)
    chunks: list[list[Part]] = []
    room_bytes = 0
    for part, weight in zip(parts, weights, strict=True):
        may_end = tasks > threads and 3 * room_bytes < most_bytes and begins_early(part)
        if room_bytes < weight or may_end or not chunks:
            chunks.append([])
            room_bytes = most_bytes
        chunks[-1].append(part)
        room_bytes -= weight
    return [[*join_parts(chunk)] for chunk in chunks]


def count_tasks(total_bytes: int, threads: int) -> int:
    """Return the number of tasks: the same for each thread, unless they would be too small."""
    tasks = total_bytes // SMALLEST_TASK_BYTES
    if tasks > threads:
        tasks = threads * min(tasks // threads, TASKS_PER_THREAD)
    return max(tasks, total_bytes // LARGEST_TASK_BYTES, 1)


def choose_size(fair_bytes: int, *, is_rounded: bool) -> int:
    """Return the most bytes of a task.

    If there are several for each thread, it is one of a few sizes, so that queries over different times have tasks in
    common. Otherwise it is a part more than the fair share, so that no small task is left over.
    """
    if is_rounded:
        return min(1 << ceil(log2(max(fair_bytes, 1))), LARGEST_TASK_BYTES)
    return fair_bytes + PART_BYTES


def begins_early(part: Part) -> bool:
    """Return whether the part may begin a new task before the last one is full."""
    return crc32(repr(part.work.stretch).encode(), hash_path(part)) % CUT_SHARE == 0


def join_parts(parts: list[Part]) -> Iterator[Part]:
    """Yield the parts, with adjacent parts of the same work joined."""
    for whole, adjacent in groupby(parts, lambda part: part.whole):
        first, *others = adjacent
        if not others or first.work.stretch is None:
            yield first
            continue
        start, count = first.work.stretch
        count += sum(part.work.stretch[1] for part in others if part.work.stretch)
        is_all = count == whole.info.rows
        yield Part(whole, whole if is_all else whole.cut([(start, count)])[0])


def choose_workers(chunks: list[list[Part]], threads: Mapping[str, int]) -> list[Chunk]:
    """Choose each task's worker by its first block, the same one every time, unless that worker already has its share."""
    share = len(chunks) / sum(threads.values())
    free = {worker: ceil(share * count) for worker, count in threads.items()}
    hashes = {worker: crc32(worker.encode()) for worker in threads}
    chosen = []
    for parts in chunks:
        first = hash_path(parts[0])
        worker = max(free, key=lambda each: mix(first, hashes[each]))
        chosen.append(Chunk(parts, worker))
        free[worker] -= 1
        if free[worker] == 0:
            del free[worker]
    return chosen


def mix(one: int, other: int) -> int:
    """Combine two hashes into one that looks random."""
    return (one ^ other) * MIXER >> 16 & 0xFFFFFFFF


def hash_path(part: Part) -> int:
    return crc32(part.work.info.path.encode())

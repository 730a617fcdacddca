"""Splits the work of a query into tasks by size. Pure: nothing is read."""

from logboom.engine.execution.partials import Work

MB = 1 << 20
OPENING_BYTES = MB // 4
"""Opening a block in a directory, with its index, takes about as long as reading this much."""
FETCHING_BYTES = 4 * MB
"""The same for a block in a bucket, which takes some tens of milliseconds to answer."""
SMALLEST_TASK_BYTES = 8 * MB
"""A task costs some milliseconds, whatever it does; reading this much takes several times as long."""
LARGEST_TASK_BYTES = 64 * MB
"""Tasks stay short, because those of other queries wait for them."""
TASKS_PER_THREAD = 3
"""Several tasks per thread, so that all threads finish at about the same time."""


def weigh(work: Work, opening_bytes: int) -> int:
    """What a piece of work costs, in bytes."""
    return opening_bytes + work.size_bytes


def plan_chunks(work: list[Work], threads: int, opening_bytes: int) -> list[list[Work]]:
    """The work in order, cut into tasks of about the same size."""
    weights = [weigh(each, opening_bytes) for each in work]
    fair_bytes = sum(weights) // (threads * TASKS_PER_THREAD)
    most_bytes = min(max(fair_bytes, SMALLEST_TASK_BYTES), LARGEST_TASK_BYTES)
    chunks: list[list[Work]] = []
    room_bytes = 0
    for each, weight in zip(work, weights, strict=True):
        if room_bytes < weight or not chunks:
            chunks.append([])
            room_bytes = most_bytes
        chunks[-1].append(each)
        room_bytes -= weight
    return chunks

"""How the work of a query is put together to tasks, by size. Pure: nothing is read."""

from logboom.engine.execution.partials import Work

MB = 1 << 20
OPENING_BYTES = MB // 4
"""Opening a block, its index included, takes about as long as reading so much."""
SMALLEST_TASK_BYTES = 8 * MB
"""A task costs some milliseconds, whatever it does; reading this much takes several times as long."""
LARGEST_TASK_BYTES = 64 * MB
"""Tasks end soon, for those of other queries wait for them."""
TASKS_PER_THREAD = 3
"""So many tasks for each thread of the cluster, so that all threads end at about the same time."""


def weigh(work: Work) -> int:
    """What a piece of work costs, in bytes."""
    return OPENING_BYTES + work.size_bytes


def plan_chunks(work: list[Work], threads: int) -> list[list[Work]]:
    """The work in order, cut into tasks of about the same size."""
    total_bytes = sum(map(weigh, work))
    fair_bytes = total_bytes // (threads * TASKS_PER_THREAD)
    most_bytes = min(max(fair_bytes, SMALLEST_TASK_BYTES), LARGEST_TASK_BYTES)
    chunks: list[list[Work]] = []
    room_bytes = 0
    for each in work:
        if room_bytes < weigh(each) or not chunks:
            chunks.append([])
            room_bytes = most_bytes
        chunks[-1].append(each)
        room_bytes -= weigh(each)
    return chunks

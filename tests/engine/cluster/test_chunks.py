"""Work is put together to tasks by its size, and keeps its order."""

from hypothesis import given
from hypothesis import strategies as st

from logboom.engine.cluster.chunks import (
    LARGEST_TASK_BYTES,
    MB,
    OPENING_BYTES,
    SMALLEST_TASK_BYTES,
    TASKS_PER_THREAD,
    plan_chunks,
    weigh,
)
from logboom.engine.execution.partials import Work
from logboom.store.block.info import BlockInfo


def make_work(sizes_mb: list[int]) -> list[Work]:
    infos = [
        BlockInfo(f"block-{place}", "default", 19675, 1, size_mb * MB, 0, 0, 1, "node")
        for place, size_mb in enumerate(sizes_mb)
    ]
    return [Work(info, (info.path, "", "")) for info in infos]


@given(st.lists(st.integers(0, 300)), st.integers(1, 64))
def test_nothing_is_lost_and_no_task_of_several_blocks_is_too_large(
    sizes_mb: list[int], threads: int
) -> None:
    work = make_work(sizes_mb)
    chunks = plan_chunks(work, threads, OPENING_BYTES)
    assert [each for chunk in chunks for each in chunk] == work
    for chunk in chunks:
        size_bytes = sum(weigh(each, OPENING_BYTES) for each in chunk)
        assert len(chunk) == 1 or size_bytes <= LARGEST_TASK_BYTES


def test_each_thread_gets_a_few_tasks() -> None:
    work = make_work([1] * 1000)
    assert len(plan_chunks(work, 8, OPENING_BYTES)) in range(
        8 * TASKS_PER_THREAD, 8 * TASKS_PER_THREAD + 3
    )


def test_little_work_is_not_cut_to_pieces() -> None:
    total_bytes = 20 * (MB + OPENING_BYTES)
    chunks = plan_chunks(make_work([1] * 20), 64, OPENING_BYTES)
    assert len(chunks) <= total_bytes // SMALLEST_TASK_BYTES + 1
    assert plan_chunks([], 64, OPENING_BYTES) == []

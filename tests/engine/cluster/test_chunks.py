"""Work is put together to tasks by its size, and keeps its order."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from logboom.engine.cluster.chunks import (
    LARGEST_TASK_BYTES,
    MB,
    OPENING_BYTES,
    SMALLEST_TASK_BYTES,
    TASKS_PER_THREAD,
    choose_workers,
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
        8 * TASKS_PER_THREAD, 2 * 8 * TASKS_PER_THREAD
    )


def test_little_work_is_not_cut_to_pieces() -> None:
    total_bytes = 20 * (MB + OPENING_BYTES)
    chunks = plan_chunks(make_work([1] * 20), 64, OPENING_BYTES)
    assert len(chunks) <= total_bytes // SMALLEST_TASK_BYTES + 1
    assert plan_chunks([], 64, OPENING_BYTES) == []


WORKERS = {f"tcp://10.0.0.{number}:4000": 2 for number in range(8)}


def find_workers(work: list[Work]) -> dict[str, str]:
    """Which worker gets each block."""
    chunks = choose_workers(plan_chunks(work, 16, OPENING_BYTES), WORKERS)
    assert [each for chunk in chunks for each in chunk.work] == work
    return {each.info.path: chunk.worker for chunk in chunks for each in chunk.work}


def test_workers_get_the_same_blocks_again_and_each_its_share() -> None:
    work = make_work([1] * 1000)
    before, after = find_workers(work[:900]), find_workers(work[50:])
    assert find_workers(work[:900]) == before
    same = [path for path in before.keys() & after.keys() if before[path] == after[path]]
    assert len(same) > 850 * 0.5
    chunks = choose_workers(plan_chunks(work, 16, OPENING_BYTES), WORKERS)
    given = Counter(chunk.worker for chunk in chunks)
    assert set(given) == set(WORKERS)
    assert max(given.values()) <= len(chunks) / len(WORKERS) + 1


def test_most_blocks_stay_where_they_are_when_a_worker_leaves() -> None:
    chunks = plan_chunks(make_work([8] * 96), 16, OPENING_BYTES)
    before = choose_workers(chunks, WORKERS)
    gone = before[0].worker
    after = choose_workers(chunks, {name: 2 for name in WORKERS if name != gone})
    moved = [one for one, other in zip(before, after, strict=True) if one.worker != other.worker]
    assert len(moved) < len(chunks) / 2


@given(st.lists(st.integers(0, 300)), st.dictionaries(st.text(), st.integers(1, 9), min_size=1))
def test_every_task_has_a_worker(sizes_mb: list[int], threads: dict[str, int]) -> None:
    chunks = plan_chunks(make_work(sizes_mb), sum(threads.values()), OPENING_BYTES)
    assert [chunk.work for chunk in choose_workers(chunks, threads)] == chunks

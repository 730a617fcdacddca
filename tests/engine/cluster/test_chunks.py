"""Work is put together to tasks by its size, and keeps its order."""

from collections import Counter
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logboom.engine.cluster.chunks import (
    LARGEST_TASK_BYTES,
    MB,
    OPENING_BYTES,
    PART_BYTES,
    SMALLEST_TASK_BYTES,
    TASKS_PER_THREAD,
    Part,
    choose_workers,
    count_tasks,
    divide,
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


def list_whole(chunks: list[list[Part]]) -> list[Work]:
    """The work that was asked for, in the order of the tasks."""
    parts = [part for chunk in chunks for part in chunk]
    return [whole for whole, _ in groupby(parts, lambda part: part.whole)]


@given(st.lists(st.integers(0, 300)), st.integers(1, 64))
def test_nothing_is_lost_and_no_task_of_several_blocks_is_too_large(
    sizes_mb: list[int], threads: int
) -> None:
    work = make_work(sizes_mb)
    chunks = plan_chunks(work, threads, OPENING_BYTES)
    assert [part.work for chunk in chunks for part in chunk] == work
    for chunk in chunks:
        size_bytes = sum(weigh(part.work, OPENING_BYTES) for part in chunk)
        assert len(chunk) == 1 or size_bytes <= LARGEST_TASK_BYTES


def test_each_thread_gets_a_few_tasks() -> None:
    work = make_work([1] * 1000)
    assert len(plan_chunks(work, 8, OPENING_BYTES)) in range(
        8 * (TASKS_PER_THREAD - 1), 2 * 8 * TASKS_PER_THREAD
    )


def test_little_work_is_not_cut_to_pieces() -> None:
    total_bytes = 20 * (MB + OPENING_BYTES)
    chunks = plan_chunks(make_work([1] * 20), 64, OPENING_BYTES)
    assert len(chunks) <= total_bytes // SMALLEST_TASK_BYTES + 1
    assert plan_chunks([], 64, OPENING_BYTES) == []


LARGE = st.lists(st.tuples(st.integers(1, 1_000_000), st.integers(0, 500)), max_size=5)


@given(LARGE, st.integers(1, 64))
def test_the_parts_of_large_blocks_have_all_rows(
    sizes: list[tuple[int, int]], threads: int
) -> None:
    work = [make_large(place, *size) for place, size in enumerate(sizes)]
    chunks = plan_chunks(work, threads, OPENING_BYTES)
    assert list_whole(chunks) == work
    rows = {each.key: 0 for each in work}
    for part in (part for chunk in chunks for part in chunk):
        start, count = part.work.stretch or (0, part.whole.info.rows)
        assert start == rows[part.whole.key]
        assert count > 0
        rows[part.whole.key] += count
    assert list(rows.values()) == [rows for rows, _ in sizes]
    assert len({part.work.key for chunk in chunks for part in chunk}) == sum(map(len, chunks))


@pytest.mark.parametrize(("threads", "tasks"), [(2, 2), (4, 2), (64, 2)])
def test_three_large_blocks_are_shared_equally(threads: int, tasks: int) -> None:
    work = [make_large(place, 333_333, 13) for place in range(3)]
    chunks = plan_chunks(work, threads, OPENING_BYTES)
    sizes = [sum(part.work.size_bytes for part in chunk) for chunk in chunks]
    assert len(sizes) == tasks
    assert max(sizes) - min(sizes) <= 2 * PART_BYTES


@pytest.mark.parametrize("threads", [1, 2, 5, 7, 18, 100])
def test_the_number_of_tasks_is_about_right(threads: int) -> None:
    work = [make_large(place, 1_000_000, 100) for place in range(3)]
    chunks = plan_chunks(work, threads, OPENING_BYTES)
    tasks = count_tasks(sum(weigh(each, OPENING_BYTES) for each in work), threads)
    assert tasks - 2 <= len(chunks) <= 2 * tasks


def test_a_block_that_fits_into_a_task_stays_whole() -> None:
    work = make_large(0, 333_333, 10)
    assert len(divide(work)) == 3
    assert plan_chunks([work], 1, OPENING_BYTES) == [[Part(work, work)]]


def test_what_is_only_a_part_already_is_not_divided() -> None:
    (work,) = make_large(0, 1_000_000, 100).cut([(0, 500_000)])
    assert divide(work) == [Part(work, work)]


def make_large(place: int, rows: int, size_mb: int) -> Work:
    work = make_work([size_mb] * (place + 1))[place]
    return work._replace(info=work.info._replace(rows=rows))


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
    assert len(same) > 850 * 0.8
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
    assert [chunk.parts for chunk in choose_workers(chunks, threads)] == chunks

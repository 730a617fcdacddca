"""The memory of queries: asked for before it is used, given back afterwards, never more than there is."""

import pickle
import threading

import pytest

from logboom.base.errors import OverBudget
from logboom.engine.rows.memory import Memory, Pool, get_spare_bytes, reserve, working

LIMIT = 1000


def test_a_query_gets_no_more_than_its_own() -> None:
    memory = Memory(LIMIT)
    memory.take(600, "sort")
    with pytest.raises(
        OverBudget, match="join needs 1,001 bytes of memory, expected at most 1,000"
    ):
        memory.take(401, "join")
    assert not memory.try_take(401)
    memory.give(600)
    memory.take(LIMIT, "join")
    assert memory.spare_bytes == 0


def test_a_step_gives_back_what_it_asked_for() -> None:
    memory = Memory(LIMIT)
    with memory.working("eval"):
        reserve(300)
        with working("rex"):
            reserve(400)
            assert get_spare_bytes() == 300
            with pytest.raises(OverBudget, match="rex needs"):
                reserve(301)
        assert memory.held_bytes == 300
    assert memory.held_bytes == 0


def test_a_step_that_fails_gives_back_too() -> None:
    memory = Memory(LIMIT)

    def fail() -> None:
        with memory.working("eval"):
            reserve(300)
            reserve(LIMIT)

    with pytest.raises(OverBudget):
        fail()
    assert memory.held_bytes == 0


def test_outside_of_steps_nothing_is_counted() -> None:
    reserve(1 << 60)
    with working("eval"):
        reserve(1 << 60)


def test_queries_share_a_pool_and_are_told_so() -> None:
    pool = Pool(LIMIT, wait_s=0.0)
    one, other = Memory(LIMIT, pool), Memory(LIMIT, pool)
    one.take(700, "sort")
    assert other.fits(400)
    with pytest.raises(
        OverBudget, match="join needs 400 bytes of memory, which other queries are using"
    ):
        other.take(400, "join")
    assert other.held_bytes == 0
    one.give(700)
    other.take(400, "join")


def test_a_query_waits_for_what_another_gives_back() -> None:
    pool = Pool(LIMIT, wait_s=60.0)
    one, other = Memory(LIMIT, pool), Memory(LIMIT, pool)
    one.take(LIMIT, "sort")
    giver = threading.Timer(0.05, lambda: one.give(LIMIT))
    giver.start()
    other.take(LIMIT, "join")
    giver.join()
    assert pool.used_bytes == LIMIT


def test_what_nobody_refers_to_goes_back_to_the_pool() -> None:
    pool = Pool(LIMIT)
    memory = Memory(LIMIT, pool)
    memory.take(LIMIT, "sort")
    del memory
    assert pool.used_bytes == 0


def test_in_another_process_there_is_a_budget_of_the_same_size() -> None:
    memory = Memory(LIMIT, Pool(10))
    sent: Memory = pickle.loads(pickle.dumps(memory))
    sent.take(LIMIT, "stats")
    assert not sent.try_take(1)

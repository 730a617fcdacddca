"""Queries wait for each other up to a point, and are then turned away."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.waiting import poll_until

from logboom.base.errors import Overloaded
from logboom.base.process.deadline import Deadline
from logboom.engine.execution.gate import Gate

LONG_S = 60.0


def test_as_many_as_allowed_run_at_once() -> None:
    gate = Gate(running=2, waiting=0, wait_s=LONG_S)
    with gate.enter(), gate.enter(), pytest.raises(Overloaded) as caught, gate.enter():
        pass
    assert caught.value.data["retry_after_s"] == 1
    with gate.enter(), gate.enter():
        pass


def test_one_more_waits_until_there_is_room() -> None:
    gate = Gate(running=1, waiting=1, wait_s=LONG_S)
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with gate.enter():
            entered.set()
            leave.wait()

    def follow() -> str:
        with gate.enter():
            return "in"

    with ThreadPoolExecutor(2) as pool:
        holding = pool.submit(hold)
        entered.wait()
        following = pool.submit(follow)
        poll_until(lambda: gate.waiting == 1, "the second to wait")
        assert gate.running == 1
        leave.set()
        assert following.result() == "in"
        holding.result()
    assert (gate.running, gate.waiting) == (0, 0)


def test_waiting_ends_after_its_time() -> None:
    gate = Gate(running=1, waiting=1, wait_s=0.01)
    with gate.enter(), pytest.raises(Overloaded), gate.enter():
        pass


def test_a_failure_inside_gives_the_place_back() -> None:
    gate = Gate(running=1, waiting=0, wait_s=LONG_S)
    with pytest.raises(ZeroDivisionError), gate.enter():
        _ = 1 // 0
    with gate.enter():
        pass


def test_whoever_goes_away_leaves_the_queue_and_makes_room_there() -> None:
    gate, gone = Gate(running=1, waiting=1, wait_s=LONG_S), Deadline()

    def wait() -> None:
        with pytest.raises(Overloaded, match="nobody waits"), gate.enter(gone):
            pass

    with gate.enter(), ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait)
        poll_until(lambda: gate.waiting == 1, "the query to wait for its turn")
        gone.set()
        waiting.result(20)
        assert (gate.running, gate.waiting) == (1, 0)
    with gate.enter():
        assert gate.running == 1

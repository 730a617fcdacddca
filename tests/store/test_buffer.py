"""The write buffer: when a flush is due, who waits for room, and what is handed over."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

import pytest
from tests.store.disk import PATIENCE_S
from tests.store.stores import make_answer, say

from logboom.base.errors import Unavailable
from logboom.store.companions import ALONE, Companions
from logboom.store.flush import buffer as buffer_module
from logboom.store.flush.buffer import Buffer, Flushed

NEVER_S = 3600.0
NEVER_ROWS = 1_000_000


def run_beside(work: Callable[[], object]) -> "Future[object]":
    """Start work on a thread of its own."""
    done: Future[object] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - handed on to whoever waits
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return done


def test_everything_gathered_is_taken_at_once() -> None:
    buffer = Buffer()
    buffer.add(say("a", "b"), Companions(make_answer("key")), 7)
    buffer.add(say("c"), ALONE, 9)
    assert not buffer.is_empty
    taken = buffer.take(10**9)
    assert [len(batch) for batch in taken.batches] == [2, 1]
    assert (taken.rows, taken.last_record) == (3, 9)
    assert taken.answers == [make_answer("key")]
    assert buffer.take(10**9).batches == []


def test_it_is_empty_only_when_all_is_in_blocks() -> None:
    buffer = Buffer()
    seen = [buffer.is_empty]
    buffer.add(say("a"), ALONE, 1)
    seen.append(buffer.is_empty)
    taken = buffer.take(10**9)
    seen.append(buffer.is_empty)
    buffer.release(taken)
    seen.append(buffer.is_empty)
    assert seen == [True, False, False, True]


def test_all_that_waits_is_measured_until_it_is_in_blocks() -> None:
    buffer = Buffer()
    nothing = (0, 0, None)
    assert buffer.measure() == nothing
    buffer.add(say("a", "b"), ALONE, 1)
    events, size_bytes, age_s = buffer.measure()
    assert (events, size_bytes > 0, age_s is not None) == (2, True, True)
    taken = buffer.take(10**9)
    flushing = buffer.measure()
    assert flushing[:2] == (2, size_bytes)
    assert flushing.age_s is not None
    assert age_s is not None
    assert flushing.age_s >= age_s
    buffer.add(say("c"), ALONE, 2)
    assert buffer.measure().events == 3
    buffer.release(taken)
    assert buffer.measure().events == 1
    buffer.release(buffer.take(10**9))
    assert buffer.measure() == nothing


def test_events_count_by_environment_until_they_are_in_blocks() -> None:
    buffer = Buffer()
    buffer.add(say("a", "b"), ALONE, 1)
    seen = [buffer.count_events("default"), buffer.count_events("other")]
    taken = buffer.take(10**9)
    buffer.add(say("c"), ALONE, 2)
    seen.append(buffer.count_events("default"))
    buffer.release(taken)
    seen.append(buffer.count_events("default"))
    assert seen == [2, 0, 3, 1]


def test_a_flush_is_due_when_enough_rows_have_gathered() -> None:
    buffer = Buffer()
    due = run_beside(lambda: buffer.wait_until_due(NEVER_S, 3))
    buffer.add(say("a", "b"), ALONE, 1)
    assert not buffer.is_full(3)
    buffer.add(say("c"), ALONE, 2)
    assert buffer.is_full(3)
    due.result(PATIENCE_S)


def test_a_flush_is_due_when_enough_bytes_have_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffer_module, "FLUSH_BYTES", 1000)
    buffer = Buffer()
    buffer.add(say("x" * 2000), ALONE, 1)
    buffer.wait_until_due(NEVER_S, NEVER_ROWS)


def test_tiny_lines_count_for_the_memory_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffer_module, "FLUSH_BYTES", 2000)
    buffer = Buffer()
    buffer.add(say(*["x"] * 60), ALONE, 1)
    assert buffer.is_full(NEVER_ROWS)


def test_a_flush_is_due_when_the_oldest_batch_has_waited_long_enough() -> None:
    buffer = Buffer()
    started_s = time.monotonic()
    buffer.add(say("a"), ALONE, 1)
    buffer.wait_until_due(0.05, NEVER_ROWS)
    assert time.monotonic() - started_s >= 0.05


def test_an_empty_buffer_is_never_due() -> None:
    buffer = Buffer()
    due = run_beside(lambda: buffer.wait_until_due(0.0, NEVER_ROWS))
    buffer.add(say("a"), ALONE, 1)
    due.result(PATIENCE_S)


def test_a_flush_is_due_when_somebody_asks() -> None:
    buffer = Buffer()
    due = run_beside(lambda: buffer.wait_until_due(NEVER_S, NEVER_ROWS))
    asked = buffer.ask()
    due.result(PATIENCE_S)
    assert buffer.take_requests() == [asked]
    assert buffer.take_requests() == []


def test_who_asks_during_a_flush_makes_the_next_one_due() -> None:
    buffer = Buffer()
    buffer.ask()
    buffer.take_requests()
    late = buffer.ask()
    buffer.take(10**9)
    buffer.wait_until_due(NEVER_S, NEVER_ROWS)
    assert buffer.take_requests() == [late]


def test_a_flush_is_due_at_once_for_those_who_await_one_after_a_while() -> None:
    buffer = Buffer()
    due = run_beside(lambda: buffer.wait_until_due(NEVER_S, NEVER_ROWS))
    buffer.add(say("a"), ALONE, 1)
    awaited = buffer.await_soon()
    due.result(PATIENCE_S)
    assert buffer.take_requests() == [awaited]
    assert buffer.take_requests() == []


def test_those_who_await_flushes_get_few_of_them() -> None:
    buffer = Buffer()
    buffer.add(say("a"), ALONE, 1)
    started_s = time.monotonic()
    buffer.take(NEVER_ROWS)
    buffer.add(say("b"), ALONE, 2)
    buffer.await_soon()
    buffer.wait_until_due(NEVER_S, NEVER_ROWS)
    assert time.monotonic() - started_s >= buffer_module.REFRESH_S


def test_who_awaits_a_flush_of_nothing_is_answered_at_once() -> None:
    buffer = Buffer()
    buffer.take(NEVER_ROWS)
    buffer.await_soon()
    buffer.wait_until_due(NEVER_S, NEVER_ROWS)


def test_who_stops_waiting_cancels_nothing() -> None:
    buffer = Buffer()
    asked = buffer.ask()
    assert not asked.cancel()
    asked.set_result(Flushed(0, 0))


def test_a_closed_buffer_is_due_and_takes_no_more_questions() -> None:
    buffer = Buffer()
    due = run_beside(lambda: buffer.wait_until_due(NEVER_S, NEVER_ROWS))
    pause = run_beside(lambda: buffer.wait_while_open(NEVER_S))
    buffer.close()
    due.result(PATIENCE_S)
    pause.result(PATIENCE_S)
    with pytest.raises(Unavailable, match="closed"):
        buffer.ask().result(PATIENCE_S)


def fill(buffer: Buffer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffer_module, "MAX_WAITING_BYTES", 100)
    buffer.add(say("x" * 200), ALONE, 1)


def test_a_full_buffer_is_waited_for_until_its_batches_are_in_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    buffer = Buffer()
    buffer.wait_for_room()
    fill(buffer, monkeypatch)
    room = run_beside(buffer.wait_for_room)
    taken = buffer.take(10**9)
    assert not room.done(), "what is being flushed still takes memory"
    buffer.release(taken)
    room.result(PATIENCE_S)


def test_nobody_waits_for_room_while_blocks_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    buffer = Buffer()
    fill(buffer, monkeypatch)
    room = run_beside(buffer.wait_for_room)
    buffer.failure = "disk full"
    with pytest.raises(Unavailable, match="disk full"):
        room.result(PATIENCE_S)
    buffer.failure = None
    buffer.release(buffer.take(10**9))
    buffer.wait_for_room()


def test_a_failure_alone_refuses_nothing_while_there_is_room() -> None:
    buffer = Buffer()
    buffer.failure = "disk full"
    buffer.wait_for_room()


def test_a_closed_buffer_lets_everybody_through(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = Buffer()
    fill(buffer, monkeypatch)
    room = run_beside(buffer.wait_for_room)
    buffer.close()
    room.result(PATIENCE_S)


def test_a_helping_is_as_many_batches_as_reach_the_rows() -> None:
    buffer = Buffer()
    for record in range(1, 6):
        buffer.add(say("a", "b"), ALONE, record)
    first = buffer.take(5)
    assert (first.rows, first.last_record) == (6, 3)
    assert buffer.last_record == 5
    assert (buffer.take(5).last_record, buffer.last_record) == (5, 0)


def test_a_helping_is_never_nothing_while_something_waits() -> None:
    buffer = Buffer()
    buffer.add(say("a", "b"), ALONE, 1)
    assert buffer.take(0).rows == 2

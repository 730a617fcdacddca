"""The log writer: one sync for all who wait, nothing said too early, nobody left waiting."""

import errno
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
from tests.store.disk import PATIENCE_S, Gate, failing
from tests.store.stores import HandClock, make_answer, say
from tests.waiting import poll_until

from logboom.base.errors import Unavailable
from logboom.model.shredder import open_shredder
from logboom.store.companions import ALONE, Companions
from logboom.store.flush import buffer as buffer_module
from logboom.store.flush.buffer import Buffer
from logboom.store.flush.writer import LogWriter
from logboom.store.idempotency.answers import Answers
from logboom.store.wal.log import Wal
from logboom.store.wal.records import SEQ_SHIFT, decode_record


class Bench:
    """A running writer and what it works on."""

    def __init__(self, data: Path) -> None:
        self.folder = data / "wal"
        self.wal = Wal(self.folder)
        self.buffer = Buffer()
        self.answers = Answers(data / "answers", 24, 1 << 20, HandClock(), lambda _block: False)
        self.writer = LogWriter(self.wal, self.buffer, self.answers)

    def submit(self, *messages: str, key: str = "") -> "Future[int]":
        return self.writer.submit(say(*messages), Companions(make_answer(key)) if key else ALONE)

    def list_lines(self) -> list[bytes]:
        """What a new process finds in the log."""
        shredders = open_shredder()
        return [decode_record(record, shredders).batch.data for record in Wal(self.folder).replay()]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    bench.writer.start()
    yield bench
    bench.writer.stop()
    bench.wal.close()


def test_a_batch_is_on_disk_and_in_the_buffer_when_its_number_is_known(bench: Bench) -> None:
    batch = say("hello")
    number = bench.writer.submit(batch, ALONE).result(PATIENCE_S)
    assert bench.list_lines() == [batch.data]
    assert batch.first_seq == number << SEQ_SHIFT
    taken = bench.buffer.take(10**9)
    assert taken.batches == [batch]
    assert taken.last_record == number


def test_an_answer_is_remembered_before_the_sender_is_told(bench: Bench) -> None:
    bench.submit("hello", key="key").result(PATIENCE_S)
    assert bench.answers.find("key") == make_answer("key")


def test_those_who_come_during_a_sync_share_the_next_one(bench: Bench) -> None:
    bench.submit("opens the segment").result(PATIENCE_S)
    gate = Gate()
    with gate.holding("fdatasync"):
        first = bench.submit("first")
        gate.wait()
        others = [bench.submit(f"other {number}") for number in range(20)]
        assert not first.done()
        assert bench.buffer.take(10**9).rows == 1, "what is not synced is not in the buffer"
        gate.go_on.set()
        assert [other.result(PATIENCE_S) for other in others] == list(range(3, 23))
    assert gate.calls == 2


def test_a_group_that_cannot_be_synced_is_refused_as_a_whole(bench: Bench) -> None:
    bench.submit("acked").result(PATIENCE_S)
    with failing("fdatasync"), pytest.raises(Unavailable, match="Input/output error"):
        bench.submit("refused", key="key").result(PATIENCE_S)
    assert bench.answers.find("key") is None
    bench.submit("again", key="key").result(PATIENCE_S)
    assert bench.buffer.take(10**9).rows == 2
    assert bench.list_lines() == [say("acked").data, say("again").data]


def test_a_full_disk_refuses_and_space_brings_it_back(bench: Bench) -> None:
    with failing("writev", errno.ENOSPC):
        for _ in range(3):
            with pytest.raises(Unavailable, match="No space left"):
                bench.submit("refused").result(PATIENCE_S)
    bench.submit("acked").result(PATIENCE_S)
    assert bench.list_lines() == [say("acked").data]


def test_an_unexpected_error_refuses_one_group_and_does_not_end_the_writer(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    broken = say("broken")
    broken.target = object()  # type: ignore[assignment]
    with pytest.raises(Unavailable, match="cannot be written"):
        bench.writer.submit(broken, ALONE).result(PATIENCE_S)
    assert "batches refused" in caplog.messages
    bench.submit("acked").result(PATIENCE_S)
    assert bench.list_lines() == [say("acked").data]


def test_who_stops_waiting_takes_nothing_back(bench: Bench) -> None:
    gate = Gate()
    with gate.holding("fdatasync"):
        left = bench.submit("left alone", key="key")
        gate.wait()
        assert not left.cancel()
        gate.go_on.set()
        poll_until(left.done, "the batch to be written")
    assert bench.answers.find("key") is not None
    assert bench.list_lines() == [say("left alone").data]


def test_a_full_buffer_holds_the_writer_back_until_there_is_room(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buffer_module, "MAX_WAITING_BYTES", 10)
    bench.submit("fills it").result(PATIENCE_S)
    waiting = bench.submit("waits")
    taken = bench.buffer.take(10**9)
    assert not waiting.done()
    assert bench.list_lines() == [say("fills it").data]
    bench.buffer.release(taken)
    assert waiting.result(PATIENCE_S) == 2


def test_senders_are_refused_when_a_full_buffer_cannot_be_flushed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buffer_module, "MAX_WAITING_BYTES", 10)
    bench.submit("fills it").result(PATIENCE_S)
    waiting = bench.submit("waits")
    bench.buffer.failure = "the disk is full"
    with pytest.raises(Unavailable, match="the disk is full"):
        waiting.result(PATIENCE_S)
    assert bench.list_lines() == [say("fills it").data]


def test_reserved_numbers_are_nobody_elses(bench: Bench) -> None:
    numbers = []
    for _ in range(5):
        numbers += [bench.writer.reserve(), bench.submit("x")]
    given = [number.result(PATIENCE_S) for number in numbers]
    assert len(set(given)) == 10
    assert bench.writer.reserve().result(PATIENCE_S) > max(given)


def test_stopping_writes_what_waits_and_refuses_what_comes_later(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.writer.start()
    waiting = [bench.submit(f"event {number}") for number in range(50)]
    bench.writer.stop()
    assert [future.result(0) for future in waiting] == list(range(1, 51))
    for late in (bench.submit("late"), bench.writer.reserve()):
        with pytest.raises(Unavailable, match="closed"):
            late.result(PATIENCE_S)
    bench.wal.close()
    assert len(bench.list_lines()) == 50


def test_a_writer_that_never_ran_refuses_and_stops_at_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    with pytest.raises(Unavailable, match="closed"):
        bench.submit("early").result(PATIENCE_S)
    bench.writer.stop()


def test_many_senders_get_numbers_in_the_order_of_the_log(bench: Bench) -> None:
    numbers: list[tuple[int, str]] = []
    lock = threading.Lock()

    def send(sender: int) -> None:
        for at in range(20):
            number = bench.submit(f"{sender}/{at}").result(PATIENCE_S)
            with lock:
                numbers.append((number, f"{sender}/{at}"))

    threads = [threading.Thread(target=send, args=(sender,)) for sender in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [say(message).data for _, message in sorted(numbers)] == bench.list_lines()
    assert sorted(number for number, _ in numbers) == list(range(1, 161))

"""The write-ahead log on a disk that fails, tears, fills up and comes back."""

import errno
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.store.disk import Call, behind, fail, failing, name_of, replaced

from logboom.base.errors import Unavailable
from logboom.store.wal import log as wal_module
from logboom.store.wal.log import Wal
from logboom.store.wal.segment import HEADER_BYTES

Pieces = st.lists(st.binary(max_size=64), max_size=4)
Groups = st.lists(st.lists(Pieces, min_size=1, max_size=4), max_size=6)


def list_payloads(folder: Path) -> list[tuple[int, bytes]]:
    return [(record.seq, record.payload) for record in Wal(folder).replay()]


def list_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(wal: Wal, *payloads: bytes) -> int:
    return wal.write([[payload] for payload in payloads])


@given(Groups)
@settings(max_examples=examples(60), deadline=None)
def test_what_is_written_is_replayed_in_order(groups: list[list[list[bytes]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        wal = Wal(Path(folder))
        expected: list[tuple[int, bytes]] = []
        for group in groups:
            assert wal.write(group) == len(expected) + 1
            expected += [
                (seq, b"".join(pieces)) for seq, pieces in enumerate(group, len(expected) + 1)
            ]
        wal.close()
        assert list_payloads(Path(folder)) == expected


def test_numbers_go_on_after_a_replay(tmp_path: Path) -> None:
    wal = Wal(tmp_path)
    write(wal, b"one", b"two")
    wal.close()
    again = Wal(tmp_path)
    assert len(list(again.replay())) == 2
    assert write(again, b"three") == 3
    again.close()
    assert list_payloads(tmp_path) == [(1, b"one"), (2, b"two"), (3, b"three")]


def test_a_torn_tail_is_cut_and_a_new_segment_follows(tmp_path: Path) -> None:
    wal = Wal(tmp_path)
    write(wal, b"kept")
    write(wal, b"torn")
    wal.close()
    (segment,) = tmp_path.iterdir()
    segment.write_bytes(segment.read_bytes()[:-1])
    again = Wal(tmp_path)
    assert [record.payload for record in again.replay()] == [b"kept"]
    assert write(again, b"new") == 2
    again.close()
    assert list_payloads(tmp_path) == [(1, b"kept"), (2, b"new")]


def test_a_record_is_synced_before_its_number_is_given(tmp_path: Path) -> None:
    synced: list[bytes] = []

    def make(real: Call) -> Call:
        def sync(handle: int) -> None:
            real(handle)
            synced.append(Path(name_of(handle)).read_bytes())

        return sync

    wal = Wal(tmp_path)
    with replaced("fdatasync", make):
        write(wal, b"precious")
    wal.close()
    assert synced[-1].endswith(b"precious")


@pytest.mark.parametrize("reserved", [0, 3])
def test_what_a_failed_sync_left_is_void_once_the_next_segment_starts(
    tmp_path: Path, reserved: int
) -> None:
    wal = Wal(tmp_path)
    write(wal, b"acked")
    with failing("fdatasync"), pytest.raises(Unavailable, match="cannot be written"):
        write(wal, b"refused", b"refused too")
    for _ in range(reserved):
        wal.reserve()
    write(wal, b"next")
    wal.close()
    first, _ = sorted(tmp_path.iterdir())
    assert b"refused too" in first.read_bytes()
    assert [payload for _, payload in list_payloads(tmp_path)] == [b"acked", b"next"]


def test_a_segment_that_failed_to_sync_is_never_touched_again(tmp_path: Path) -> None:
    wal = Wal(tmp_path)
    write(wal, b"acked")
    (segment,) = tmp_path.iterdir()
    with failing("fdatasync") as failed, pytest.raises(Unavailable):
        write(wal, b"refused")
    assert len(failed) == 1
    before = segment.read_bytes()
    with failing("fdatasync", when=behind(segment.name)) as synced_again:
        write(wal, b"next")
        write(wal, b"and next")
    wal.close()
    assert synced_again == []
    assert segment.read_bytes() == before
    assert len(list_names(tmp_path)) == 2


def test_every_failed_sync_leaves_one_segment_behind(tmp_path: Path) -> None:
    wal = Wal(tmp_path)
    for number in range(3):
        write(wal, b"acked %d" % number)
        with failing("fdatasync"), pytest.raises(Unavailable):
            write(wal, b"refused %d" % number)
    write(wal, b"end")
    wal.close()
    expected = [(1, b"acked 0"), (2, b"acked 1"), (3, b"acked 2"), (4, b"end")]
    assert list_payloads(tmp_path) == expected
    wal = Wal(tmp_path)
    assert len(list(wal.replay())) == 4
    wal.delete_through(4)
    assert list_names(tmp_path) == []


def write_slowly(real: Call) -> Call:
    """Take three bytes at a time, as the kernel may."""
    del real
    return lambda handle, views: os.write(handle, views[0][:3])


def test_short_writes_are_continued(tmp_path: Path) -> None:
    wal = Wal(tmp_path)
    with replaced("writev", write_slowly):
        write(wal, b"a payload that takes many writes", b"another one")
    write(wal, b"end")
    wal.close()
    assert [payload for _, payload in list_payloads(tmp_path)] == [
        b"a payload that takes many writes",
        b"another one",
        b"end",
    ]


def test_more_pieces_than_one_call_takes_are_all_written(tmp_path: Path) -> None:
    wal = Wal(tmp_path)
    pieces = [bytes([number % 256]) for number in range(3 * wal_module.MAX_IOVECS)]
    wal.write([pieces])
    wal.close()
    assert list_payloads(tmp_path) == [(1, b"".join(pieces))]


def tear_and(error: BaseException) -> Callable[[Call], Call]:
    """Write a part, then fail."""

    def make(real: Call) -> Call:
        del real
        torn = False

        def call(handle: int, views: list[memoryview]) -> int:
            nonlocal torn
            if torn:
                raise error
            torn = True
            return os.write(handle, b"".join(views)[:-2])

        return call

    return make


@pytest.mark.parametrize("error", [fail(errno.ENOSPC), fail(errno.EIO)])
def test_a_half_written_append_is_taken_back(tmp_path: Path, error: OSError) -> None:
    wal = Wal(tmp_path)
    write(wal, b"acked")
    (segment,) = tmp_path.iterdir()
    before = segment.read_bytes()
    with replaced("writev", tear_and(error)), pytest.raises(Unavailable):
        write(wal, b"whole but refused", b"torn")
    assert segment.read_bytes() == before
    assert write(wal, b"next") == 2
    wal.close()
    assert len(list_names(tmp_path)) == 1
    assert list_payloads(tmp_path) == [(1, b"acked"), (2, b"next")]


def test_also_an_error_that_is_not_the_disks_takes_the_append_back(tmp_path: Path) -> None:
    wal = Wal(tmp_path)
    write(wal, b"acked")
    with replaced("writev", tear_and(MemoryError())), pytest.raises(MemoryError):
        write(wal, b"refused")
    write(wal, b"next")
    wal.close()
    assert list_payloads(tmp_path) == [(1, b"acked"), (2, b"next")]


def test_a_segment_whose_torn_end_cannot_be_cut_is_abandoned(tmp_path: Path) -> None:
    wal = Wal(tmp_path)
    write(wal, b"acked")
    torn = replaced("writev", tear_and(fail(errno.ENOSPC)))
    with torn, failing("ftruncate"), pytest.raises(Unavailable):
        write(wal, b"whole but refused", b"torn")
    write(wal, b"next")
    wal.close()
    assert len(list_names(tmp_path)) == 2
    assert list_payloads(tmp_path) == [(1, b"acked"), (2, b"next")]


def test_a_segment_that_cannot_be_begun_leaves_nothing(tmp_path: Path) -> None:
    wal = Wal(tmp_path)
    calls = [failing(call, errno.ENOSPC) for call in ("open", "write", "fsync", "link")]
    for call in (*calls, failing("fsync", errno.ENOSPC, when=behind(tmp_path.name))):
        with call, pytest.raises(Unavailable):
            write(wal, b"refused")
        assert list_names(tmp_path) == []
    write(wal, b"acked")
    wal.close()
    assert list_payloads(tmp_path) == [(1, b"acked")]


def test_a_handle_that_cannot_be_closed_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal_module, "SEGMENT_BYTES", 1)
    wal = Wal(tmp_path)
    write(wal, b"one")

    def make(real: Call) -> Call:
        def close(handle: int) -> None:
            real(handle)
            raise fail(errno.EIO)

        return close

    with replaced("close", make), pytest.raises(Unavailable):
        write(wal, b"two")  # the directory's handle fails to close, too
    write(wal, b"three")
    wal.close()
    assert [payload for _, payload in list_payloads(tmp_path)] == [b"one", b"three"]


def test_a_full_segment_is_followed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal_module, "SEGMENT_BYTES", HEADER_BYTES + 200)
    wal = Wal(tmp_path)
    for number in range(20):
        write(wal, b"%03d" % number * 10)
    wal.close()
    sizes = [path.stat().st_size for path in sorted(tmp_path.iterdir())]
    assert len(sizes) > 3
    assert all(size >= HEADER_BYTES + 200 for size in sizes[:-1])
    assert [seq for seq, _ in list_payloads(tmp_path)] == list(range(1, 21))
    assert wal.size_bytes == sum(sizes)


def test_segments_go_only_when_all_their_records_are_covered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal_module, "SEGMENT_BYTES", 1)
    wal = Wal(tmp_path)
    for number in range(5):
        write(wal, b"a%d" % number, b"b%d" % number)
    names = list_names(tmp_path)
    wal.delete_through(3)
    assert list_names(tmp_path) == names[1:]
    wal.delete_through(4)
    assert list_names(tmp_path) == names[2:]
    wal.delete_through(100)
    assert list_names(tmp_path) == names[4:], "the segment in use stays"
    wal.close()
    assert list_names(tmp_path) == names[4:]
    wal.delete_through(10)
    assert list_names(tmp_path) == []


def test_a_deletion_that_is_not_synced_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal_module, "SEGMENT_BYTES", 1)
    wal = Wal(tmp_path)
    write(wal, b"one")
    write(wal, b"two")
    with failing("fsync", when=behind(tmp_path.name)) as synced, pytest.raises(OSError, match=r"."):
        wal.delete_through(1)
    assert len(synced) == 1
    wal.close()


def test_a_segment_without_a_whole_header_is_reported_and_cleared_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wal = Wal(tmp_path)
    write(wal, b"acked")
    wal.close()
    for number, data in enumerate([b"", b"LBWAL", bytes(HEADER_BYTES)], 2):
        (tmp_path / f"{number:012d}.wal").write_bytes(data)
    again = Wal(tmp_path)
    assert [record.payload for record in again.replay()] == [b"acked"]
    cut, damaged = "it is cut off in its header", "its header is damaged"
    assert list_reasons(caplog) == [cut, cut, damaged]
    again.delete_through(0)
    assert list_names(tmp_path) == ["000000000001.wal"]


def test_a_missing_segment_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(wal_module, "SEGMENT_BYTES", 1)
    wal = Wal(tmp_path)
    for payload in (b"one", b"two", b"three"):
        write(wal, payload)
    wal.close()
    (tmp_path / "000000000002.wal").unlink()
    assert [record.payload for record in Wal(tmp_path).replay()] == [b"one", b"three"]
    assert list_reasons(caplog) == ["the segment after 000000000001.wal is missing"]


def list_reasons(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [vars(record)["reason"] for record in caplog.records]


def test_a_segment_without_a_readable_header_is_reported_and_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wal = Wal(tmp_path)
    write(wal, b"acked")
    wal.close()
    (segment,) = tmp_path.iterdir()
    segment.write_bytes(bytes(HEADER_BYTES) + segment.read_bytes()[HEADER_BYTES:])
    again = Wal(tmp_path)
    assert list(again.replay()) == []
    assert "its header is damaged" in [vars(record).get("reason") for record in caplog.records]
    again.delete_through(100)
    assert list_names(tmp_path) == [segment.name]


def test_files_that_are_no_segments_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.wal").write_text("not ours")
    wal = Wal(tmp_path)
    assert list(wal.replay()) == []
    write(wal, b"acked")
    wal.close()
    assert (tmp_path / "notes.wal").read_text() == "not ours"


def test_deleting_beside_the_writer_is_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal_module, "SEGMENT_BYTES", 1)
    wal = Wal(tmp_path)
    errors: list[BaseException] = []
    stop = threading.Event()

    def delete() -> None:
        try:
            while not stop.is_set():
                wal.delete_through(wal.next_seq - 2)
                assert wal.size_bytes >= 0
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            errors.append(error)

    deleter = threading.Thread(target=delete)
    deleter.start()
    for number in range(200):
        assert write(wal, b"x") == number + 1
    stop.set()
    deleter.join()
    assert errors == []
    wal.delete_through(199)
    wal.close()
    assert list_payloads(tmp_path) == [(200, b"x")]


def test_the_folder_is_made_durable(tmp_path: Path) -> None:
    with failing("fsync", when=behind(tmp_path.name)) as synced, pytest.raises(OSError, match=r"."):
        Wal(tmp_path / "wal")
    assert len(synced) == 1
    with failing("fsync", when=behind(tmp_path.name)) as synced, pytest.raises(OSError, match=r"."):
        Wal(tmp_path / "wal")
    assert len(synced) == 1, "also when it was there already"


def test_it_is_writable_again_once_a_small_file_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wal = Wal(tmp_path)
    write(wal, b"one")

    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "writev", refuse)
        full.setattr(os, "write", refuse)
        wal.check_writable()
        with pytest.raises(Unavailable, match="No space left"):
            write(wal, b"two")
        for _ in range(3):
            with pytest.raises(Unavailable, match="No space left"):
                wal.check_writable()
    wal.check_writable()
    assert [name for name in list_names(tmp_path) if not name.endswith(".wal")] == []
    write(wal, b"two")
    wal.close()
    assert [payload for _, payload in list_payloads(tmp_path)] == [b"one", b"two"]


def test_a_log_whose_records_are_all_in_blocks_is_small(tmp_path: Path) -> None:
    wal = Wal(tmp_path)
    large = [bytes(wal_module.KEPT_BYTES)]
    first = wal.write([large])
    second = wal.write([large])
    wal.delete_through(first)
    assert wal.size_bytes > 2 * wal_module.KEPT_BYTES, "a record of it is in no block yet"
    wal.delete_through(second)
    assert wal.size_bytes == 0
    third = wal.write([[b"next"]])
    assert third == second + 1
    assert list_payloads(tmp_path) == [(third, b"next")]
    wal.delete_through(third)
    assert 0 < wal.size_bytes < wal_module.KEPT_BYTES, "not every flush begins a segment"
    wal.close()

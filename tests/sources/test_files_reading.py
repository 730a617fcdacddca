"""What is in the files: lines that are not whole yet, formats that remember, encodings, and very long lines."""

import errno
import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.sources.pulling import Pulling, pulling, set_mtime
from tests.store.stores import read_rows

from logboom.base.clock import NS_PER_S
from logboom.formats.auto.kinds.windows_xml import NAMESPACE
from logboom.formats.reader import Options
from logboom.sources.files import passes, reading
from logboom.sources.files.cutting import MAX_LINES_WAITED, cut_folds, cut_json, cut_lines, cut_rows
from logboom.sources.files.reading import FileReading

TRACE = r"^\d{4}-"


def list_fields(bed: Pulling, *names: str) -> list[tuple[Any, ...]]:
    bed.store.flush().result()
    return read_rows(bed.store).select(names).rows()


def test_a_line_that_has_no_end_waits_for_it(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        bed.write_bytes("app.log", b"one\ntw")
        assert bed.read() == ["one"]
        assert bed.poll().ingested == 0
        assert bed.poll().ingested == 0
        bed.crash()
        bed.write_bytes("app.log", b"o\nthree")
        assert bed.read() == ["one", "two"]
        bed.write_bytes("app.log", b"\n")
        assert bed.read() == ["one", "two", "three"]


def test_a_compressed_file_may_end_without_a_line_feed(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        bed.write_bytes("app.log.gz", gzip.compress(b"one\ntwo"))
        assert bed.read() == ["one"]
        assert bed.read() == ["one", "two"]
        assert bed.poll().ingested == 0


@pytest.mark.parametrize(("format", "name"), [("csv", "the\ntext"), ("auto", "text")])
def test_rows_that_come_later_have_the_header_of_their_file(
    tmp_path: Path, format: str, name: str
) -> None:
    with pulling(tmp_path, format=format) as bed:
        bed.write("a.csv", f'level,"{name}"', "info,one", "warn,two")
        bed.poll()
        bed.crash()
        bed.write("a.csv", 'error,"three\nand', 'more"')
        bed.poll()
        rows = [("info", "one"), ("warn", "two"), ("error", "three\nand\nmore")]
        assert list_fields(bed, "level", name) == rows


def write_now(bed: Pulling, *lines: str) -> None:
    """Append to a file, by the poller's own clock."""
    set_mtime(bed.write("a.csv", *lines), bed.clock.time_ns // NS_PER_S)


@pytest.mark.parametrize("way", [Pulling.poll, Pulling.renew, Pulling.crash])
def test_a_header_waits_for_its_first_row(tmp_path: Path, way: Callable[[Pulling], object]) -> None:
    with pulling(tmp_path, format="auto") as bed:
        write_now(bed, "level,text")
        for _ in range(3):
            assert bed.poll().ingested == 0
            way(bed)
        write_now(bed, "info,one")
        bed.poll()
        way(bed)
        write_now(bed, "warn,two")
        bed.poll()
        assert list_fields(bed, "level", "text") == [("info", "one"), ("warn", "two")]


def test_what_may_be_a_header_is_a_message_when_nothing_follows_for_long(tmp_path: Path) -> None:
    with pulling(tmp_path, format="auto") as bed:
        write_now(bed, "hello,world")
        bed.write_bytes("packed", gzip.compress(b"packed,world\n"))
        assert bed.read() == ["packed,world"]
        bed.clock.time_ns += passes.QUIET_NS
        assert bed.read()[1:] == ["hello,world"]
        bed.crash()
        write_now(bed, "a,b")
        assert bed.poll().ingested == 1
        assert bed.poll().ingested == 0
        assert list_fields(bed, "hello", "world")[2:] == [("a", "b")]


def test_text_that_is_no_header_does_not_wait(tmp_path: Path) -> None:
    with pulling(tmp_path, format="auto") as bed:
        write_now(bed, "started: a, 1")
        assert bed.read() == ["started: a, 1"]
        bed.change(format="text", generation=1)
        bed.write("b.csv", "level,text")
        assert "level,text" in bed.read()


def test_a_row_that_has_no_end_waits_for_it(tmp_path: Path) -> None:
    with pulling(tmp_path, format="csv") as bed:
        bed.write("a.csv", "message,n", "one,1", '"two')
        assert bed.read() == ["one"]
        bed.crash()
        bed.write("a.csv", 'lines",2')
        assert bed.read() == ["one", "two\nlines"]
        assert bed.status.files[0].bytes == (bed.logs / "a.csv").stat().st_size


def test_a_quote_that_never_closes_is_read_when_the_file_is_still(tmp_path: Path) -> None:
    with pulling(tmp_path, format="csv") as bed:
        bed.write("a.csv", "message,n", "a,1", '"b,2', "c,3")
        bed.poll()
        assert bed.messages == ["a"]
        bed.poll()
        assert bed.messages[0] == "a"
        assert bed.messages[-1] == "c"
        assert bed.poll().ingested == 0


def test_fields_of_a_w3c_log_count_until_others_are_named(tmp_path: Path) -> None:
    with pulling(tmp_path, format="w3c") as bed:
        bed.write("u_ex.log", "#Fields: verb path", "GET /a", "#Fields: path verb", "/b PUT")
        bed.poll()
        bed.write("u_ex.log", "/c POST")
        bed.poll()
        bed.crash()
        bed.write("u_ex.log", "/d HEAD")
        bed.poll()
        expected = [("GET", "/a"), ("PUT", "/b"), ("POST", "/c"), ("HEAD", "/d")]
        assert list_fields(bed, "verb", "path") == expected


def test_an_event_of_many_lines_waits_for_the_next_one(tmp_path: Path) -> None:
    with pulling(tmp_path, multiline={"pattern": TRACE}) as bed:
        bed.write("app.log", "2026-01-01 a", "  at x", "2026-01-02 b", "  at y")
        assert bed.read() == ["2026-01-01 a\n  at x"]
        bed.crash()
        bed.write("app.log", "  at z")
        assert bed.read() == ["2026-01-01 a\n  at x"]
        bed.write("app.log", "2026-01-03 c")
        assert bed.read()[1:] == ["2026-01-02 b\n  at y\n  at z"]


def test_the_last_event_is_taken_when_the_file_is_still(tmp_path: Path) -> None:
    with pulling(tmp_path, multiline={"pattern": TRACE}) as bed:
        bed.write("app.log", "2026-01-01 a", "  at x")
        assert bed.read() == []
        assert bed.read() == ["2026-01-01 a\n  at x"]
        bed.crash()
        bed.write("app.log", "  late", "  later")
        bed.poll()
        assert bed.read()[1:] == ["  late\n  later"]


@pytest.mark.parametrize("ending", ["", "\n"])
def test_an_array_of_objects_is_read_as_it_grows(tmp_path: Path, ending: str) -> None:
    with pulling(tmp_path, format="json") as bed:
        bed.write_bytes("a.json", b'[\n {"message": "a"},\n {"message": "b')
        assert bed.read() == ["a"]
        bed.poll()
        bed.crash()
        bed.write_bytes("a.json", b'", "n": {"m": 1}}]' + ending.encode())
        assert bed.read() == ["a", "b"]
        bed.poll()
        assert bed.poll().ingested == 0
        assert bed.messages == ["a", "b"]


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be"])
def test_utf_16_with_a_byte_order_mark_is_decoded(tmp_path: Path, charset: str) -> None:
    with pulling(tmp_path) as bed:
        bed.write_bytes("app.log", "\ufeffgrün\r\n𝄞 zwei\r\nhal".encode(charset))
        assert bed.read() == ["grün", "𝄞 zwei"]
        bed.crash()
        bed.write_bytes("app.log", "b 𝄞\r\n".encode(charset)[:9])
        assert bed.poll().ingested == 0
        bed.write_bytes("app.log", "b 𝄞\r\n".encode(charset)[9:])
        assert bed.read() == ["grün", "𝄞 zwei", "halb 𝄞"]


def test_bytes_of_any_kind_are_kept(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        bed.write_bytes("app.log", b"\xef\xbb\xbfbom\r\n\0nul\0\n\xff\xfe\n\n   \nlast\r\n")
        assert bed.read() == ["bom", "\0nul\0", "\\xff\\xfe", "last"]
        bed.crash()
        assert bed.poll().ingested == 0


def test_a_line_beyond_the_limit_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PIECE_BYTES", 256)
    monkeypatch.setattr(reading, "MAX_EVENT_BYTES", 1024)
    with pulling(tmp_path) as bed:
        bed.write("app.log", "a", "x" * 2500, "b", "y" * 1000)
        assert [(text[0], len(text)) for text in bed.read()] == [
            ("a", 1),
            *(("x", 1024), ("x", 1024), ("x", 452)),
            ("b", 1),
            ("y", 1000),
        ]
        bed.write_bytes("app.log", b"z" * 1500)
        assert len(bed.read()[-1]) == 1024


def test_a_long_file_is_many_deliveries_in_its_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "BATCH_LINES", 100)
    monkeypatch.setattr(reading, "PIECE_LINES", 30)
    lines = [f"line {number}" for number in range(1_000)]
    with pulling(tmp_path) as bed:
        bed.write("app.log", *lines)
        assert bed.poll().ingested == 1_000
        arrivals = {row >> 24 for (row,) in list_fields(bed, "_seq")}
        assert len(arrivals) == 12
        assert bed.messages == lines


@pytest.mark.parametrize("failing", range(1, 5))
def test_what_could_not_be_delivered_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    monkeypatch.setattr(passes, "BATCH_LINES", 30)
    monkeypatch.setattr(reading, "PIECE_LINES", 30)
    with pulling(tmp_path) as bed:
        lines = [f"line {number}" for number in range(100)]
        bed.write("app.log", *lines)
        bed.write("b.log", "b")
        deliveries = iter(range(1, 100))

        async def refuse_one() -> bool:
            return next(deliveries) != failing

        monkeypatch.setattr(bed.poller, "_may_deliver", refuse_one)
        assert "another node" in bed.try_poll()
        assert len(bed.messages) == (failing - 1) * 30
        assert bed.read() == [*lines, "b"]


def test_many_small_files_are_one_delivery(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        for number in range(250):
            bed.write(f"{number:03}.log", f"of {number:03}")
        result = bed.poll()
        assert (result.ingested, result.files, result.bytes) == (250, 250, 250 * 7)
        assert len({row >> 24 for (row,) in list_fields(bed, "_seq")}) == 1
        bed.crash()
        assert bed.poll().ingested == 0
        assert sorted(bed.messages) == [f"of {number:03}" for number in range(250)]


def test_what_is_no_archive_is_a_fault_and_all_before_it_is_read(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        bed.write_bytes("app.log.gz", gzip.compress(b"one\n") + b"\x1f\x8bgarbage" * 10)
        bed.write("b.log", "b")
        assert "app.log.gz: " in bed.try_poll()
        assert bed.messages == ["one", "b"]
        assert "app.log.gz: " in bed.try_poll()
        assert bed.messages == ["one", "b"]


def test_a_file_of_another_compression_than_its_source_says_is_a_fault(tmp_path: Path) -> None:
    with pulling(tmp_path, compression="gzip") as bed:
        bed.write("app.log", "plain")
        assert "not valid gzip" in bed.try_poll()


def test_events_carry_index_environment_and_tag_of_their_source(tmp_path: Path) -> None:
    with pulling(tmp_path, index="web-{{app}}", source="files", format="ndjson") as bed:
        bed.write(
            "app.log", '{"message":"a","app":"x"}', '{"message":"b","source":"own"}', "no json"
        )
        result = bed.poll()
        assert (result.ingested, result.errors) == (2, 1)
        assert sorted(list_fields(bed, "_index", "source")) == [
            ("web-unknown", "files"),
            ("web-unknown", "own"),
            ("web-x", "files"),
        ]


def test_the_status_says_how_far_every_file_was_read(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        assert bed.status.last_run_ns is None
        path = bed.write("app.log", "a", "b")
        bed.poll()
        bed.write("app.log", "c")
        bed.poll()
        status = bed.status
        assert (status.last_status, status.total_ingested, status.current_file) == ("ok", 3, "")
        mtime_ns = path.stat().st_mtime_ns
        assert [msgspec.structs.astuple(file) for file in status.files] == [
            (str(path), 6, mtime_ns, "", 0.0, "")
        ]


def test_a_log_is_folded_by_its_times_though_its_lines_come_one_by_one(tmp_path: Path) -> None:
    """Of an event that is still being written nothing is stored before it is known where it ends."""
    events = [
        f"2026-03-02 10:00:0{at},000 ERROR [main] a.b.C - failed {at}\n\tat a.b.C"
        for at in range(4)
    ]
    with pulling(tmp_path, format="auto") as bed:
        for line in "\n".join(events).splitlines():
            bed.write("app.log", line)
            bed.poll()
        assert bed.messages == [f"failed {at}\n\tat a.b.C" for at in range(3)]
        bed.poll()
        bed.poll()
        assert bed.messages == [f"failed {at}\n\tat a.b.C" for at in range(4)]
        (file,) = bed.status.files
        assert (file.format, file.confidence) == ("java", 1.0)


KINDS = {
    "zeek": ["#separator \\x09", "#fields\tts\tmessage", "1.5\ta", "2.5\tb", "3.5\tc"],
    "vpc_flow": ["start message srcaddr action", "1 a x y", "2 b x y", "3 c x y"],
    "postgres_csv": [
        row
        for text in "abc"
        for row in f"2026-03-02 10:00:00.000 UTC,,,1,{',' * 9}\"{text}\",,,,,,\"q\nq\",,".split("\n")
    ],
    "windows_xml": [
        line
        for text in "abc"
        for line in f"<Event xmlns='{NAMESPACE}'><RenderingInfo>\n<Message>{text}</Message></RenderingInfo></Event>".split("\n")
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("crashes", [False, True])
def test_kinds_are_read_as_their_files_grow(tmp_path: Path, kind: str, crashes: bool) -> None:
    with pulling(tmp_path, format="auto") as bed:
        for line in KINDS[kind]:
            bed.write("app.log", line)
            bed.poll()
            if crashes:
                bed.crash()
        bed.poll()
        bed.poll()
        assert bed.messages == ["a", "b", "c"]
        assert bed.status.files[0].format == kind


def test_a_line_that_a_runtime_cut_is_not_read_before_its_rest_is_there(tmp_path: Path) -> None:
    with pulling(tmp_path, format="auto") as bed:
        bed.write(
            "app.log", "2026-03-02T10:00:00Z stdout F one", "2026-03-02T10:00:01Z stdout P two "
        )
        bed.poll()
        assert bed.messages == ["one"]
        bed.write("app.log", "2026-03-02T10:00:01Z stdout F three")
        bed.poll()
        assert bed.messages == ["one", "two three"]


@pytest.mark.parametrize("begin", ["", "2026-03-02 10:00:00 INFO [main] a.b.C - "])
def test_a_line_in_parts_is_not_read_in_two_between_lines_of_the_other_output(
    tmp_path: Path, begin: str
) -> None:
    with pulling(tmp_path, format="auto") as bed:
        bed.write(
            "app.log",
            f"2026-03-02T10:00:00Z stdout F {begin}one",
            f"2026-03-02T10:00:01Z stdout P {begin}two ",
            f"2026-03-02T10:00:01Z stderr F {begin}other",
        )
        bed.poll()
        assert bed.messages == ["one"]
        bed.write("app.log", "2026-03-02T10:00:01Z stdout F three")
        bed.poll()
        bed.poll()
        assert sorted(bed.messages) == ["one", "other", "two three"]


def test_the_rest_of_a_line_that_never_comes_is_not_waited_for(tmp_path: Path) -> None:
    with pulling(tmp_path, format="auto") as bed:
        others = [f"2026-03-02T10:00:01Z stderr F {at}" for at in range(MAX_LINES_WAITED)]
        bed.write("app.log", "2026-03-02T10:00:00Z stdout P begun", *others[1:])
        assert bed.poll().ingested == 0
        bed.write("app.log", others[0])
        assert bed.poll().ingested == 1 + MAX_LINES_WAITED
        assert bed.messages[0] == "begun"


def test_a_table_is_cut_between_rows() -> None:
    header = b"a,b\n"
    assert cut_rows(b'1,2\n3,"4\n', header, "csv") == 4
    assert cut_rows(b'1,5" disk\n3,4\n5', header, "csv") == 14
    assert cut_rows(b'"1\n2",3\n', header, "csv") == 8
    assert cut_rows(b'"1\n2', header, "csv") == 0


def test_json_is_cut_between_objects() -> None:
    assert cut_json(b'[{"a":"}"},{"b":{}}, {"c"') == 19
    assert cut_json(b'{"a":"{') == 0
    assert cut_json(b"[]\n") == 0


def test_folds_are_cut_before_the_last_one_that_begins() -> None:
    options = Options(multiline="^>", max_lines=3)
    assert cut_folds(b">a\nb\n>c\nd\ne", options) == 5
    assert cut_folds(b">a\nb\n", options) == 0
    assert cut_folds(b">a\nb\nc\nd\n", options) == 7
    assert cut_lines(b"a\nb") == 2


def test_a_file_that_cannot_be_read_now_is_read_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PIECE_LINES", 2)
    with pulling(tmp_path) as bed:
        lines = [f"line {number}" for number in range(9)]
        bed.write("app.log", *lines)
        bed.write("b.log", "b")
        read = os.pread

        def fail(handle: int, size: int, offset: int) -> bytes:
            if offset > 20:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return read(handle, size, offset)

        with monkeypatch.context() as patched:
            patched.setattr(os, "pread", fail)
            assert "app.log: Input/output error" in bed.try_poll()
        assert "b" in bed.messages
        bed.poll()
        assert sorted(bed.messages) == sorted([*lines, "b"])
        assert bed.poll().ingested == 0


def test_a_file_that_is_written_faster_than_it_is_read_does_not_keep_others_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PIECE_LINES", 2)
    with pulling(tmp_path) as bed:
        bed.write("a.log", "0", "1", "2")
        read = FileReading._take

        def write_and_read(self: FileReading, *arguments: Any) -> bytes:
            bed.write("a.log", "new", "new", "new")
            return read(self, *arguments)

        with monkeypatch.context() as patched:
            patched.setattr(FileReading, "_take", write_and_read)
            bed.poll()
        assert bed.read() == ["0", "1", "2", *["new"] * 6]

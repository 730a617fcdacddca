"""Wrapped lines are read as the lines inside would be by themselves, with what the runtime says beside it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.formats.feeding import read

from logboom.formats import FORMATS, batches
from logboom.formats.auto import wrapped
from logboom.formats.auto.choose import choose
from logboom.formats.auto.envelopes import ENVELOPES
from logboom.formats.patterns import compile_search
from logboom.formats.reader import Options

NOW = Options(now_ns=1_763_294_400_000_000_000)
WRAPPED = {"cri-gunicorn", "cri-java", "cri-json", "docker-json", "docker-json-json", "compose"}
SAMPLES = [
    path
    for path in sorted((Path(__file__).parents[1] / "samples" / "auto").glob("*.txt"))
    if path.stem not in WRAPPED
]
Event = dict[str, Any]
Wrap = Callable[[int, str], str]


def write_time(number: int) -> str:
    return f"2026-01-01T00:00:00.{number:09}Z"


def wrap_cri(number: int, line: str) -> str:
    return f"{write_time(number)} stdout F {line}"


def wrap_docker(number: int, line: str) -> str:
    said = {"log": f"{line}\n", "stream": "stdout", "time": write_time(number)}
    return json.dumps(said, separators=(",", ":"))


def wrap_copied(number: int, line: str) -> str:
    """As programs write it that decode the lines of the driver and encode them again."""
    said = {"stream": "stdout", "time": write_time(number), "log": f"{line}\n"}
    return json.dumps(said, ensure_ascii=False)


def wrap_compose(_number: int, line: str) -> str:
    return f"web-1  | {line}"


WRAPS: dict[str, Wrap] = {
    "cri": wrap_cri,
    "docker": wrap_docker,
    "docker, copied": wrap_copied,
    "compose": wrap_compose,
}


def read_wrapped(wrap: Wrap, lines: list[str]) -> list[Event]:
    text = "".join(f"{wrap(number, line)}\n" for number, line in enumerate(lines))
    return list(map(json.loads, read("auto", [text.encode()], NOW)[0]))


def unwrap(event: Event, wrap: Wrap) -> Event:
    """The event as it would be without its wrapping, which has to be as it was made."""
    if wrap is wrap_compose:
        assert event.pop("container") == "web-1"
        return event
    assert event.pop("stream") == "stdout"
    del event["timestamp"]
    return {"timestamp" if name == "inner_timestamp" else name: event[name] for name in event}


@pytest.mark.parametrize("path", SAMPLES, ids=[path.stem for path in SAMPLES])
def test_a_wrapped_sample_is_read_as_the_sample(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wrapped lines go through the patterns for batches, the others through those for single texts."""
    text = path.read_bytes()
    expected = list(map(json.loads, read("auto", [text], NOW)[0]))
    monkeypatch.setattr(batches, "MIN_TEXTS", 1)
    lines = text.decode().removesuffix("\n").split("\n")
    for name, wrap in WRAPS.items():
        events = read_wrapped(wrap, lines)
        assert [unwrap(event, wrap) for event in events] == expected, name


@pytest.mark.parametrize("wrap", [wrap_cri, wrap_docker, wrap_copied])
def test_an_event_has_the_time_of_its_first_line(wrap: Wrap) -> None:
    trace = ["2025-06-14 15:16:01 ERROR failed", "java.lang.Error: x", "\tat a.b.C", ""]
    events = read_wrapped(wrap, trace * 100)
    assert [event["timestamp"] for event in events] == [write_time(4 * at) for at in range(100)]
    assert {event["message"] for event in events} == {"failed\njava.lang.Error: x\n\tat a.b.C"}


@pytest.mark.parametrize("name", WRAPS)
def test_files_are_cut_where_events_begin(name: str) -> None:
    """By the pattern of the choice, which is for wrapped lines."""
    wrap = WRAPS[name]
    trace = ["2025-06-14 15:16:01 ERROR failed", "java.lang.Error: x", "\tat a.b.C", "Caused by: y"]
    lines = [wrap(number, line) for number, line in enumerate(trace * 3)]
    choice = choose("\n".join(lines).encode(), NOW, FORMATS)
    begins = compile_search(choice.options.multiline, choice.options.multiline)
    found = [begins(line.encode()) is not None for line in lines]
    assert found == [True, False, False, False] * 3


def test_lines_that_are_not_wrapped_belong_to_the_event_before_them() -> None:
    lines = [f"2025-06-14 15:16:01 INFO {number}" for number in range(100)]
    text = "".join(f"{wrap_docker(at, line)}\n" for at, line in enumerate(lines))
    text += "2025-06-14 15:16:02 INFO no envelope\n" + wrap_docker(100, lines[0]) + "\n"
    events = list(map(json.loads, read("auto", [text.encode()], NOW)[0]))
    assert len(events) == 101
    assert events[99]["message"] == "99\n2025-06-14 15:16:02 INFO no envelope"


def test_blank_lines_of_a_program_without_stack_traces_are_events() -> None:
    events = read_wrapped(wrap_cri, ["one", "", "two"])
    assert [event["message"] for event in events] == ["one", "", "two"]


REQUEST = '192.0.2.7 - bob [02/Mar/2026:10:00:00 +0100] "GET /a?b=c HTTP/1.1" 200 512'


@pytest.mark.parametrize("wrap", WRAPS.values())
def test_requests_are_read_by_their_preset_and_other_lines_in_their_way(wrap: Wrap) -> None:
    traced = [*[REQUEST] * 5, "java.lang.Error: x", "\tat a.b.C", REQUEST]
    assert [event.get("message") for event in read_wrapped(wrap, traced)][5:] == [
        "java.lang.Error: x\n\tat a.b.C",
        None,
    ]
    others = ["/entrypoint.sh: starting", "2026/03/02 10:00:00 [error] 7#7: *1 open() failed"]
    events = [unwrap(event, wrap) for event in read_wrapped(wrap, [*others, *[REQUEST] * 5])]
    assert [event.get("path") for event in events if "status" in event] == ["/a?b=c"] * 5
    assert [event["message"] for event in events if "status" not in event] == [
        "/entrypoint.sh: starting",
        "open() failed",
    ]


def test_a_line_in_endless_parts_is_not_held_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrapped, "MAX_LINE_CHARACTERS", 1000)
    part = b"2025-06-14T15:16:01Z stdout P " + b"x" * 100 + b"\n"
    for chunks in ([part * 1000], [part] * 1000):
        lines, faults = read("auto", chunks, NOW)
        assert (len(lines), faults) == (100, 0)
        assert {len(json.loads(line)["message"]) for line in lines} == {1000}


def test_every_envelope_is_tried() -> None:
    assert {envelope.name for envelope in ENVELOPES} == {"cri", "docker", "compose"}


def write_cri(number: int, stream: str, line: str, flag: str = "F") -> str:
    return f"{write_time(number)} {stream} {flag} {line}"


def write_docker(number: int, stream: str, line: str, flag: str = "F") -> str:
    said = {"log": line if flag == "P" else f"{line}\n", "stream": stream}
    return json.dumps(said | {"time": write_time(number)})


@pytest.mark.parametrize("write", [write_cri, write_docker])
@pytest.mark.parametrize("size", [1, 10_000], ids=["line by line", "at once"])
def test_parts_of_two_interleaved_streams_are_joined_apart(
    write: Callable[..., str], size: int
) -> None:
    lines = [
        write(0, "stdout", "out one, ", "P"),
        write(1, "stderr", "error"),
        write(2, "stderr", "error one, ", "P"),
        write(3, "stdout", "out two"),
        write(4, "stderr", "error two"),
    ]
    events = read_chunks([f"{line}\n".encode() for line in lines], size)
    assert sorted((event["timestamp"], event["stream"], event["message"]) for event in events) == [
        (write_time(0), "stdout", "out one, out two"),
        (write_time(1), "stderr", "error"),
        (write_time(2), "stderr", "error one, error two"),
    ]


@pytest.mark.parametrize("size", [1, 10_000], ids=["line by line", "at once"])
def test_a_stack_trace_between_the_lines_of_another_stream_is_one_event(size: int) -> None:
    lines = []
    for number in range(0, 60, 6):
        lines += [
            write_cri(number, "stderr", "2026-01-01 00:00:00,000 ERROR failed"),
            write_cri(number + 1, "stderr", "Traceback (most recent call last):"),
            write_cri(number + 2, "stdout", "2026-01-01 00:00:00,000 INFO served"),
            write_cri(number + 3, "stderr", '  File "a.py", line 1'),
            write_cri(number + 4, "stdout", "2026-01-01 00:00:00,000 INFO served"),
            write_cri(number + 5, "stderr", "ValueError: x"),
        ]
    events = read_chunks([f"{line}\n".encode() for line in lines], size)
    messages = [event["message"] for event in events]
    trace = 'failed\nTraceback (most recent call last):\n  File "a.py", line 1\nValueError: x'
    assert messages.count("served") == 20
    assert messages.count(trace) == 10
    assert len(messages) == 30


def test_lines_of_interleaved_containers_stay_in_their_order() -> None:
    lines = [f"{'web' if number % 3 else 'db'}-1  | line {number}" for number in range(20)]
    events = read_chunks([f"{line}\n".encode() for line in lines], 10_000)
    assert [event["message"] for event in events] == [f"line {number}" for number in range(20)]


def read_chunks(lines: list[bytes], size: int) -> list[Event]:
    """The events of lines that arrive so many at a time, after the sample that all of them are."""
    choice = choose(b"".join(lines), NOW, FORMATS)
    reader = choice.open()
    chunks = [b"".join(lines[at : at + size]) for at in range(0, len(lines), size)]
    encoded = b"".join([*(reader.feed(chunk).data for chunk in chunks), reader.finish().data])
    return list(map(json.loads, encoded.splitlines()))

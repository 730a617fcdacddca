"""Shippers that cannot be started here, played from what is recorded of them: see recorded/README.md."""

import base64
import gzip
import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any

import cramjam
import httpx
import pytest
import zstandard
from google.protobuf import text_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from tests.running import RunningService

RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.txt"))
MAX_LINE_BYTES = 1024
"""What Promtail shows of a refusal."""
LIMIT = 100

Values = dict[str, str]


@dataclass
class Step:
    """A setting, an exchange or a search, with the lines that belong to it, less their marks."""

    mark: str
    first: str
    lines: list[str] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)


def read_steps(text: str) -> Iterator[Step]:
    """The steps of a recording in their order."""
    step: Step | None = None
    for line in text.splitlines():
        mark, content = line[:1], line[2:]
        if mark in {"", "#"}:
            continue
        if step is None or begins_step(step, mark):
            if step is not None:
                yield step
            step = Step(mark, content)
        elif mark == "<":
            step.answer.append(content)
        else:
            step.lines.append(content)
    if step is not None:
        yield step


def begins_step(step: Step, mark: str) -> bool:
    return mark in "!?" or (mark == ">" and (step.mark != ">" or bool(step.answer)))


def encode_lines(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def encode_joined(lines: list[str]) -> bytes:
    return "".join(lines).encode()


def encode_otlp(lines: list[str]) -> bytes:
    request = ExportLogsServiceRequest()
    text_format.Parse("\n".join(lines), request)
    return bytes(request.SerializeToString())


def encode_push(lines: list[str]) -> bytes:
    """A PushRequest: streams 1 {labels 1, entries 2 {time 1 {seconds 1, nanos 2}, line 2, metadata 3 {name 1, value 2}}}."""
    return b"".join(encode_member(1, encode_stream(json.loads(line))) for line in lines)


def encode_stream(stream: dict[str, Any]) -> bytes:
    entries = (encode_member(2, encode_entry(*entry)) for entry in stream["entries"])
    return encode_member(1, stream["labels"].encode()) + b"".join(entries)


def encode_entry(time_ns: str, line: str, metadata: dict[str, str] | None = None) -> bytes:
    seconds, nanos = divmod(int(time_ns), 1_000_000_000)
    time = b"\x08" + encode_number(seconds) + b"\x10" + encode_number(nanos)
    pairs = (
        encode_member(3, encode_member(1, name.encode()) + encode_member(2, value.encode()))
        for name, value in (metadata or {}).items()
    )
    return encode_member(1, time) + encode_member(2, line.encode()) + b"".join(pairs)


def encode_member(number: int, content: bytes) -> bytes:
    return encode_number(number << 3 | 2) + encode_number(len(content)) + content


def encode_number(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


BODIES: dict[str, Callable[[list[str]], bytes]] = {
    "lines": encode_lines,
    "joined": encode_joined,
    "otlp": encode_otlp,
    "push": encode_push,
}

ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    "gzip": gzip.compress,
    "zstd": zstandard.compress,
    "snappy": lambda data: bytes(cramjam.snappy.compress_raw(data)),
}


def find_value(answer: httpx.Response, path: str) -> Any:
    value = answer.json()
    for name in path.split("."):
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def check_line(answer: httpx.Response, start: str) -> bool:
    line, end, rest = answer.text.partition("\n")
    is_short = len(answer.content) <= MAX_LINE_BYTES
    return is_short and line.startswith(start) and end == "\n" and not rest


def check_value(answer: httpx.Response, argument: str) -> bool:
    path, _, expected = argument.partition(" ")
    return bool(find_value(answer, path) == json.loads(expected))


def check_items(answer: httpx.Response, argument: str) -> bool:
    items = [
        f"{operation}={result['status']}"
        for item in answer.json()["items"]
        for operation, result in item.items()
    ]
    return items == argument.split()


CHECKS: dict[str, Callable[[httpx.Response, str], bool]] = {
    "empty": lambda answer, _: not answer.content,
    "exact": lambda answer, text: answer.text == text,
    "has": lambda answer, text: text in answer.text,
    "lacks": lambda answer, text: text not in answer.text,
    "line": check_line,
    "value": check_value,
    "items": check_items,
}


class Player:
    """A recording and the environment that it is played into."""

    def __init__(self, service: RunningService, env: str, token: str) -> None:
        self._service = service
        self._env = env
        self._values: Values = {
            "TOKEN": token,
            "BASIC": base64.b64encode(f"shipper:{token}".encode()).decode(),
            "KEY": base64.b64encode(f"id:{token}".encode()).decode(),
            "HOST": f"127.0.0.1:{service.port}",
        }

    def play(self, step: Step) -> None:
        STEPS[step.mark](self, step)

    def change_setting(self, step: Step) -> None:
        name, value = step.first.split()
        section, member = name.split(".")
        document = {section: {member: json.loads(value)}}
        answer = self._service.client.patch("/api/settings", json=document)
        assert answer.status_code == 200, answer.text

    def exchange(self, step: Step) -> None:
        method, path = step.first.split(" ", 1)
        lines = [Template(line).safe_substitute(self._values) for line in step.lines]
        head, body = split_body(lines)
        headers = dict(line.split(": ", 1) for line in head if not line.startswith(":"))
        kinds = [line.removeprefix(":body ") for line in head if line.startswith(":body ")]
        data = BODIES[kinds[0] if kinds else "lines"](body)
        content = ENCODINGS[headers.get("Content-Encoding", "")](data)
        answer = self._service.anonymous.request(method, path, headers=headers, content=content)
        self._check(step, answer)

    def _check(self, step: Step, answer: httpx.Response) -> None:
        status, *expectations = step.answer
        shown = f"{step.first}: {answer.status_code} {answer.text}"
        assert answer.status_code == int(status), shown
        for line in expectations:
            expected = Template(line).safe_substitute(self._values)
            if not expected.startswith(":"):
                name, _, value = expected.partition(": ")
                assert answer.headers.get(name) == value, f"{expected} in {shown}"
                continue
            check, _, argument = expected[1:].partition(" ")
            if check == "keep":
                name, path = argument.split()
                self._values[name] = str(find_value(answer, path))
            else:
                assert CHECKS[check](answer, argument), f"{expected} in {shown}"

    def find(self, step: Step) -> None:
        """Each line stands for an event of its own."""
        self._service.flush()
        rows = self._service.search(env=self._env, index=step.first, limit=LIMIT)["rows"]
        wanted = [json.loads(line) for line in step.lines]
        assert len(rows) == len(wanted), rows
        for event in wanted:
            matching = [row for row in rows if matches(row, event)]
            assert matching, f"{event} in {rows}"
            rows.remove(matching[0])


def matches(row: dict[str, Any], event: dict[str, Any]) -> bool:
    """Whether a row has the fields of an event, in any case."""
    folded = {name.lower(): value for name, value in row.items()}
    return all(folded.get(name.lower()) == value for name, value in event.items())


def split_body(lines: list[str]) -> tuple[list[str], list[str]]:
    """What stands before the first empty line, and what after it."""
    if "" not in lines:
        return lines, []
    at = lines.index("")
    return lines[:at], lines[at + 1 :]


STEPS: dict[str, Callable[[Player, Step], None]] = {
    "!": Player.change_setting,
    ">": Player.exchange,
    "?": Player.find,
}


@pytest.fixture(scope="module")
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service whose settings the recordings may change."""
    with RunningService(tmp_path_factory.mktemp("receiver")) as running:
        yield running


@pytest.mark.parametrize("recording", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_shipper_gets_what_it_checks_and_its_events_are_found(
    receiver: RunningService, recording: Path
) -> None:
    env = f"env-{uuid.uuid4().hex}"
    receiver.control.environments.create(env)
    _, token = receiver.control.tokens.create(recording.stem, env, indexes=("*",))
    player = Player(receiver, env, token)
    for step in read_steps(recording.read_text()):
        player.play(step)

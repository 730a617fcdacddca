"""Unwraps the lines that a container runtime wraps around those of a program; all kinds are in ENVELOPES.

An envelope unwraps a batch of lines at a time. `wrapped` reads the lines inside.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from logboom.base.patterns import compile_later

Fields = dict[str, Any]
CRI = compile_later(
    r"(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) (stdout|stderr) ([PF])(?::\S+)? ?(.*)",
    re.ASCII | re.DOTALL,
)
COMPOSE = compile_later(r"([\w./-]+) +\| ?(.*)", re.ASCII | re.DOTALL)


class DockerLine(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A line of the driver json-file. Excluded from garbage collection: it has no cycles, and there are many."""

    log: str
    stream: str
    time: str
    attrs: dict[str, str] = {}


DOCKER = msgspec.json.Decoder(DockerLine)


class Unwrapped(NamedTuple):
    """The lines inside some lines, in columns. A line that was not wrapped stays as it is."""

    texts: list[str]
    is_wrapped: list[bool]
    is_part: list[bool]
    """Whether the line continues on the next one of its output."""
    outputs: list[str]
    """Which of several interleaved outputs wrote the line; empty if it was not wrapped."""
    describe: Callable[[int], Fields]
    """What the runtime says about the line at an index."""
    places: Sequence[int]
    """Where the line, or the last part of it, stood among those that were unwrapped."""

    def find_ends(self) -> list[bool]:
        """Return for each line whether no line of any output is incomplete after it.

        A line that was not wrapped belongs to the output of the line before it.
        """
        ends: list[bool] = []
        incomplete: set[str] = set()
        last = ""
        for output, is_part in zip(self.outputs, self.is_part, strict=True):
            last = output or last
            (incomplete.add if is_part else incomplete.discard)(last)
            ends.append(not incomplete)
        return ends


Unwrap = Callable[[list[str]], Unwrapped]


class Envelope(NamedTuple):
    """A kind of wrapped lines. `begins` matches what precedes the line inside."""

    name: str
    begins: str
    open: Unwrap
    has_parts: bool = True
    """Whether a long line may be split into several."""


def open_cri(lines: list[str]) -> Unwrapped:
    rows = [
        match.groups() if (match := CRI.fullmatch(line)) else ("", "", "", line) for line in lines
    ]

    def describe(place: int) -> Fields:
        timestamp, stream, flag, _ = rows[place]
        return {"timestamp": timestamp, "stream": stream} if flag else {}

    return Unwrapped(
        texts=[row[3] for row in rows],
        is_wrapped=[row[2] != "" for row in rows],
        is_part=[row[2] == "P" for row in rows],
        outputs=[row[1] for row in rows],
        describe=describe,
        places=range(len(lines)),
    )


def open_docker(lines: list[str]) -> Unwrapped:
    found = decode_docker(lines)

    def describe(place: int) -> Fields:
        row = found[place]
        if row is None:
            return {}
        fields: Fields = {"timestamp": row.time, "stream": row.stream}
        return fields | {"attrs": row.attrs} if row.attrs else fields

    return Unwrapped(
        texts=[
            row.log.rstrip("\r\n") if row else line for row, line in zip(found, lines, strict=True)
        ],
        is_wrapped=[row is not None for row in found],
        is_part=[row is not None and not row.log.endswith("\n") for row in found],
        outputs=[row.stream if row else "" for row in found],
        describe=describe,
        places=range(len(lines)),
    )


def decode_docker(lines: list[str]) -> list[DockerLine | None]:
    """Return all lines at once, or one by one if some are something else."""
    try:
        found = DOCKER.decode_lines("\n".join(lines))
    except msgspec.MsgspecError:
        found = []
    return [*found] if len(found) == len(lines) else list(map(decode_docker_line, lines))


def decode_docker_line(line: str) -> DockerLine | None:
    try:
        return DOCKER.decode(line)
    except msgspec.MsgspecError:
        return None


def open_compose(lines: list[str]) -> Unwrapped:
    found = [COMPOSE.fullmatch(line) for line in lines]

    def describe(place: int) -> Fields:
        match = found[place]
        return {"container": match[1]} if match else {}

    return Unwrapped(
        texts=[match[2] if match else line for match, line in zip(found, lines, strict=True)],
        is_wrapped=[match is not None for match in found],
        is_part=[False] * len(lines),
        outputs=[match[1] if match else "" for match in found],
        describe=describe,
        places=range(len(lines)),
    )


ENVELOPES = (
    Envelope("cri", r"\S+ (?:stdout|stderr) [PF](?::\S+)? ?", open_cri),
    Envelope("docker", r'\{(?:[^\n]*,)?\s*"log"\s*:\s*"(?:\\u001b\[[0-9;]*m)*', open_docker),
    Envelope("compose", r"[\w./-]+ +\| ?", open_compose, has_parts=False),
)

"""Lines that a container runtime wrapped around the lines of a program; all kinds are in ENVELOPES.

The lines inside are read as if they came by themselves: a stack trace of which every line is wrapped is one
event. The time of the wrapping is that of the event, for it has a zone.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from logboom.formats.auto.logs import choose_log
from logboom.formats.auto.probes import PROBES
from logboom.formats.auto.reading import Parse, Reading
from logboom.formats.auto.shred import merge, shred
from logboom.formats.logfmt import parse_event as parse_logfmt

Fields = dict[str, Any]
ENOUGH_WRAPPED = 0.9
ENOUGH_PAIRS = 0.5
CRI = re.compile(
    r"(?P<timestamp>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) (?P<stream>stdout|stderr) (?P<flag>[PF])(?::\S+)? ?"
)
COMPOSE = re.compile(r"(?P<container>[\w./-]+) +\| ?")
TRACE = re.compile(r'\s+at \S|  File "')
"""Lines of stack traces, in programs that write no times."""


class DockerLine(msgspec.Struct, forbid_unknown_fields=True):
    """A line of the driver json-file."""

    log: str
    stream: str
    time: str
    attrs: dict[str, str] = {}


DOCKER = msgspec.json.Decoder(DockerLine)


class Wrapped(NamedTuple):
    """What was said of a line, the line, and whether the next one is the rest of it."""

    fields: Fields
    text: str
    is_partial: bool = False


class Envelope(NamedTuple):
    """`begins` matches what stands before the line inside."""

    name: str
    begins: str
    open: Callable[[str], Wrapped | None]


def open_cri(line: str) -> Wrapped | None:
    found = CRI.match(line)
    if found is None:
        return None
    fields = {"timestamp": found["timestamp"], "stream": found["stream"]}
    return Wrapped(fields, line[found.end() :], found["flag"] == "P")


def open_docker(line: str) -> Wrapped | None:
    try:
        found = DOCKER.decode(line)
    except msgspec.MsgspecError:
        return None
    fields: Fields = {"timestamp": found.time, "stream": found.stream}
    if found.attrs:
        fields["attrs"] = found.attrs
    return Wrapped(fields, found.log.rstrip("\r\n"), not found.log.endswith("\n"))


def open_compose(line: str) -> Wrapped | None:
    found = COMPOSE.match(line)
    return Wrapped({"container": found["container"]}, line[found.end() :]) if found else None


ENVELOPES = (
    Envelope("cri", r"\S+ (?:stdout|stderr) [PF](?::\S+)? ?", open_cri),
    Envelope("docker", r'\{"log":"(?:\\u001b\[[0-9;]*m)*', open_docker),
    Envelope("compose", r"[\w./-]+ +\| ?", open_compose),
)


def try_envelopes(lines: list[str], now_ns: int) -> Reading | None:
    """The reading of lines that are nearly all wrapped in the same way."""
    for envelope in ENVELOPES:
        wrapped = [found for line in lines if (found := envelope.open(line)) is not None]
        share = len(wrapped) / len(lines)
        if share >= ENOUGH_WRAPPED:
            return read_inside(envelope, wrapped, share, now_ns)
    return None


def read_inside(
    envelope: Envelope, wrapped: list[Wrapped], share: float, now_ns: int
) -> Reading | None:
    lines = [line for line in join_partial(wrapped) if line.strip()]
    inner = choose_inside(lines, now_ns) if lines else plain_reading(lines)
    if envelope.name == "compose" and inner.name == "text" and not is_compose(wrapped):
        return None
    name = envelope.name if inner.name == "text" else f"{envelope.name}+{inner.name}"
    begins = f"{envelope.begins}(?:{inner.begins})" if inner.begins else ""
    parse = unwrap(envelope, inner.parse)
    is_partial = make_partial(envelope)
    return Reading(name, share * inner.confidence, parse, begins, is_partial)


def is_compose(wrapped: list[Wrapped]) -> bool:
    """Whether it is output of containers, and no table with pipes: those have pipes further on too."""
    return len(wrapped) > 1 and not any("|" in line.text for line in wrapped)


def choose_inside(lines: list[str], now_ns: int) -> Reading:
    if PROBES["ndjson"](lines) >= ENOUGH_PAIRS:
        return Reading("json", 1.0, lambda _text: None)
    reading = choose_log(lines, now_ns)
    if reading is not None:
        return reading
    share = PROBES["logfmt"](lines)
    if share >= ENOUGH_PAIRS:
        return Reading("logfmt", share, parse_logfmt)
    return plain_reading(lines)


def plain_reading(lines: list[str]) -> Reading:
    """Messages; indented lines belong to the one before where there are stack traces."""
    begins = r"\S" if any(map(TRACE.match, lines)) else ""
    return Reading("text", 1.0, lambda _text: None, begins)


def join_partial(wrapped: list[Wrapped]) -> list[str]:
    """The lines inside, each whole."""
    lines: list[str] = []
    is_partial = False
    for line in wrapped:
        if is_partial:
            lines[-1] += line.text
        else:
            lines.append(line.text)
        is_partial = line.is_partial
    return lines


def make_partial(envelope: Envelope) -> Callable[[str], bool] | None:
    """Whether a line is only a part of the one inside; None when there are no such lines."""
    if envelope.name == "compose":
        return None

    def is_partial(record: str) -> bool:
        found = envelope.open(record.rpartition("\n")[2])
        return found is not None and found.is_partial

    return is_partial


def unwrap(envelope: Envelope, parse: Parse) -> Parse:
    def parse_wrapped(record: str) -> Fields | None:
        wrapped = [envelope.open(line) or Wrapped({}, line) for line in record.split("\n") if line]
        text = "\n".join(join_partial(wrapped))
        inner = parse(text) or {"message": text}
        return merge(wrapped[0].fields, shred(inner)) if wrapped else None

    return parse_wrapped

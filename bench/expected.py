"""What the queries must answer, counted from the events themselves in one pass."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from bench.dataset import Dataset
from bench.load import BATCH

REGEX = r"finished: \d+ rows"
WORD = "session"
HOUR_CHARACTERS = len("2026-03-02T00")


class Http(msgspec.Struct):
    status: int
    duration_ms: float
    client_ip: str


class Event(msgspec.Struct):
    """What the checks need of a `mixed` event."""

    service: str
    timestamp: str | None = None
    ts: str | None = None
    level: str | None = None
    message: str | None = None
    msg: str | None = None
    trace_id: str | None = None
    http: Http | None = None

    @property
    def time(self) -> str:
        return self.timestamp or self.ts or ""

    @property
    def text(self) -> str:
        return self.message or self.msg or ""


@dataclass
class Expected:
    """The right answers."""

    events: int = 0
    by_service: Counter[str] = field(default_factory=Counter)
    durations: defaultdict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    addresses: Counter[str] = field(default_factory=Counter)
    traces: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    rare_times: list[str] = field(default_factory=list)
    errors_by_hour: Counter[str] = field(default_factory=Counter)
    word: int = 0
    regex: int = 0

    @property
    def without_request(self) -> int:
        """Events that have no status, no duration and no address."""
        return self.events - sum(map(len, self.durations.values()))


def count_expected(dataset: Dataset) -> Expected:
    expected = Expected()
    decoder = msgspec.json.Decoder(Event)
    expression = re.compile(REGEX)
    for body in dataset.bodies(BATCH):
        for event in decoder.decode_lines(body):
            expected.events += 1
            expected.by_service[event.service] += 1
            expected.times.append(event.time)
            expected.word += WORD in event.text.lower()
            expected.regex += expression.search(event.text) is not None
            if event.level == "error":
                expected.errors_by_hour[event.time[:HOUR_CHARACTERS]] += 1
            if event.trace_id:
                expected.traces.append(event.trace_id)
            if event.http:
                count_request(expected, event.http, event.time)
    return expected


def count_request(expected: Expected, http: Http, time: str) -> None:
    expected.durations[http.status].append(http.duration_ms)
    expected.addresses[http.client_ip] += 1
    if http.status == 503:
        expected.rare_times.append(time)


def parse_time(text: str) -> datetime:
    return datetime.fromisoformat(text)

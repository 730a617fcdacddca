"""The ledger of acknowledged events: what was sent and acknowledged, compared with the store.

Every event is a function of (run, batch, place), so the ledger keeps only counts and outcomes and still
knows each event to the byte. After any disaster: acked ⊆ found ⊆ sent, refused batches are nowhere,
nothing is there twice, nothing has changed, and no batch is there in part.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from threading import Lock
from typing import Any

import httpx

from logboom.base.clock import NS_PER_DAY, NS_PER_S, format_time

FIRST_TIME_NS = 1_767_225_600 * NS_PER_S
DAYS = 3
SHOWN = 5


class Outcome(Enum):
    """What the sender knows about a batch."""

    UNKNOWN = "unknown"
    ACKED = "acked"
    REFUSED = "refused"


@dataclass
class Batch:
    """The events of one request; `padding_bytes` of text that does not compress in each."""

    run: str
    cycle: int
    number: int
    count: int
    key: str = ""
    padding_bytes: int = 0
    outcome: Outcome = Outcome.UNKNOWN

    def make_event(self, place: int) -> dict[str, Any]:
        """Return the event at `place`, always the same one."""
        digest = hashlib.blake2b(f"{self.run}/{self.number}/{place}".encode()).digest()
        time_ns = FIRST_TIME_NS + int.from_bytes(digest[:8]) % (DAYS * NS_PER_DAY)
        padding = hashlib.shake_128(digest).hexdigest(self.padding_bytes // 2)
        return {
            "timestamp": format_time(time_ns),
            "message": f"event {place} of batch {self.number} {digest[8:16].hex()}{padding}",
            "run": self.run,
            "cycle": self.cycle,
            "batch": self.number,
            "place": place,
            "http": {"status": 200 + digest[16], "took_ms": digest[17] + 0.5},
            "tags": [f"tag{digest[18] % 8}", f"tag{digest[19] % 8}"],
        }

    def make_row(self, place: int) -> dict[str, Any]:
        """Return the event at `place` as a search returns it, apart from the service's own fields."""
        event = self.make_event(place)
        http = event.pop("http")
        event["_time"] = event.pop("timestamp")
        return event | {f"http.{name}": value for name, value in http.items()}

    def encode_body(self) -> bytes:
        """Return the request body: one line an event."""
        lines = (json.dumps(self.make_event(place)) for place in range(self.count))
        return "".join(f"{line}\n" for line in lines).encode()


@dataclass
class Verdict:
    """How the store differs from the ledger, a line for each difference."""

    lost: list[str] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    unsent: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)
    altered: list[str] = field(default_factory=list)

    def assert_clean(self) -> None:
        findings = {name: found for name, found in vars(self).items() if found}
        text = "; ".join(
            f"{len(found)} {name}: {', '.join(found[:SHOWN])}" for name, found in findings.items()
        )
        assert not findings, text


class Ledger:
    """All batches of one run of a test; safe to use from many threads.

    New batches belong to the current `cycle`, which a test moves on when it likes.
    """

    def __init__(self, run: str) -> None:
        self.run = run
        self.cycle = 0
        self.batches: list[Batch] = []
        self.statuses: Counter[int] = Counter()
        self._lock = Lock()

    def make_batch(self, count: int, *, keyed: bool = False, padding_bytes: int = 0) -> Batch:
        """Enter a new batch; from now on it counts as sent, with an unknown outcome."""
        with self._lock:
            number = len(self.batches)
            key = f"{self.run}-{number}" if keyed else ""
            batch = Batch(self.run, self.cycle, number, count, key, padding_bytes)
            self.batches.append(batch)
        return batch

    def make_bulk(self) -> Batch:
        """Return a keyed batch of more bytes than the service holds in memory for one request."""
        return self.make_batch(40, keyed=True, padding_bytes=450_000)

    def record(self, batch: Batch, response: httpx.Response) -> None:
        """Record the service's answer, which must be one that a shipper can handle."""
        with self._lock:
            self.statuses[response.status_code] += 1
        if response.status_code == httpx.codes.OK:
            answer = response.json()
            assert (answer["ingested"], answer["errors"]) == (batch.count, 0), answer
            assert answer["write_errors"] == [], answer
            batch.outcome = Outcome.ACKED
        elif response.is_client_error:
            batch.outcome = Outcome.REFUSED
        else:
            assert response.status_code == httpx.codes.SERVICE_UNAVAILABLE, response.text
            assert "Retry-After" in response.headers, response.headers

    def unknown_with_key(self) -> list[Batch]:
        """Return the batches that a careful shipper would send again."""
        return [batch for batch in self.batches if batch.key and batch.outcome is Outcome.UNKNOWN]

    def judge(self, rows: Iterable[dict[str, Any]], cycle: int | None = None) -> Verdict:
        """Compare `rows` with all batches, or with those of one cycle."""
        verdict = Verdict()
        found: Counter[tuple[int, int]] = Counter()
        for row in rows:
            self._judge_row(row, found, verdict)
        verdict.duplicated.extend(
            f"{place} x {times}" for place, times in found.items() if times > 1
        )
        found_of_batch = Counter(number for number, _ in found)
        for batch in self.batches:
            if cycle is None or batch.cycle == cycle:
                _judge_batch(batch, found_of_batch[batch.number], verdict)
        return verdict

    def _judge_row(
        self, row: dict[str, Any], found: Counter[tuple[int, int]], verdict: Verdict
    ) -> None:
        number, place = row.get("batch", -1), row.get("place", -1)
        if not (0 <= number < len(self.batches) and 0 <= place < self.batches[number].count):
            verdict.unsent.append(str(row))
            return
        found[number, place] += 1
        own = {name: value for name, value in row.items() if name == "_time" or name[0] != "_"}
        if own != self.batches[number].make_row(place):
            verdict.altered.append(f"{row} for {self.batches[number].make_row(place)}")


def _judge_batch(batch: Batch, found: int, verdict: Verdict) -> None:
    """Compare what was found of one batch with its outcome."""
    text = f"batch {batch.number} of cycle {batch.cycle}: {found} of {batch.count}"
    if batch.outcome is Outcome.REFUSED and found:
        verdict.refused.append(text)
    elif batch.outcome is Outcome.ACKED and found < batch.count:
        verdict.lost.append(text)
    elif 0 < found < batch.count:
        verdict.torn.append(text)

"""What shippers must survive: many lines at once, an outage, and a full writer queue."""

import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from tests.clients.documented import Place
from tests.clients.running_daemons import Feed
from tests.running import RunningService
from tests.sources.syslog_bed import Bed

PHASES = {"at-once": 5_000, "after-outage": 500, "full-queue": 500}
"""How many lines are sent in each."""
OUTAGE_S = 3.0
"""Long enough for every shipper to try in vain."""
DELIVERED_WITHIN_S = 40.0
ASKED_EVERY_S = 0.5
REPAIRED_WITHIN_S = 20
PAGE_ROWS = 10_000
MARK = re.compile(r"([\w-]+)/([\w-]+)/(\d+)")

Delivered = Counter[tuple[str, str, int]]
"""How often a line was stored, by shipper, phase and number."""


class Campaign:
    """A service and a syslog listener."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.service = RunningService(folder / "service")
        self.service.start()
        self.service.control.settings.patch({"ingest": {"push_protobuf": True}})
        self._bed = Bed(self.service.store, self.service.control)
        self._bed.switch_on()
        self._syslog_port = self._bed.port
        self._sent = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def make_place(self, name: str) -> Place:
        folder = self._folder / name
        folder.mkdir()
        _, token = self.service.control.tokens.create(name, "default", ("app",))
        return Place(folder, self.service.port, self._syslog_port, token)

    def stop(self) -> None:
        self._bed.close()
        self.service.stop()

    def start(self) -> None:
        self.service.start()
        self._bed = Bed(self.service.store, self.service.control)

    def send_at_once(self, feeds: dict[str, Feed]) -> None:
        self._send(feeds, "at-once")
        self.await_events()

    def send_in_an_outage(self, feeds: dict[str, Feed]) -> None:
        self.stop()
        self._send(feeds, "after-outage")
        time.sleep(OUTAGE_S)
        self.start()
        self.await_events()

    def send_with_a_full_queue(self, feeds: dict[str, Feed], repairs: list[str]) -> None:
        """Send with a full writer queue; `repairs` are commands that resend what a shipper set aside."""
        with self.service.hold_queue():
            self._send(feeds, "full-queue")
            time.sleep(OUTAGE_S)
        for command in repairs:
            subprocess.run(["bash", "-c", command], check=True, timeout=REPAIRED_WITHIN_S)
        self.await_events()

    def _send(self, feeds: dict[str, Feed], phase: str) -> None:
        for name, feed in feeds.items():
            feed([f"{name}/{phase}/{number}" for number in range(PHASES[phase])])
            self._sent += PHASES[phase]

    def await_events(self) -> None:
        """Wait until there are as many events as lines were sent, or until a timeout."""
        deadline = time.monotonic() + DELIVERED_WITHIN_S
        while self._count() < self._sent and time.monotonic() < deadline:
            time.sleep(ASKED_EVERY_S)

    def _count(self) -> int:
        self.service.flush()
        return self.service.count(env="default")

    def list_delivered(self) -> Delivered:
        self.service.flush()
        pages = self.service.list_pages(env="default", limit=PAGE_ROWS)
        return Counter(mark for page in pages for row in page for mark in find_marks(str(row)))


def find_marks(text: str) -> Iterator[tuple[str, str, int]]:
    for name, phase, number in MARK.findall(text):
        if phase in PHASES:
            yield name, phase, int(number)

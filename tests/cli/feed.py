"""Keeps sending events while a tail is tested."""

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.running import RunningService, encode_lines


def keep(service: RunningService, env: str, *numbers: int) -> None:
    """Store a block of numbered events, whose messages contain terminal sequences and fake a line."""
    events = [
        {"timestamp": 1_700_000_000 + n, "level": "warn", "message": f"a\x1b[2Jb\n{n}", "n": n}
        for n in numbers
    ]
    service.keep(encode_lines(events), {"env": env})


@contextmanager
def fed(service: RunningService, env: str) -> Iterator[None]:
    """Send events numbered from 0, one after the other, while the context lasts."""
    enough = threading.Event()

    def feed() -> None:
        for number in itertools.count():
            keep(service, env, number)
            if enough.wait(0.01):
                return

    thread = threading.Thread(target=feed)
    thread.start()
    try:
        yield
    finally:
        enough.set()
        thread.join()

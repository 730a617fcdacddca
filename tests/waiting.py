"""Waiting for what happens in another thread or process."""

import time
from collections.abc import Callable

PAUSE_S = 0.01
PATIENCE_S = 120.0
"""Generous: what never happens fails the test, and how long the rest takes depends on the machine."""


def poll_until(condition: Callable[[], object], what: str) -> None:
    """Poll `condition` until it holds; raise AssertionError that names `what` if it never does."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"waited {PATIENCE_S} s in vain for: {what}"
        time.sleep(PAUSE_S)

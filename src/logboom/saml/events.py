"""Refused sign-ins in the self-log: each is an event, but a flood of them is only counted."""

import logging
import threading
from collections import Counter

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.ids import make_ulid
from logboom.saml.reasons import REASONS, Refused

log = logging.getLogger("logboom.saml")

PAUSE_NS = 60 * NS_PER_S
MOST_EVENTS = 100
"""Events per period; more are counted by reason and logged when it is over."""


class RefusalLog:
    """Logs events named after their reasons. Thread-safe."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._begun_ns = 0
        self._written = 0
        self._counted: Counter[str] = Counter()

    def note(self, refusal: Refused, address: str, identity: str = "") -> str:
        """Log one; return a reference that the user can be shown."""
        self.flush()
        reference = make_ulid(self._clock())
        with self._lock:
            self._written += 1
            if self._written > MOST_EVENTS:
                self._counted[refusal.reason] += 1
                return reference
        fields = {
            "event": refusal.reason,
            "reason": REASONS[refusal.reason],
            "detail": refusal.detail,
            "identity": identity,
            "address": address,
            "reference": reference,
        }
        log.warning(refusal.reason, extra=fields)
        return reference

    def flush(self) -> None:
        """Start a new period when due, and log what was only counted."""
        with self._lock:
            now_ns = self._clock()
            if 0 <= now_ns - self._begun_ns < PAUSE_NS:
                return
            counted, self._counted = self._counted, Counter()
            self._begun_ns, self._written = now_ns, 0
        for reason, count in counted.items():
            log.warning(reason, extra={"event": reason, "reason": REASONS[reason], "more": count})

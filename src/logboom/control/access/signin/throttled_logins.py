"""Audits throttled sign-ins with a few events, however many there were."""

import threading
from collections import Counter

from logboom.base.clock import NS_PER_S, Clock
from logboom.control.access.audit import Audit
from logboom.control.access.principal import ANONYMOUS

PAUSE_NS = 60 * NS_PER_S
MOST_PLACES = 10

ELSEWHERE = ("", "")


class ThrottledLogins:
    """Counts them by account and address. The first is recorded at once, later ones once a minute.

    Beyond `MOST_PLACES` pairs of account and address in that time, the rest become one event without either.
    """

    def __init__(self, audit: Audit, clock: Clock) -> None:
        self._audit = audit
        self._clock = clock
        self._lock = threading.Lock()
        self._tries: Counter[tuple[str, str]] = Counter()
        self._written_ns = -PAUSE_NS

    def note(self, account: str, address: str) -> None:
        place = (account, address)
        with self._lock:
            has_room = place in self._tries or len(self._tries) < MOST_PLACES
            self._tries[place if has_room else ELSEWHERE] += 1
        self.flush()

    def flush(self) -> None:
        """Record what was counted, once a minute."""
        with self._lock:
            now_ns = self._clock()
            # Also if the clock was set back since.
            if not self._tries or 0 <= now_ns - self._written_ns < PAUSE_NS:
                return
            tries, self._tries = self._tries, Counter()
            self._written_ns = now_ns
        for (account, address), count in tries.items():
            self._audit.record(
                "login_throttled", ANONYMOUS, account, "refused", address=address, tries=count
            )

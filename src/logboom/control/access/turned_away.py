"""Sign-ins that were not even tried, in the audit trail: few events, however many there were."""

import threading
from collections import Counter

from logboom.base.clock import NS_PER_S, Clock
from logboom.control.access.audit import Audit
from logboom.control.access.principal import ANONYMOUS

PAUSE_NS = 60 * NS_PER_S
MOST_PLACES = 10

ELSEWHERE = ("", "")


class TurnedAway:
    """Counts them by account and address; the first is written at once, later ones once a minute.

    What comes from more places than `MOST_PLACES` in that time is one event without either.
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
        """Write down what was counted, if it is time."""
        with self._lock:
            now_ns = self._clock()
            # Due too when the clock was set back since.
            if not self._tries or 0 <= now_ns - self._written_ns < PAUSE_NS:
                return
            tries, self._tries = self._tries, Counter()
            self._written_ns = now_ns
        for (account, address), count in tries.items():
            self._audit.record(
                "login_throttled", ANONYMOUS, account, "refused", address=address, tries=count
            )

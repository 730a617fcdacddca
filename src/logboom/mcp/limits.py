"""What a key may use up in a minute: calls, rows, bytes of answers, and seconds of work."""

import threading
from collections import OrderedDict

from msgspec import field

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.errors import Overloaded
from logboom.base.structs import InternalStruct, MutableStruct

PERIOD_S = 60
MOST_KEYS = 1_000
"""Keys whose use is remembered; whoever was not seen for the longest time is forgotten first."""


class Allowance(InternalStruct, frozen=True):
    """What one key may use within a minute. A call may on average use so much of everything else."""

    calls: int = 120

    @property
    def rows(self) -> int:
        return self.calls * 200

    @property
    def bytes(self) -> int:
        return self.calls * 8_000

    @property
    def seconds(self) -> int:
        return self.calls


class Usage(MutableStruct):
    """What a key has used since the minute began."""

    began_ns: int
    calls: int = 0
    rows: int = 0
    bytes: int = 0
    seconds: float = 0.0


class Budget(MutableStruct):
    """The usage of all keys on this node. Thread-safe."""

    allowance: Allowance
    clock: Clock
    _used: OrderedDict[str, Usage] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take_call(self, key_id: str) -> None:
        """Count a call; raise Overloaded if the key has exceeded a limit."""
        with self._lock:
            usage = self._find(key_id)
            for noun in ("calls", "rows", "bytes", "seconds"):
                most = getattr(self.allowance, noun)
                if getattr(usage, noun) >= most:
                    raise self._refuse(usage, f"{most} {noun}")
            usage.calls += 1

    def charge(self, key_id: str, rows: int, size_bytes: int, seconds: float) -> None:
        """Add what a call has used."""
        with self._lock:
            usage = self._find(key_id)
            usage.rows += rows
            usage.bytes += size_bytes
            usage.seconds += seconds

    def _find(self, key_id: str) -> Usage:
        now_ns = self.clock()
        usage = self._used.get(key_id)
        if usage is None or not 0 <= now_ns - usage.began_ns < PERIOD_S * NS_PER_S:
            usage = self._used[key_id] = Usage(now_ns)
        self._used.move_to_end(key_id)
        while len(self._used) > MOST_KEYS:
            self._used.popitem(last=False)
        return usage

    def _refuse(self, usage: Usage, what: str) -> Overloaded:
        wait_s = PERIOD_S - (self.clock() - usage.began_ns) // NS_PER_S
        return Overloaded(
            f"this key has used up its {what} of this minute, try again in {wait_s} s",
            retry_after_s=wait_s,
        )

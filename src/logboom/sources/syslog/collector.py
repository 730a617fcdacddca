"""Collects messages into batches of JSON lines and stores them, several at once if there is room."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, partial

import msgspec
from prometheus_client import Counter

from logboom.base.clock import Clock
from logboom.base.errors import Unavailable
from logboom.base.process.offload import Offload
from logboom.formats.gelf import Members, read_json_message
from logboom.formats.reader import ENCODER
from logboom.formats.syslog import parse_message
from logboom.ingest.sink import INLINE_BYTES, Delivery, Sink, give
from logboom.model.batch import Lines, Target
from logboom.model.names import fold_name
from logboom.sources.syslog.framing import Message

log = logging.getLogger(__name__)

BATCH = 1_000
BATCH_BYTES = 4 * 1024 * 1024
GATHER_S = 0.05
IN_FLIGHT = 4
QUEUE_BYTES = 64 * 1024 * 1024
"""Above this, as counted by `measure`, there is no room."""
MESSAGE_BYTES = 256
"""Memory of a message beside its text."""
FIRST_RETRY_S = 0.5
LAST_RETRY_S = 5.0
HOST_NAMES = frozenset(("host", "hostname"))
HOSTNAME = b'"hostname":'
"""In a line of JSON this is always a member: quotes inside text are escaped."""

dropped_messages = Counter(
    "logboom_syslog_dropped_messages", "Syslog messages that were received and not stored"
)


class Collector:
    """Collects messages briefly, then delivers them, a few batches at once.

    What cannot be stored yet waits here and is retried. `hold` is called when too much waits, and when there is room
    again. Runs on the event loop.
    """

    def __init__(
        self, sink: Sink, offload: Offload, clock: Clock, hold: Callable[[bool], None]
    ) -> None:
        self.target = Target()
        self._sink = sink
        self._offload = offload
        self._clock = clock
        self._hold = hold
        self.is_held = False
        self._waiting: list[Message] = []
        self._waiting_bytes = 0
        self._held_bytes = 0
        """Of the waiting messages and those being delivered."""
        self._gathering: asyncio.TimerHandle | None = None
        self._slots = asyncio.Semaphore(IN_FLIGHT)
        self._deliveries: set[asyncio.Task[None]] = set()
        self._is_failing = False
        self._closing = asyncio.Event()

    def put(self, messages: Sequence[Message]) -> None:
        if not messages:
            return
        size_bytes = measure(messages)
        self._waiting += messages
        self._waiting_bytes += size_bytes
        self._held_bytes += size_bytes
        if self._held_bytes > QUEUE_BYTES and not self.is_held:
            self.is_held = True
            self._hold(True)
        if len(self._waiting) >= BATCH or self._waiting_bytes >= BATCH_BYTES:
            self._dispatch()
        elif self._gathering is None:
            self._gathering = asyncio.get_running_loop().call_later(GATHER_S, self._dispatch)

    def _dispatch(self) -> None:
        if self._gathering:
            self._gathering.cancel()
            self._gathering = None
        batch, self._waiting = self._waiting, []
        size_bytes, self._waiting_bytes = self._waiting_bytes, 0
        if batch:
            delivery = asyncio.ensure_future(self._deliver(batch, size_bytes))
            self._deliveries.add(delivery)
            delivery.add_done_callback(partial(self._conclude, len(batch), size_bytes))

    async def _deliver(self, batch: Sequence[Message], size_bytes: int) -> None:
        async with self._slots:
            if size_bytes <= INLINE_BYTES:
                data = encode_messages(batch, self._clock())
            else:
                data = await self._offload.run(encode_messages, batch, self._clock())
            retry_s = FIRST_RETRY_S
            while not await self._store(data):
                if self._closing.is_set():
                    dropped_messages.inc(len(batch))
                    return
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._closing.wait(), retry_s)
                retry_s = min(retry_s * 2, LAST_RETRY_S)

    async def _store(self, data: bytes) -> bool:
        """Store a batch; return whether everything that may be stored is stored."""
        try:
            receipt = await self._sink.ingest(Delivery(self.target), give(Lines(data)))
        except Unavailable as error:
            if not self._is_failing:
                log.warning("syslog messages are waiting", extra={"reason": error.message})
            self._is_failing = True
            return False
        self._is_failing = False
        dropped_messages.inc(len(receipt.refused))
        return True

    def _conclude(self, count: int, size_bytes: int, delivery: "asyncio.Task[None]") -> None:
        self._deliveries.remove(delivery)
        self._held_bytes -= size_bytes
        if self.is_held and self._held_bytes <= QUEUE_BYTES // 2:
            self.is_held = False
            self._hold(False)
        error = delivery.exception()
        if error:
            dropped_messages.inc(count)
            log.error("syslog messages lost", exc_info=error, extra={"messages": count})

    async def close(self) -> None:
        """Store what has been received; what cannot be stored now is dropped, and counted."""
        self._closing.set()
        self._dispatch()
        if self._deliveries:
            await asyncio.wait(self._deliveries)


@lru_cache(maxsize=4096)
def encode_tail(sender: str, has_hostname: bool, is_truncated: bool) -> bytes:
    """Return the last members of an event and its closing brace."""
    members = list_own(sender, is_truncated)
    if has_hostname:
        del members["hostname"]
    return b"," + ENCODER.encode(members)[1:]


@lru_cache(maxsize=4096)
def list_tail(sender: str) -> Members:
    """Return the members of `list_own` as texts."""
    return {name: msgspec.Raw(ENCODER.encode(value)) for name, value in list_own(sender).items()}


def list_own(sender: str, is_truncated: bool = False) -> dict[str, object]:
    """Return what the listener says about a message."""
    own: dict[str, object] = {"hostname": sender, "sender": sender}
    return own | {"truncated": True} if is_truncated else own


def encode_messages(messages: Sequence[Message], now_ns: int) -> bytes:
    """Return messages as lines of JSON; the sender is the host of messages that name none."""
    lines = []
    for data, sender, is_truncated in messages:
        is_object = data.startswith(b"{") and not is_truncated
        fields = read_json_message(data) if is_object else None
        if fields is None:
            line = parse_message(data, now_ns)
            lines.append(line[:-1] + encode_tail(sender, HOSTNAME in line, is_truncated))
        else:
            lines.append(encode_fields(fields, sender))
    return b"\n".join(lines)


def encode_fields(fields: Members, sender: str) -> bytes:
    """Return a message that is JSON, with what it does not say itself."""
    own = set(map(fold_name, fields))
    taken = own | HOST_NAMES if own & HOST_NAMES else own
    added = {name: value for name, value in list_tail(sender).items() if name not in taken}
    return ENCODER.encode(fields | added)


def measure(messages: Sequence[Message]) -> int:
    return sum([len(message.data) for message in messages]) + len(messages) * MESSAGE_BYTES

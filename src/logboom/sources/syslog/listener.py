"""The listener as the settings want it: on or off, where, and what becomes of its messages."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path

import msgspec
from prometheus_client import Counter, Gauge

from logboom.base.clock import Clock
from logboom.base.errors import Invalid, Unavailable
from logboom.base.offload import Offload
from logboom.control.control import Control
from logboom.control.settings import Settings, SyslogSettings, SyslogStatus
from logboom.formats.syslog import parse_message
from logboom.ingest.sink import INLINE_BYTES, Delivery, Pieces, Sink
from logboom.model.batch import Lines, Target
from logboom.sources.syslog.framing import Message
from logboom.sources.syslog.tcp import TcpReceiver
from logboom.sources.syslog.udp import UdpReceiver, open_udp
from logboom.web.listening import open_listener
from logboom.web.tls import Tls

log = logging.getLogger(__name__)

BATCH = 1_000
BATCH_BYTES = 4 * 1024 * 1024
GATHER_S = 0.05
IN_FLIGHT = 4
QUEUE_BYTES = 64 * 1024 * 1024
MESSAGE_BYTES = 256
"""What a message takes in memory beside its text."""
FIRST_RETRY_S = 0.5
LAST_RETRY_S = 5.0
SWITCH_S = 5.0
"""How long whoever changes the settings waits to see what became of it."""
HOSTNAME = b'"hostname":'
"""In a line of JSON this is a member and never text: quotes inside of text are escaped."""

received_messages = Counter(
    "logboom_syslog_received_messages", "Syslog messages received", ["transport"]
)
dropped_messages = Counter(
    "logboom_syslog_dropped_messages", "Syslog messages that were sent here and not stored"
)
listening = Gauge("logboom_syslog_listening", "Whether the syslog listener has its ports open")


class Collector:
    """Messages on their way into the store: gathered for a moment, then delivered, a few batches at once.

    What cannot be stored yet waits here and is tried again. `hold` is told when too much waits, and when
    there is room again. Lives on the event loop.
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
        """Of those that wait and those on their way."""
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
        """Whether all that may be stored is stored."""
        try:
            receipt = await self._sink.ingest(Delivery(self.target), one_piece(data))
        except Unavailable as error:
            if not self._is_failing:
                log.warning("syslog messages wait", extra={"reason": error.message})
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
        """Store what has come; what cannot be stored now is dropped, and counted."""
        self._closing.set()
        self._dispatch()
        if self._deliveries:
            await asyncio.wait(self._deliveries)


class SyslogListener:
    """Follows the settings: opens, closes and moves, and says in `LiveSettings.syslog_status` how it went."""

    def __init__(self, control: Control, sink: Sink, offload: Offload, clock: Clock) -> None:
        self._control = control
        self._offload = offload
        self._collector = Collector(sink, offload, clock, self._hold)
        self._switching = asyncio.Lock()
        self._is_closed = False
        self._place: SyslogSettings | None = None
        """Where it listens."""
        self._udp: UdpReceiver | None = None
        self._tcp: TcpReceiver | None = None
        self._tls: Tls | None = None

    async def start(self) -> None:
        """Follow the settings from now on, those of this moment included."""
        self._loop = asyncio.get_running_loop()
        self._control.settings.subscribe(self._follow_change)
        await self.follow()

    def _follow_change(self, _: Settings) -> None:
        """Called in the thread that changes the settings, never on the event loop."""
        if self._is_closed:
            return
        following = asyncio.run_coroutine_threadsafe(self.follow(), self._loop)
        with suppress(TimeoutError):
            following.result(SWITCH_S)

    async def follow(self) -> None:
        """Be as the settings say; to be called now and then, as what was missing may be there by now."""
        async with self._switching:
            wanted = self._control.settings.effective.syslog
            try:
                await self._switch(wanted)
            except (Invalid, Unavailable) as error:
                self._close_receivers()
                self._report(SyslogStatus("failed", error.message))

    async def _switch(self, wanted: SyslogSettings) -> None:
        if not wanted.enabled:
            self._close_receivers()
            self._report(SyslogStatus("off"))
            return
        self._control.environments.get(wanted.env)
        self._collector.target = Target(wanted.env, wanted.index, wanted.source or None)
        place = msgspec.structs.replace(wanted, env="", index="", source="")
        if place == self._place:
            await self._maintain()
            return
        self._close_receivers()
        await self._open_receivers(wanted)
        self._place = place
        self._report(SyslogStatus("listening"))

    async def _maintain(self) -> None:
        if self._tls:
            await self._offload.run(self._tls.reload)
        if self._tcp:
            self._tcp.finish_stalled()

    async def _open_receivers(self, wanted: SyslogSettings) -> None:
        host, limit_bytes = wanted.host, wanted.max_message_bytes
        if wanted.tls_cert:
            files = Path(wanted.tls_cert), Path(wanted.tls_key)
            self._tls = await self._offload.run(Tls, *files)
        datagrams = await self._offload.run(open_udp, host, wanted.udp_port)
        self._udp = UdpReceiver(datagrams, limit_bytes, self._take_datagrams)
        streams = await self._offload.run(open_listener, host, wanted.tcp_port)
        receiver = TcpReceiver(limit_bytes, wanted.max_connections, self._take)
        await receiver.listen(streams, self._tls.context if self._tls else None)
        self._tcp = receiver
        self._hold(self._collector.is_held)

    def _close_receivers(self) -> None:
        receivers = (self._udp, self._tcp)
        self._place = self._udp = self._tcp = self._tls = None
        for receiver in receivers:
            if receiver:
                receiver.close()

    def _take_datagrams(self, messages: list[Message], drops: int) -> None:
        received_messages.labels("udp").inc(len(messages))
        dropped_messages.inc(drops)
        self._collector.put(messages)

    def _take(self, messages: list[Message]) -> None:
        received_messages.labels("tcp").inc(len(messages))
        self._collector.put(messages)

    def _hold(self, is_held: bool) -> None:
        """Let senders wait, or go on. Datagrams gather in the kernel, which counts those it drops."""
        for receiver in (self._udp, self._tcp):
            if receiver:
                (receiver.pause if is_held else receiver.resume)()

    def _report(self, status: SyslogStatus) -> None:
        before, self._control.settings.syslog_status = self._control.settings.syslog_status, status
        listening.set(status.state == "listening")
        if status != before:
            level = logging.WARNING if status.error else logging.INFO
            log.log(level, "syslog listener", extra=msgspec.structs.asdict(status))

    async def close(self) -> None:
        """Stop receiving, and store what has come."""
        self._is_closed = True
        async with self._switching:
            self._close_receivers()
            self._report(SyslogStatus("off"))
        await self._collector.close()


@lru_cache(maxsize=4096)
def encode_tail(sender: str, has_hostname: bool, is_truncated: bool) -> bytes:
    """The last members of an event and its end."""
    members: dict[str, object] = {} if has_hostname else {"hostname": sender}
    members["sender"] = sender
    if is_truncated:
        members["truncated"] = True
    return b"," + msgspec.json.encode(members)[1:]


def encode_messages(messages: Sequence[Message], now_ns: int) -> bytes:
    """Messages as lines of JSON; who sent them is the host of those that name none."""
    lines = []
    for data, sender, is_truncated in messages:
        line = parse_message(data, now_ns)
        lines.append(line[:-1] + encode_tail(sender, HOSTNAME in line, is_truncated))
    return b"\n".join(lines)


def measure(messages: Sequence[Message]) -> int:
    return sum([len(message.data) for message in messages]) + len(messages) * MESSAGE_BYTES


async def one_piece(data: bytes) -> Pieces:
    yield Lines(data)

"""Opens and closes the listener as the settings say."""

import asyncio
import logging
from contextlib import suppress
from pathlib import Path

import msgspec
from prometheus_client import Counter, Gauge

from logboom.base.clock import Clock
from logboom.base.errors import Invalid, Unavailable
from logboom.base.process.offload import Offload
from logboom.control.control import Control
from logboom.control.registry.settings import Settings, SyslogSettings, SyslogStatus
from logboom.ingest.sink import Sink
from logboom.model.batch import Target
from logboom.sources.syslog.collector import Collector, dropped_messages
from logboom.sources.syslog.framing import Message
from logboom.sources.syslog.tcp import TcpReceiver
from logboom.sources.syslog.udp import UdpReceiver, open_udp
from logboom.web.server.listening import open_listener
from logboom.web.server.tls import Tls

log = logging.getLogger(__name__)

SWITCH_S = 5.0
"""How long a change of the settings waits for the result."""

received_messages = Counter(
    "logboom_syslog_received_messages", "Syslog messages received", ["transport"]
)
listening = Gauge("logboom_syslog_listening", "Whether the syslog listener has its ports open")


class SyslogListener:
    """Follows the settings: opens, closes and moves, and reports the result in `LiveSettings.syslog_status`."""

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
        """Follow the settings from now on, starting with the current ones."""
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
        """Apply the settings; call it regularly, because what was missing may be available later."""
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
        if self._udp:
            self._udp.drop_stalled()

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
        """Make senders wait, or continue. Datagrams queue in the kernel, which counts those it drops."""
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
        """Stop receiving, and store what has been received."""
        self._is_closed = True
        async with self._switching:
            self._close_receivers()
            self._report(SyslogStatus("off"))
        await self._collector.close()

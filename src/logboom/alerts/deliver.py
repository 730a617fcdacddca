"""Sends notifications: the node that holds the alert's lease retries until they are accepted or too old.

Pending notifications are part of the states of alerts. A state is saved before anything is sent, and the result
afterwards: if the process ends in between, the notification is sent again with the same key.
"""

import asyncio
import logging
import threading
from collections import Counter as Counts
from collections.abc import Iterator
from typing import NamedTuple

from prometheus_client import Counter, Gauge

from logboom.alerts.compose import make_notification
from logboom.alerts.sending.receipt import Receipt
from logboom.alerts.sending.sender import Sender
from logboom.base.clock import NS_PER_S, Clock
from logboom.base.errors import LogboomError
from logboom.base.process.offload import Offload
from logboom.base.structs import InternalStruct
from logboom.control.control import Control
from logboom.control.registry.leases import Leases
from logboom.control.saved.alert_states import AlertState, Episode, Send, SendId, SendStatus

log = logging.getLogger(__name__)

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 300.0
GIVE_UP_S = 86_400.0
OTHERS_WAIT_S = 5.0
"""How long to wait before checking again whether another node holds the lease."""
AT_ONCE = 2
"""Concurrent sends per channel, so that a channel that hangs does not delay others."""
PATIENCE_S = 5.0
"""How long shutdown waits for notifications being sent."""

deliveries = Counter(
    "logboom_alert_deliveries", "Attempts to notify a channel about an alert", ["kind", "outcome"]
)
deliveries_pending = Gauge(
    "logboom_alert_deliveries_pending", "Pending notifications of alerts, whichever node sends them"
)


class DelivererServices(InternalStruct, frozen=True):
    """What sending needs; the offload writes to the store."""

    control: Control
    sender: Sender
    offload: Offload
    clock: Clock


class Pending(NamedTuple):
    """A pending notification."""

    id: SendId
    episode: Episode
    send: Send


class Attempts(NamedTuple):
    """How many attempts failed, and when the next is due."""

    failures: int = 0
    due_ns: int = 0


class SendResult(NamedTuple):
    """The final result of a notification, to be saved."""

    status: SendStatus
    at_ns: int
    error: str = ""


class Deliverer:
    """Sends pending notifications. Runs on the event loop; call `follow` about every second."""

    def __init__(self, leases: Leases, services: DelivererServices) -> None:
        self._leases = leases
        self._services = services
        self._control = services.control
        self._holding = threading.Lock()
        self._running: dict[SendId, asyncio.Future[None]] = {}
        self._attempts: dict[SendId, Attempts] = {}
        self._outcomes: dict[SendId, SendResult] = {}
        """Results that could not be saved yet. As long as this process lives, they are not sent again."""

    async def follow(self) -> None:
        """Start sending what is due."""
        states = self._control.alert_states.list()
        pending = sorted(list_next(states), key=lambda each: each.send.at_ns)
        known = {each.id for each in pending}
        for send_id in self._attempts.keys() - known:
            del self._attempts[send_id]
        busy = Counts(send_id.channel for send_id in self._running)
        now_ns = self._services.clock()
        for each in pending:
            is_due = self._attempts.get(each.id, Attempts()).due_ns <= now_ns
            if is_due and each.id not in self._running and busy[each.id.channel] < AT_ONCE:
                busy[each.id.channel] += 1
                self._begin(each)
        deliveries_pending.set(count_pending(states))

    async def settle(self) -> None:
        """Wait for notifications being sent."""
        if self._running:
            await asyncio.wait(self._running.values())

    async def close(self) -> None:
        """Wait a little for notifications being sent; the rest is sent after the next start, or by another node."""
        if self._running:
            await asyncio.wait(self._running.values(), timeout=PATIENCE_S)
        for running in list(self._running.values()):
            running.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    def _begin(self, pending: Pending) -> None:
        running = asyncio.ensure_future(self._try(pending))
        self._running[pending.id] = running
        running.add_done_callback(lambda _: self._running.pop(pending.id))

    async def _try(self, pending: Pending) -> None:
        try:
            await self._deliver(pending)
        except LogboomError as error:
            self._put_off(pending.id, FIRST_WAIT_S)
            log.warning("sending is postponed", extra={"reason": error.message})
        except Exception:
            self._put_off(pending.id, LONGEST_WAIT_S)
            log.exception("sending failed", extra={"alert_id": pending.id.alert_id})

    async def _deliver(self, pending: Pending) -> None:
        run = self._services.offload.run
        if not await run(self._hold, pending.id.alert_id):
            self._put_off(pending.id, OTHERS_WAIT_S)
            return
        if not self._is_pending(pending.id):
            return
        outcome = self._outcomes.get(pending.id) or await self._send(pending)
        if outcome:
            self._outcomes[pending.id] = outcome
            await run(self._control.alert_states.note, pending.id, *outcome)
            del self._outcomes[pending.id]

    def _hold(self, alert_id: str) -> bool:
        """Return whether this node may send notifications of the alert."""
        # One after the other: notifications to several channels must not compete for the lease.
        with self._holding:
            if self._leases.keep(alert_id):
                return True
            if not self._leases.take(alert_id):
                return False
            self._control.alert_states.refresh()
            return True

    def _is_pending(self, send_id: SendId) -> bool:
        """Return whether it still has to be sent: another node may have done so before this one got the lease."""
        state = self._control.alert_states.find(send_id.alert_id)
        return state is not None and any(each.id == send_id for each in list_pending(state))

    async def _send(self, pending: Pending) -> SendResult | None:
        """Make one attempt; return the result, or None to try again."""
        now_ns, clock = self._services.clock(), self._services.clock
        channel = self._control.channels.find(pending.id.channel)
        if channel is None:
            return SendResult("failed", now_ns, "the channel was deleted")
        sender = self._services.sender
        notification = make_notification(
            pending.id.alert_id, pending.episode, pending.id.change, sender.base_url
        )
        receipt = await sender.send(channel, notification)
        deliveries.labels(channel.kind, "sent" if receipt.ok else "failed").inc()
        if receipt.ok:
            return SendResult("sent", clock())
        if clock() - pending.send.at_ns < GIVE_UP_S * NS_PER_S:
            await self._wait(pending, receipt)
            return None
        deliveries.labels(channel.kind, "given_up").inc()
        extra = {"channel": channel.name, "alert_id": pending.id.alert_id}
        log.warning("sending given up", extra={**extra, "reason": receipt.problem})
        return SendResult("failed", clock(), f"given up after a day; {receipt.problem}")

    async def _wait(self, pending: Pending, receipt: Receipt) -> None:
        """Retry later; the first failure is saved, so that all nodes can show what is wrong."""
        failures = self._attempts.get(pending.id, Attempts()).failures + 1
        wait_s = max(find_wait(failures), receipt.retry_after_s or 0.0)
        self._attempts[pending.id] = Attempts(failures, self._find_due(wait_s))
        if failures == 1:
            extra = {"channel": pending.send.name, "alert_id": pending.id.alert_id}
            log.warning("sending failed", extra={**extra, "reason": receipt.problem})
        if failures == 1 and not pending.send.error:
            note = self._control.alert_states.note
            at_ns = pending.send.at_ns
            await self._services.offload.run(note, pending.id, "pending", at_ns, receipt.problem)

    def _put_off(self, send_id: SendId, wait_s: float) -> None:
        failures = self._attempts.get(send_id, Attempts()).failures
        self._attempts[send_id] = Attempts(failures, self._find_due(wait_s))

    def _find_due(self, wait_s: float) -> int:
        return self._services.clock() + int(wait_s * NS_PER_S)


def find_wait(failures: int) -> float:
    """Return seconds until the next attempt after this many failures."""
    return float(min(FIRST_WAIT_S * 2 ** min(failures - 1, 20), LONGEST_WAIT_S))


def list_pending(state: AlertState) -> Iterator[Pending]:
    """Yield the pending notifications of an alert, in chronological order."""
    for episode in state.episodes:
        for send in episode.pending:
            send_id = SendId(state.id, episode.from_ns, send.channel, send.change)
            yield Pending(send_id, episode, send)


def list_next(states: tuple[AlertState, ...]) -> Iterator[Pending]:
    """Yield the first pending notification of each alert and channel, so that no end is sent before its start."""
    for state in states:
        firsts = dict[str, Pending]()
        for pending in list_pending(state):
            firsts.setdefault(pending.id.channel, pending)
        yield from firsts.values()


def count_pending(states: tuple[AlertState, ...]) -> int:
    return sum(len(episode.pending) for state in states for episode in state.episodes)

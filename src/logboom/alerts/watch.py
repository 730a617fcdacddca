"""Runs the checks of alerts when they are due, on the node that holds the lease."""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace
from prometheus_client import Gauge

from logboom.alerts.changes import CheckResult, adds_pending, advance, end, find_open
from logboom.alerts.check import Outcome, check, make_question
from logboom.alerts.sample import find_sample
from logboom.base.clock import NS_PER_S, Clock
from logboom.base.errors import Conflict, Forbidden, LogboomError, NotFound, Overloaded
from logboom.base.process.deadline import Deadline
from logboom.base.process.offload import Offload
from logboom.base.structs import InternalStruct
from logboom.control.access.principal import Principal
from logboom.control.control import Control
from logboom.control.registry.leases import Leases
from logboom.control.saved.alert_states import AlertState, Number, differs
from logboom.control.saved.alerts import Alert
from logboom.search.service import SearchService

log = logging.getLogger(__name__)

PUT_OFF_S = 5
"""How long until a check is retried for which the service was too busy."""

alerts_firing = Gauge("logboom_alerts_firing", "Alerts that fire, whichever node checks them")


class WatcherServices(InternalStruct, frozen=True):
    """What checks need; the offload has as many threads as checks may run at once."""

    control: Control
    search: SearchService
    offload: Offload
    clock: Clock


class NextCheck(NamedTuple):
    """When a revision of an alert is to be checked next."""

    revision: int
    time_ns: int


class LastCheck(NamedTuple):
    """The result of the last check on this node."""

    checked_ns: int
    state: AlertState


class AlertWatcher:
    """Runs the checks of alerts. Runs on the event loop; call `follow` about every second."""

    def __init__(self, leases: Leases, services: WatcherServices) -> None:
        self._leases = leases
        self._services = services
        self._control = services.control
        self._due: dict[str, NextCheck] = {}
        self._checks: dict[str, asyncio.Future[None]] = {}
        self._last_checks: dict[str, LastCheck] = {}
        self._stopping = Deadline()

    def find_last_check(self, alert: Alert) -> LastCheck | None:
        """Return the result of the last check on this node, if no other node has a newer one."""
        kept, last = self._control.alert_states.find_of(alert), self._last_checks.get(alert.id)
        if not kept or not last or last.state.revision != alert.revision:
            return None
        is_newest = (last.state.status, last.state.since_ns) == (kept.status, kept.since_ns)
        return last if is_newest else None

    async def follow(self) -> None:
        """Start the checks that are due, and end the states of alerts that no longer exist."""
        alerts = {alert.id: alert for alert in self._control.alerts.list() if alert.enabled}
        for alert_id in self._due.keys() - alerts.keys() - self._checks.keys():
            del self._due[alert_id]
            await self._leave(alert_id)
        for alert in alerts.values():
            due = self._due.get(alert.id)
            is_due = not due or due.revision != alert.revision or due.time_ns <= self._clock()
            if is_due and alert.id not in self._checks:
                self._begin(alert)
        states = self._control.alert_states
        if any(map(self._is_stale, states.list())):
            await self._services.offload.run(self._end_stale)
        alerts_firing.set(count_firing(states.list()))

    async def settle(self) -> None:
        """Wait for the checks that have begun."""
        if self._checks:
            await asyncio.wait(self._checks.values())

    async def close(self) -> None:
        """End the checks under way, and let other nodes take over."""
        self._stopping.set()
        await self.settle()
        await asyncio.gather(*map(self._leave, self._due))

    def _clock(self) -> int:
        return self._services.clock()

    def _begin(self, alert: Alert) -> None:
        self._set_due(alert, alert.every_secs)
        running = asyncio.ensure_future(self._try_check(alert))
        self._checks[alert.id] = running
        running.add_done_callback(lambda _: self._checks.pop(alert.id))

    def _set_due(self, alert: Alert, seconds: int) -> None:
        self._due[alert.id] = NextCheck(alert.revision, self._clock() + seconds * NS_PER_S)

    async def _try_check(self, alert: Alert) -> None:
        try:
            await self._services.offload.run(self._check, alert)
        except Overloaded:
            self._set_due(alert, min(PUT_OFF_S, alert.every_secs))
        except LogboomError as error:
            extra = {"alert": alert.name, "reason": error.message}
            log.warning("alert was not checked", extra=extra)
        except Exception:
            log.exception("check of an alert failed", extra={"alert": alert.name})

    def _check(self, alert: Alert) -> None:
        if self._stopping.is_set() or not self._hold(alert.id):
            self._last_checks.pop(alert.id, None)
            return
        time_ns = self._clock()
        outcome = self._ask(alert, time_ns)
        if not self._stopping.is_set() and self._leases.keep(alert.id):
            self._note(alert, outcome, time_ns)

    def _hold(self, alert_id: str) -> bool:
        """Return whether this node may check the alert now."""
        if self._leases.keep(alert_id):
            return True
        if not self._leases.take(alert_id):
            return False
        self._control.alert_states.refresh()
        return True

    def _ask(self, alert: Alert, time_ns: int) -> Outcome:
        rule = alert.rule
        try:
            return self._services.search.measure(
                find_asker(self._control, alert),
                make_question(rule),
                lambda meter: check(meter, rule, time_ns),
                self._stopping,
            )
        except Overloaded:
            raise
        except LogboomError as error:
            return Outcome(error=error.message)

    def _note(self, alert: Alert, outcome: Outcome, time_ns: int) -> None:
        """Save changes together with pending notifications, and only then log them."""
        states = self._control.alert_states
        before = states.find(alert.id)
        if before and before.revision > alert.revision:
            return
        last = self._last_checks.get(alert.id)
        found = CheckResult(outcome, time_ns, self._name_channels(alert), find_highest(alert, last))
        after = advance(alert, found, before)
        was = find_open(before.episodes) if before else None
        if adds_pending(was, find_open(after.episodes)):
            found = replace(found, sample=self._find_sample(alert, outcome, time_ns))
        if differs(before, after):
            before, after = states.change(alert.id, lambda newest: advance(alert, found, newest))
            log_change(before, after)
        self._last_checks[alert.id] = LastCheck(time_ns, after)

    def _name_channels(self, alert: Alert) -> dict[str, str]:
        found = filter(None, map(self._control.channels.find, alert.channels))
        return {channel.id: channel.name for channel in found}

    def _find_sample(
        self, alert: Alert, outcome: Outcome, time_ns: int
    ) -> tuple[dict[str, object], ...]:
        """Return some of the events or rows that made an alert fire."""
        asker = find_asker(self._control, alert)
        return find_sample(self._services.search, asker, alert.rule, outcome, time_ns)

    def _is_stale(self, state: AlertState) -> bool:
        alert = self._control.alerts.find(state.id)
        if state.is_over:
            return alert is None and not state.has_pending
        return alert is None or alert.revision > state.revision

    def _end_stale(self) -> None:
        """End the states of alerts that were deleted, changed or disabled."""
        # The states may be newer than this node's copy of the alerts.
        self._control.alerts.refresh()
        for state in filter(self._is_stale, self._control.alert_states.list()):
            # Another node may be faster, and has then logged it.
            with suppress(NotFound, Conflict):
                self._control.alert_states.end(state, self._find_left(state))
                log_change(state, None)

    def _find_left(self, state: AlertState) -> AlertState | None:
        """Return what is left of an ended state: pending notifications, and past firings if the alert still exists."""
        left = end(state, self._clock())
        is_gone = self._control.alerts.find(state.id) is None
        return None if is_gone and not left.has_pending else left

    async def _leave(self, alert_id: str) -> None:
        """Release the lease; if that fails, it expires by itself."""
        self._last_checks.pop(alert_id, None)
        try:
            await self._services.offload.run(self._leases.release, alert_id)
        except LogboomError as error:
            log.warning("lease stays", extra={"alert": alert_id, "reason": error.message})


def count_firing(states: Iterable[AlertState]) -> int:
    return sum(state.status == "firing" and not state.is_over for state in states)


def find_asker(control: Control, alert: Alert) -> Principal:
    """Return the owner as of now; an alert may read only what its owner may read."""
    owner = control.users.find(alert.owner_id)
    if owner is None:
        raise NotFound(f"the owner {alert.owner!r} is gone, expected one who may read")
    if not owner.enabled:
        raise Forbidden(f"the account of the owner {owner.username!r} is disabled")
    return Principal.of_user(owner)


def find_highest(alert: Alert, last: LastCheck | None) -> Number | None:
    """Return the most extreme value of the current firing, which not every check saves."""
    if last is None or last.state.revision != alert.revision:
        return None
    episode = find_open(last.state.episodes)
    return episode.highest if episode else None


def log_change(before: AlertState | None, after: AlertState | None) -> None:
    """Log in the self-log what has begun or ended with the new state."""
    if before and before.is_over:
        before = None
    if before and after and (before.revision, before.status) == (after.revision, after.status):
        return
    if before and before.status == "firing":
        log.info("alert ends", extra={"alert": before.name, "alert_id": before.id})
    if after and after.status == "firing":
        extra = {"alert": after.name, "alert_id": after.id, "value": after.value}
        log.info("alert fires", extra=extra)
    if after and after.status == "error":
        extra = {"alert": after.name, "alert_id": after.id, "reason": after.error}
        log.warning("alert cannot be asked", extra=extra)

"""Nodes that share a store and check alerts, with a clock that tests move."""

import asyncio
import logging
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.logged import list_said_by
from tests.running import JWT_SECRET, encode_lines
from tests.store.stores import HandClock, make_batch, make_store

from logboom.alerts.check import Outcome, check, make_question
from logboom.alerts.deliver import Deliverer, DelivererServices
from logboom.alerts.preview import Preview, list_times, preview
from logboom.alerts.sending.sender import Sender
from logboom.alerts.watch import AlertWatcher, WatcherServices
from logboom.base.clock import NS_PER_S
from logboom.base.process.deadline import Deadline
from logboom.base.process.offload import Offload
from logboom.base.stores.local import LocalObjects
from logboom.control.access.principal import Principal
from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role, User
from logboom.control.control import Control
from logboom.control.registry.leases import Leases
from logboom.control.saved.alert_states import AlertState
from logboom.control.saved.alerts import Alert, Rule
from logboom.engine.answers.engine import Engine
from logboom.engine.execution.gate import Gate
from logboom.engine.terms.limits import Limits
from logboom.search.scope import ControlResources
from logboom.search.service import SearchService

LEASE_S = 120.0
BASE_URL = "https://logs.example.org"
PASSWORD = "correct horse battery"
CACHE_BYTES = 1 << 20

Globs = tuple[str, ...]

ASKER = Principal("user", "a", "asker", frozenset({Scope.SEARCH}))
"""Who may read everything but what is the service's own."""


class Node:
    """A node of a shared store."""

    def __init__(self, root: Path, name: str, clock: HandClock, limits: Limits) -> None:
        self.clock = clock
        self._runner = asyncio.Runner()
        objects = LocalObjects(root / "shared")
        self.control = Control.open(objects, None, JWT_SECRET, clock)
        self.store = make_store(root / name, objects=objects, clock=clock)
        self.store.open()
        self._pool = ThreadPoolExecutor(2)
        self.gate = Gate(2, 0, 0.0)
        engine = Engine(self.store, self._pool, limits, self.gate, CACHE_BYTES)
        self.search = SearchService(engine, ControlResources(self.control), clock)
        self._offload = Offload(2, name)
        leases = Leases(objects, "alerts", self.store.node, LEASE_S, clock)
        self.watcher = AlertWatcher(
            leases, WatcherServices(self.control, self.search, self._offload, clock)
        )

        self._mail = Offload(2, "mail")
        sender = Sender(self._mail, BASE_URL, clock)
        self.deliverer = Deliverer(
            Leases(objects, "deliveries", self.store.node, LEASE_S, clock),
            DelivererServices(self.control, sender, self._offload, clock),
        )

    def deliver(self) -> None:
        """Refresh from the store, and try to send what is due."""
        self.control.refresh()
        self._runner.run(self._deliver())

    async def _deliver(self) -> None:
        await self.deliverer.follow()
        await self.deliverer.settle()

    def make_channel(self, url: str, name: str = "hook", **members: object) -> str:
        """Return the id of a new webhook."""
        return self.control.channels.create("webhook", {"name": name, "url": url, **members}).id

    def list_sends(self, alert: Alert) -> list[tuple[str, str]]:
        """Return the notifications of an alert: the change and the status of each."""
        state = self.control.alert_states.find(alert.id)
        episodes = state.episodes if state else ()
        return [(send.change, send.status) for each in episodes for send in each.sends]

    def follow(self) -> None:
        """Refresh from the store, and run the checks that are due."""
        self.store.refresh()
        self.control.refresh()
        self._runner.run(self._follow())

    async def _follow(self) -> None:
        await self.watcher.follow()
        await self.watcher.settle()

    def keep(
        self, *events: Mapping[str, Any], env: str = "default", index: str = "default"
    ) -> None:
        """Store events, by default with the present time, and make them searchable."""
        batch = make_batch(encode_lines(events), env=env, index=index, arrival_ns=self.clock())
        self.store.submit(batch).result()
        self.store.flush().result()

    def make_user(self, name: str, envs: Globs = ("*",), indexes: Globs = ("*",)) -> User:
        """Create a viewer, and an admin before the first one; return the user."""
        if self.control.first_run.is_required():
            self.control.setup("root", PASSWORD)
        return self.control.users.create(name, PASSWORD, Role.VIEWER, envs, indexes)

    def make_alert(self, owner: User, **members: object) -> Alert:
        given = {"name": "many errors", "query": "level:error", "threshold": 2.0, **members}
        asker = Principal.of_user(owner)
        return self.control.alerts.create(asker, given, lambda _before, after: after)

    def change(self, alert: Alert, **members: object) -> Alert:
        owner = Principal.of_user(self.control.users.get(alert.owner_id))
        return self.control.alerts.update(owner, alert.id, members, lambda _before, after: after)

    def find_state(self, alert: Alert) -> AlertState | None:
        newest = self.control.alerts.get(alert.id)
        seen = self.watcher.find_last_check(newest)
        return seen.state if seen else self.control.alert_states.find_of(newest)

    def find_status(self, alert: Alert) -> str:
        state = self.find_state(alert)
        return state.status if state else "new"

    def ask(self, rule: Rule, asker: Principal, time_ns: int) -> Outcome:
        """Run a live check at some time, and return its result."""
        return self.search.measure(
            asker, make_question(rule), lambda meter: check(meter, rule, time_ns)
        )

    def preview(
        self,
        rule: Rule,
        asker: Principal,
        since_s: int,
        every_secs: int = 60,
        cancelled: Deadline | None = None,
    ) -> Preview:
        """Preview the alert over this many seconds up to now."""
        now_ns = self.clock()
        times = list_times(now_ns - since_s * NS_PER_S, now_ns, every_secs)
        return self.search.measure(
            asker, make_question(rule), lambda meter: preview(meter, rule, times), cancelled
        )

    def close(self) -> None:
        self._runner.run(self.watcher.close())
        self._runner.run(self.deliverer.close())
        self._runner.close()
        self.store.close()
        self._pool.shutdown()
        self._offload.close()
        self._mail.close()


class Cluster:
    """Nodes by name, which share a clock."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.clock = HandClock()
        self.nodes: dict[str, Node] = {}

    def start(self, name: str = "one", limits: Limits | None = None) -> Node:
        self.nodes[name] = Node(self._root, name, self.clock, limits or Limits())
        return self.nodes[name]

    def stop(self, name: str = "one") -> None:
        self.nodes.pop(name).close()

    def wait(self, seconds: float) -> None:
        self.clock.time_ns += int(seconds * NS_PER_S)

    def close(self) -> None:
        for name in list(self.nodes):
            self.stop(name)


@contextmanager
def clustered(root: Path) -> Iterator[Cluster]:
    cluster = Cluster(root)
    try:
        yield cluster
    finally:
        cluster.close()


def make_rule(**members: object) -> Rule:
    given: dict[str, object] = {
        "query": "",
        "filters": (),
        "env": "default",
        "index": "*",
        "window_secs": 300,
        "column": "",
        "operator": "above",
        "threshold": 0.0,
    }
    return msgspec.convert({**given, **members}, Rule)


def list_said(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    """Return the logged messages with the names of their alerts."""
    records = list_said_by("logboom.alerts.watch", caplog)
    return [(each.message, each.alert) for each in records if each.levelno >= logging.INFO]

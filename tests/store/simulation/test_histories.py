"""Histories that nobody thought of: whatever happens in whatever order, nothing acknowledged is lost or doubled."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.store.simulation.objects import Trouble
from tests.store.simulation.world import Node, World

from logboom.base.clock import NS_PER_DAY
from logboom.store.catalog import upkeep
from logboom.store.flush.flusher import Flusher

MAX_NODES = 3
AGES = st.lists(st.integers(0, 40), min_size=1, max_size=4)
TROUBLES = st.lists(st.sampled_from(Trouble), min_size=1, max_size=6)
PAUSES_S = st.sampled_from([5, 60, 700, 4000, 86_400, 8 * 86_400])
CLOCK_ERRORS_DAYS = st.sampled_from([-400, -3, 0, 3, 400])
PHASES = [Phase.generate, Phase.shrink]
NUMBERS = st.integers(0, MAX_NODES - 1)


class Histories(RuleBasedStateMachine):
    """Every rule is one thing that happens to a node, or to all of them."""

    def __init__(self) -> None:
        super().__init__()
        self._patch = pytest.MonkeyPatch()
        # Flushes happen when a history says so.
        self._patch.setattr(Flusher, "start", lambda _flusher: None)
        # So that a node which sleeps for a few commits finds the log cleaned up behind it.
        self._patch.setattr(upkeep, "KEEP_COMMITS", 3)
        # No power is cut here; other tests do that.
        for call in ("fsync", "fdatasync"):
            self._patch.setattr(os, call, lambda _handle: None)
        self._root = tempfile.TemporaryDirectory()
        self.world = World(Path(self._root.name))

    def node(self, number: int) -> Node:
        return self.world.nodes[number % len(self.world.nodes)]

    @initialize()
    def begin(self) -> None:
        self.world.add_node()

    @precondition(lambda self: len(self.world.nodes) < MAX_NODES)
    @rule()
    def add_node(self) -> None:
        self.world.add_node()

    @precondition(lambda self: len(self.world.nodes) < MAX_NODES)
    @rule(number=NUMBERS)
    def copy_node(self, number: int) -> None:
        self.world.copy_node(self.node(number))

    @rule(number=NUMBERS, ages_days=AGES)
    def send(self, number: int, ages_days: list[int]) -> None:
        self.node(number).send(ages_days)

    @rule(number=NUMBERS, ages_days=AGES)
    def load(self, number: int, ages_days: list[int]) -> None:
        self.node(number).load(ages_days)

    @rule(
        number=NUMBERS,
        act=st.sampled_from(
            [
                Node.flush,
                Node.compact,
                Node.retain,
                Node.sweep,
                Node.checkpoint,
                Node.refresh,
                Node.kill,
            ]
        ),
    )
    def act(self, number: int, act: Callable[[Node], None]) -> None:
        act(self.node(number))

    @rule(number=NUMBERS, times=st.integers(1, 4), checkpoint=st.booleans())
    def work(self, number: int, times: int, checkpoint: bool) -> None:
        """A node is busy while the others sleep."""
        for _ in range(times):
            self.node(number).send([0])
            self.node(number).flush()
        if checkpoint:
            self.node(number).checkpoint()

    @rule(number=NUMBERS)
    def start(self, number: int) -> None:
        if self.node(number).store is None:
            self.node(number).start()

    @rule(number=NUMBERS, troubles=TROUBLES)
    def trouble(self, number: int, troubles: list[Trouble]) -> None:
        self.node(number).objects.ahead.extend(troubles)

    @rule(seconds=PAUSES_S)
    def go_on(self, seconds: int) -> None:
        self.world.go_on(seconds)

    @rule(number=NUMBERS, days=CLOCK_ERRORS_DAYS)
    def put_clock_wrong(self, number: int, days: int) -> None:
        self.node(number).clock_error_ns = days * NS_PER_DAY

    @rule(number=st.integers(0, 9))
    def remove_from_outside(self, number: int) -> None:
        blocks = list(self.world.read_snapshot().list_blocks())
        if blocks:
            path = blocks[number % len(blocks)].path
            self.world.commit_foreign({"remove": {"path": path, "dataChange": True}})

    @rule()
    def add_from_outside(self) -> None:
        add = {"path": "forged.parquet", "partitionValues": {}, "size": 1, "modificationTime": 1}
        self.world.commit_foreign({"add": {**add, "dataChange": True}})

    @invariant()
    def live_files_are_there(self) -> None:
        self.world.check_files()

    def teardown(self) -> None:
        try:
            self.world.settle()
            self.world.check_files()
            self.world.check_events()
        finally:
            self._patch.undo()
            self._root.cleanup()


def run(histories: int, steps: int, number: int) -> None:
    wanted = settings(
        max_examples=histories,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=PHASES,
        database=None,
        print_blob=True,
    )
    run_state_machine_as_test(seed(number)(Histories), settings=wanted)


@pytest.mark.parametrize("number", range(3))
def test_some_histories(number: int) -> None:
    run(histories=15, steps=40, number=number)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("number", range(20))
def test_thousands_of_histories(number: int) -> None:
    run(histories=250, steps=80, number=1000 + number)

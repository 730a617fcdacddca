"""Each guard of the catalog is needed: the history that it is there for goes wrong without it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.store.simulation.objects import Trouble
from tests.store.simulation.world import World

from logboom.base.clock import NS_PER_DAY
from logboom.store.catalog import change, upkeep
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.catalog.log import LogFiles
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.expiry.sweep import Sweeper
from logboom.store.flush.flusher import Flusher


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr(Flusher, "start", lambda _flusher: None)
    monkeypatch.setattr(upkeep, "KEEP_COMMITS", 1)
    monkeypatch.setattr(os, "fsync", lambda _handle: None)
    world = World(tmp_path)
    yield world
    for node in world.nodes:
        node.kill()


def sleep_while_the_log_is_cleaned_up(world: World) -> None:
    sleeper, other = world.add_node(), world.add_node()
    sleeper.send([0])
    for _ in range(3):
        for _ in range(3):
            other.send([0])
            other.flush()
        other.checkpoint()
    sleeper.flush()


def lose_the_answer_to_a_commit(world: World) -> None:
    """Another node merges the block away before the commit is tried again."""
    merging = world.add_node()
    for calls_before in range(12):
        node = world.add_node()
        node.send([0])
        node.objects.ahead.extend([Trouble.NONE] * calls_before + [Trouble.AFTER])
        node.flush()
        node.objects.ahead.clear()
        for block in world.read_snapshot().list_blocks():
            merging.merge([block])
        node.flush()


def start_a_copy_of_a_running_machine(world: World) -> None:
    original = world.add_node()
    original.send([0])
    copy = world.copy_node(original)
    copy.send([0])
    copy.flush()
    original.send([0])
    original.flush()


def replace_blocks_that_are_gone(world: World) -> None:
    """Two nodes merge the same block at the same time."""
    first, second = world.add_node(), world.add_node()
    first.send([0])
    first.flush()
    (block,) = world.read_snapshot().list_blocks()
    for node in (first, second):
        node.merge([block])


def sweep_with_a_clock_that_runs_ahead(world: World) -> None:
    sweeper, other = world.add_node(), world.add_node()
    other.send([31, 0])
    other.flush()
    world.check_files()
    other.retain()
    sweeper.clock_error_ns = NS_PER_DAY
    sweeper.sweep()


def retain_with_a_clock_that_is_a_year_ahead(world: World) -> None:
    node = world.add_node()
    node.send([0])
    node.flush()
    node.clock_error_ns = 400 * NS_PER_DAY
    node.retain()


def delete_from_outside(world: World) -> None:
    node = world.add_node()
    node.send([0])
    node.flush()
    (block,) = world.read_snapshot().list_blocks()
    world.commit_foreign({"remove": {"path": block.path, "dataChange": True}})
    node.send([0])
    node.flush()
    assert world.count_for_others() == 2, "other engines still miss what one of them removed"


def commit_a_week_after_writing(world: World) -> None:
    """The sweep of another node takes the files for left-overs of a crash meanwhile."""
    sleeper, other = world.add_node(), world.add_node()
    sleeper.send([0])
    sleeper.objects.ahead.extend([Trouble.NONE, Trouble.NONE, Trouble.BEFORE])
    sleeper.flush()
    for _ in range(8):
        world.go_on(86_400)
        other.send([0])
        other.flush()
        other.sweep()
    sleeper.flush()


GUARDS: list[tuple[Callable[[World], None], Any, str, object]] = [
    (sleep_while_the_log_is_cleaned_up, LogFiles, "holds", lambda *_args: True),
    (lose_the_answer_to_a_commit, Change, "is_done", lambda *_args: False),
    (start_a_copy_of_a_running_machine, Change, "check_claims", lambda *_args: None),
    (replace_blocks_that_are_gone, Change, "check_removes", lambda *_args: None),
    (sweep_with_a_clock_that_runs_ahead, Sweeper, "_was_watched", lambda *_args: True),
    (retain_with_a_clock_that_is_a_year_ahead, Snapshot, "is_plausible", lambda *_args: True),
    (commit_a_week_after_writing, Catalog, "are_stale", lambda *_args: False),
    (delete_from_outside, change, "undo_foreign", lambda *_args: []),
]


def run(history: Callable[[World], None], world: World) -> None:
    history(world)
    world.check_files()
    world.settle()
    world.check_events()


@pytest.mark.parametrize("history", [guard[0] for guard in GUARDS])
def test_the_history_ends_well(history: Callable[[World], None], world: World) -> None:
    run(history, world)
    assert world.acknowledged


@pytest.mark.parametrize(("history", "owner", "name", "without"), GUARDS)
def test_without_the_guard_it_does_not(
    history: Callable[[World], None],
    owner: Any,
    name: str,
    without: object,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(owner, name, without)
    with pytest.raises(AssertionError):
        run(history, world)

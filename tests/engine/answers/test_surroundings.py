"""The events around one, found by its id."""

from typing import Any

import pytest
from tests.engine.stored import Stored

from logboom.base.errors import NotFound
from logboom.control.access.globs import IndexBounds
from logboom.engine.answers.context import Surroundings, find_surroundings
from logboom.lang.ast import Context


@pytest.fixture
def env(stored: Stored) -> str:
    name = stored.make_env()
    events = [
        {"timestamp": 1_700_000_000 + number // 2, "n": number, "host": "ab"[number % 2]}
        for number in range(12)
    ]
    stored.keep(name, events[6:])
    stored.keep(name, events[:6])
    stored.keep(name, [{"timestamp": 1_700_000_002, "n": 100}], index="other")
    return name


def ask(
    stored: Stored, env: str, n: int, wanted: Context, **options: Any
) -> tuple[list[object], object]:
    (row,) = stored.search(env, f"n:{n}").rows
    finder = stored.make_finder(env, **options)
    found: Surroundings = find_surroundings(finder, str(row["_id"]), wanted)
    return [each["n"] for each in found.rows], found.rows[found.anchor]["n"]


def test_neighbours_are_in_order_of_time(stored: Stored, env: str) -> None:
    assert ask(stored, env, 5, Context(2, 3)) == ([3, 4, 5, 6, 7, 8], 5)
    assert ask(stored, env, 0, Context(2, 1)) == ([0, 1], 0)
    assert ask(stored, env, 11, Context(0, 5)) == ([11], 11)


def test_neighbours_may_have_to_share_a_value(stored: Stored, env: str) -> None:
    assert ask(stored, env, 5, Context(2, 2, ("HOST",))) == ([1, 3, 5, 7, 9], 5)


@pytest.mark.parametrize("event_id", ["", "x", "0" * 16 + "-00000000-0", "f" * 16 + "-00000000-1"])
def test_an_unknown_id_is_not_found(stored: Stored, env: str, event_id: str) -> None:
    with pytest.raises(NotFound):
        find_surroundings(stored.make_finder(env), event_id, Context(1, 1))


def test_an_event_out_of_bounds_is_not_found(stored: Stored, env: str) -> None:
    with pytest.raises(NotFound):
        ask(stored, env, 5, Context(1, 1), allowed=IndexBounds(("other",)))

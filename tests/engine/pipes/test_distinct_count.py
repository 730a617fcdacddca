"""`stats dc(field)` alone: the same number as beside other aggregates, from indexes, rows and memory."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.stored import Stored, find_cost

from logboom.engine.pipes.groups import distinct
from logboom.engine.pipes.groups.distinct import DistinctCount
from logboom.engine.pipes.groups.stats import make_stats
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast
from logboom.lang.parse import parse

values = st.one_of(
    st.sampled_from(["a", "A", "b", "1", ""]),
    st.sampled_from([1, 2, 1.0, 2.5, -0.0, 0, True, False]),
    st.lists(st.sampled_from(["a", 1, 2.5]), max_size=2),
    st.none(),
)
BLOCKS, EVENTS = 3, 2500
MOST_USERS = EVENTS + 1000 * (BLOCKS - 1)


def count(wide: Stored, env: str, query: str) -> object:
    (row,) = wide.search(env, query).rows
    return row["n"]


@settings(deadline=None)
@given(st.lists(st.lists(values, min_size=1, max_size=8), min_size=1, max_size=3))
def test_it_is_the_same_alone_and_beside_others(wide: Stored, batches: list[list[Any]]) -> None:
    env = wide.make_env()
    for batch in batches:
        wide.keep(env, [{"message": "word", "X": value} for value in batch])
    for search in ("*", "word", "x:a"):
        beside = count(wide, env, f"{search} | stats dc(x) as n, count()")
        first = count(wide, env, f"{search} | stats dc(x) as n")
        # Another text, so that the result is not remembered, but columns and selected rows are.
        again = count(wide, env, f"{search} | fields * | stats dc(x) as n")
        assert [first, again] == [beside, beside], search


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    """Users of whom the blocks share most, and who are all different within a block."""
    env = wide.make_env()
    for block in range(BLOCKS):
        users = (f"user{1000 * block + place}" for place in range(EVENTS))
        events = ({"message": "m", "user": user, "level": user[-1:]} for user in users)
        wide.keep(env, [*events, {"message": "m"}])
    return env


@pytest.mark.parametrize(
    ("search", "expected"),
    [("*", MOST_USERS), ("level:3", MOST_USERS // 10), ("level:none", 0)],
)
def test_many_values_are_counted_from_memory_the_second_time(
    wide: Stored, env: str, search: str, expected: int
) -> None:
    wide.reopen_engine()
    first, again = (wide.search(env, f"{search} | stats dc(user) as {name}") for name in "ab")
    assert [first.rows, again.rows] == [[{"a": expected}], [{"b": expected}]]
    assert find_cost(again).rows_scanned == 0


def test_few_values_are_counted_from_memory_the_second_time(wide: Stored, env: str) -> None:
    wide.reopen_engine()
    wide.search(env, "m | stats count() by level, user")
    wide.search(env, "level:3 OR level:4 | stats count() by level")
    answer = wide.search(env, "level:3 OR level:4 | stats dc(level) as n")
    assert answer.rows == [{"n": 2}]
    assert find_cost(answer).rows_scanned == 0


def test_more_values_than_there_is_room_for_are_merged(
    wide: Stored, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distinct, "MAX_LOOSE_ROWS", 1000)
    wide.reopen_engine()
    assert count(wide, env, "m | stats dc(user) as n") == MOST_USERS


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("* | stats dc(none) as n", 0),
        ("nothing | stats dc(user) as n", 0),
        ("* | stats dc(_id) as n", BLOCKS * (EVENTS + 1)),
        ("* | stats dc(_index) as n", 1),
        ("* | eval last = substr(user, -1) | stats dc(last) as n", 10),
        ("* | stats count() by level | stats dc(level) as n", 10),
        ("* | stats count() by level | where count > 99999999 | stats dc(level) as n", 0),
    ],
)
def test_any_rows_can_be_counted(wide: Stored, env: str, query: str, expected: int) -> None:
    assert count(wide, env, query) == expected


@pytest.mark.parametrize(
    ("pipe", "is_alone"),
    [
        ("stats dc(user)", True),
        ("stats count_uniq(User) as users", True),
        ("stats dc(user) by level", False),
        ("stats dc(user), count()", False),
        ("stats dc(lower(user))", False),
        ("stats dc(user) if (level:3)", False),
        ("stats approx_count_uniq(user)", False),
    ],
)
def test_only_the_values_of_one_field_are_counted_this_way(pipe: str, is_alone: bool) -> None:
    (parsed,) = parse(f"* | {pipe}").pipes
    assert isinstance(parsed, ast.Stats)
    assert isinstance(make_stats(parsed, Conditions()), DistinctCount) == is_alone

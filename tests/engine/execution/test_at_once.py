"""Results of all blocks at once: the same as block by block, whatever has changed since they were remembered."""

from typing import Any

import pytest
from tests.engine.stored import Stored, find_cost

from logboom.engine.execution.partials import Partial
from logboom.engine.execution.run import Run

QUERIES = [
    "* | stats count() as n",
    "level:error | stats count() as n",
    "not level:error | stats count() as n",
    "* | stats by (level) count() as n",
    "* | stats count_uniq(level) as n",
    "* | stats by (nothing) count() as n, count() as again",
    "absent | stats count() as n",
]


def write_events(start: int) -> list[dict[str, Any]]:
    return [
        {
            "timestamp": (start + number) * 1000,
            "level": ("info", "error")[number % 3 == 0],
            "message": f"event {number}",
        }
        for number in range(10)
    ]


@pytest.fixture
def env(wide: Stored) -> str:
    env = wide.make_env()
    for start in (1_700_000_000, 1_700_000_100, 1_700_000_200):
        wide.keep(env, write_events(start))
    return env


def ask_all(stored: Stored, env: str, **where: Any) -> list[list[dict[str, Any]]]:
    return [stored.search(env, query, **where).rows for query in QUERIES]


def ask_each_block(stored: Stored, env: str, monkeypatch: pytest.MonkeyPatch, **where: Any) -> Any:
    """The same answers, found block by block."""
    with monkeypatch.context() as patch:
        patch.setattr("logboom.engine.execution.run.reduce_at_once", lambda *_: None)
        stored.reopen_engine()
        return ask_all(stored, env, **where)


def test_answers_are_those_of_the_single_blocks(
    wide: Stored, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = ask_each_block(wide, env, monkeypatch)
    wide.reopen_engine()
    assert ask_all(wide, env) == expected
    assert ask_all(wide, env) == expected


@pytest.mark.parametrize(
    "where",
    [
        {"from_ns": 1_700_000_005 * 10**9},
        {"to_ns": 1_700_000_205 * 10**9},
        {"from_ns": 1_700_000_100 * 10**9, "to_ns": 1_700_000_110 * 10**9},
        {"indexes": ("other",)},
        {"indexes": ("none",)},
    ],
    ids=str,
)
def test_part_of_the_events_is_not_answered_with_all_of_them(
    wide: Stored, env: str, monkeypatch: pytest.MonkeyPatch, where: dict[str, Any]
) -> None:
    wide.keep(env, write_events(1_700_000_300), index="other")
    expected = ask_each_block(wide, env, monkeypatch, **where)
    wide.reopen_engine()
    everything = ask_all(wide, env)
    assert ask_all(wide, env, **where) == expected != everything


def test_new_events_count_as_soon_as_they_are_searchable(wide: Stored, env: str) -> None:
    query = "* | stats by (level) count() as n"
    assert [row["n"] for row in wide.search(env, query).rows] == [18, 12]
    wide.keep(env, write_events(1_700_000_400))
    assert [row["n"] for row in wide.search(env, query).rows] == [24, 16]
    assert wide.search(env, "* | stats count() as n").rows == [{"n": 40}]


def test_no_block_is_looked_at_for_a_known_result(
    wide: Stored, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = wide.search(env, "level:error | stats count() as n")

    def fail(*_: object) -> Partial:
        raise AssertionError("a block is looked at")

    monkeypatch.setattr("logboom.engine.execution.mapper.Mapper.count", fail)
    monkeypatch.setattr(Run, "_identify", fail)
    after = wide.search(env, "level:error | stats count() as errors")
    assert [row["errors"] for row in after.rows] == [row["n"] for row in before.rows]
    assert find_cost(after).blocks == find_cost(before).blocks == 3
    assert find_cost(after).blocks_skipped == find_cost(before).blocks_skipped

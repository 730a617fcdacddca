"""Counts of columns in memory: the same as when they had to be read."""

from typing import Any

import pytest
from tests.engine.stored import Stored

from logboom.engine.answers.search import SearchAnswer
from logboom.engine.execution.run import Cost
from logboom.engine.grouping import tally

QUERIES = [
    "* | stats count() by level, service",
    "* | stats count() by service | sort service",
    "level:error | stats count() by service",
    "level:error OR part | stats count() by level",
    "NOT level:info | stats count() by level, service",
    "* | stats count() by _time:1h",
    "level:error | stats count() by _time:1h",
    "level:nothing | stats count() by _time:1h",
    "service:b | top 1 level",
    "word | stats count() by service, none",
]


def make_events(first: int, number: int) -> list[dict[str, Any]]:
    """The last block lacks a level, and has texts and numbers as services."""
    return [
        {
            "timestamp": f"2026-09-01T{(first + place) % 24:02}:00:00Z",
            "message": f"word part{place}",
            "service": 7 if first == 40 and place % 2 else "abc"[place % 3],
        }
        | ({} if first == 40 else {"level": ["info", "error", "Error"][place % 3]})
        for place in range(number)
    ]


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    env = wide.make_env()
    for first in (0, 20, 40):
        wide.keep(env, make_events(first, 30))
    return env


def ask(
    wide: Stored, env: str, query: str
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    answer = wide.search(env, query)
    return answer.rows, answer.warnings


@pytest.mark.parametrize("query", QUERIES)
def test_an_answer_from_memory_is_the_same(wide: Stored, env: str, query: str) -> None:
    wide.reopen_engine()
    first = ask(wide, env, query)
    # Another text, so that neither the result nor those of blocks are remembered.
    again = ask(wide, env, query.replace("count()", "count() as total, count()"))
    assert [without_total(row) for row in again[0]] == first[0]
    assert again[1] == first[1]


def without_total(row: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in row.items() if name != "total"}


def test_too_many_groups_are_left_to_be_merged(
    wide: Stored, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = "* | stats count() by _time:1h"
    expected = ask(wide, env, query)
    monkeypatch.setattr(tally, "MOST_GROUPS", 3)
    assert ask(wide, env, query.replace("1h", "60m")) == expected


@pytest.mark.parametrize(
    "query", ["level:error | stats count() by _time:1h", "* | stats count() by service, index"]
)
def test_nothing_is_read_again(wide: Stored, query: str) -> None:
    env = wide.make_env()
    wide.keep(
        env,
        [{"message": "m", "level": "error", "service": "a", "index": "i"}] * 3 + [{"message": "m"}],
    )
    wide.reopen_engine()
    first = wide.search(env, query)
    again = wide.search(env, query.replace("count()", "count() as total"))
    assert [list(row.values()) for row in again.rows] == [list(row.values()) for row in first.rows]
    assert [count_scanned(first), count_scanned(again)] == [4, 0]


def count_scanned(answer: SearchAnswer) -> int:
    assert isinstance(answer.stats, Cost)
    return answer.stats.rows_scanned

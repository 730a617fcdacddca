"""Many different texts in memory: those of all blocks are grouped at once."""

from collections import Counter
from typing import Any

import pytest
from tests.engine.stored import Stored, find_cost

from logboom.engine.execution import shortcuts
from logboom.engine.grouping.tally import Tally

BLOCKS, EVENTS, USERS = 3, 900, 400


def make_events(block: int) -> list[dict[str, Any]]:
    """A third of the events lacks the field; the last block has numbers too."""
    return [
        {"message": "m", "level": "error" if place % 2 else "info"}
        | ({"user": make_user(block, place)} if place % 3 else {})
        for place in range(EVENTS)
    ]


def make_user(block: int, place: int) -> object:
    number = place % USERS
    return number if block == BLOCKS - 1 and place % 5 == 0 else f"user{number}"


def count_users(level: str | None = None) -> Counter[object]:
    return Counter(
        event.get("user")
        for block in range(BLOCKS)
        for event in make_events(block)
        if level in (None, event["level"])
    )


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    env = wide.make_env()
    for block in range(BLOCKS):
        wide.keep(env, make_events(block))
    return env


def ask_twice(wide: Stored, env: str, query: str) -> tuple[dict[object, object], int]:
    """What the second of two like queries answers, and how many rows it reads."""
    wide.reopen_engine()
    wide.search(env, query.replace("count()", "count() as first"))
    answer = wide.search(env, query)
    found = {row.get("user"): row["count"] for row in answer.rows}
    assert len(found) == len(answer.rows)
    return found, find_cost(answer).rows_scanned


@pytest.mark.parametrize("level", [None, "error"])
def test_they_are_counted_without_reading(wide: Stored, env: str, level: str | None) -> None:
    filter_ = f"level:{level}" if level else "*"
    found, scanned = ask_twice(wide, env, f"{filter_} | stats count() by user")
    assert found == count_users(level)
    # The block with numbers is grouped by itself.
    assert scanned == EVENTS


def test_those_that_need_too_much_memory_are_grouped_by_block(
    wide: Stored, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shortcuts, "TALLY_SHARE", 1 << 60)
    found, scanned = ask_twice(wide, env, "* | stats count() by user")
    assert found == count_users()
    assert scanned == BLOCKS * EVENTS


def test_the_most_frequent_ones_are_the_same(wide: Stored, env: str) -> None:
    wide.reopen_engine()
    tops = [wide.search(env, f"* | top {limit} user").rows for limit in (20, 21)]
    assert tops[1][:20] == tops[0]
    counts = count_users()
    assert [row["count"] for row in tops[0]] == [
        count for user, count in counts.most_common(21) if user is not None
    ][:20]


def test_a_field_that_no_event_has_is_one_group(wide: Stored, env: str) -> None:
    found, _ = ask_twice(wide, env, "* | stats count() by nobody")
    assert found == {None: BLOCKS * EVENTS}


def test_a_filter_without_matches_finds_no_group(wide: Stored, env: str) -> None:
    found, _ = ask_twice(wide, env, "level:fatal | stats count() by user")
    assert found == {}


def test_the_result_is_cached(wide: Stored, env: str, monkeypatch: pytest.MonkeyPatch) -> None:
    query = "* | stats count() by user"
    first, _ = ask_twice(wide, env, query)
    monkeypatch.delattr(Tally, "make_table")
    assert {row.get("user"): row["count"] for row in wide.search(env, query).rows} == first

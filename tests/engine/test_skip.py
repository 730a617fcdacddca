"""Skipping: blocks whose index rules a query out are not opened."""

from typing import Any

import pytest
from tests.engine.stored import NOW_NS, Stored

from logboom.base.clock import NS_PER_DAY


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    """Four blocks: few values, many values (a bloom filter), numbers, lists."""
    env = wide.make_env()
    wide.keep(env, [{"id": 1, "message": "a", "level": "Error", "ok": True, "n": 5}], "web")
    many = [{"id": number, "trace": f"Trace-{number:x}"} for number in range(2_000)]
    wide.keep(env, many, "web")
    floats = [{"id": number, "seconds": number / 7, "n": 1000 + number} for number in range(2_000)]
    wide.keep(env, floats, "db")
    wide.keep(env, [{"id": 1, "tags": ["a", "B"], "codes": [1, 2]}], "db")
    return env


@pytest.mark.parametrize(
    ("query", "opened", "found"),
    [
        ("level:error", 1, 1),
        ("level:ERROR", 1, 1),
        ("level:warn", 0, 0),
        ("level:err*", 1, 1),
        ("level:*", 1, 1),
        ("ok:true", 1, 1),
        ("ok:false", 0, 0),
        ("ok:yes", 0, 0),
        ("trace:trace-7cf", 1, 1),
        ("trace:=Trace-7cf", 1, 1),
        ("trace:absent", 0, 0),
        ("n:5", 1, 1),
        ("n:1500", 1, 1),
        ("n:99999", 0, 0),
        ("n:2.5", 0, 0),
        ("n:word", 0, 0),
        ("n>5000", 0, 0),
        ("n>=2999", 1, 1),
        ("n<5", 0, 0),
        ("n<=5", 1, 1),
        ("seconds<0", 0, 0),
        ("seconds:1.0", 1, 1),
        ("seconds:1", 1, 1),
        ("tags:b", 1, 1),
        ("tags:nope", 0, 0),
        ("codes:2", 1, 1),
        ("codes:9", 0, 0),
        ("nothing:x", 0, 0),
        ("level:error n:1500", 0, 0),
        ("level:error OR tags:a", 2, 2),
        ("NOT level:error", 4, 4001),
    ],
)
def test_only_blocks_that_may_match_are_opened(
    wide: Stored, env: str, query: str, opened: int, found: int
) -> None:
    answer = wide.search(env, query, count=True)
    assert answer.total == found
    assert answer.stats.blocks == 4
    assert answer.stats.blocks - answer.stats.blocks_skipped == opened


def test_blocks_of_other_indexes_are_not_opened(wide: Stored, env: str) -> None:
    answer = wide.search(env, "", indexes=("d*",), count=True)
    assert answer.total == 2001
    assert answer.stats.blocks_skipped == 2


def test_blocks_of_other_times_are_not_even_considered(wide: Stored) -> None:
    env = wide.make_env()
    for day in range(4):
        wide.keep(env, [{"id": day, "timestamp": NOW_NS + day * NS_PER_DAY}])
    scope: dict[str, Any] = {"from_ns": NOW_NS + NS_PER_DAY, "to_ns": NOW_NS + 3 * NS_PER_DAY}
    answer = wide.search(env, "", **scope)
    assert [row["id"] for row in answer.rows] == [2, 1]
    assert answer.stats.blocks == 2


def test_a_text_in_any_case_is_found_through_a_bloom_filter(wide: Stored) -> None:
    env = wide.make_env()
    names = ["ÄÖÜ", "ΟΔΟΣ", "İstanbul", "STRASSE", "ǅ", "Ⅷ", "\u212a", "ПРИВЕТ", "ﬀ"]
    others = [{"id": 100 + number, "name": f"other {number}"} for number in range(600)]
    wide.keep(env, [*({"id": at, "name": name} for at, name in enumerate(names)), *others])
    for at, name in enumerate(names):
        for spelling in (name, name.lower()):
            assert at in wide.find(env, f'name:"{spelling}"'), spelling

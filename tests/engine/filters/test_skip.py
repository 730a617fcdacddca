"""Skipping: blocks whose index rules a query out are not opened."""

from typing import Any

import pytest
from tests.engine.stored import NOW_NS, Stored, find_cost
from tests.together import together

from logboom.base.clock import NS_PER_DAY, format_time
from logboom.engine.filters.skip import may_match
from logboom.engine.terms.bound import Within
from logboom.engine.terms.request import END_NS, MIN_NS
from logboom.lang import ast


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    """Four blocks: few values, many values (a bloom filter), numbers, lists."""
    env = wide.make_env()
    first = {"id": 1, "message": "Disk is full", "level": "Error", "ok": True, "n": 5}
    wide.keep(env, [first | {"ip": "10.0.0.1", "took": "12ms", "env": "lab"}], "web")
    many = [{"id": number, "trace": f"Trace-{number:x}"} for number in range(2_000)]
    wide.keep(env, many, "web")
    floats = [{"id": number, "seconds": number / 7, "n": 1000 + number} for number in range(2_000)]
    wide.keep(env, floats, "db")
    wide.keep(env, [{"id": 1, "tags": ["a", "B"], "codes": [1, 2]}], "db")
    return env


@together(
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
        ("NOT id:*", 0, 0),
        ("NOT level:*", 3, 4001),
        ("disk", 1, 1),
        ("DISK", 1, 1),
        ("dusk", 0, 0),
        ("trace-7cf", 1, 1),
        ("is", 3, 1),
        ("message:full", 1, 1),
        ("message:fool", 0, 0),
        ("message:(fool OR full)", 1, 1),
        ("*:trace-7cf", 1, 1),
        ("*:rue", 1, 1),
        ("*:nowhere", 0, 0),
        ("trace:trace-7c*", 1, 17),
        ("trace:other*", 0, 0),
        ("level:w*", 0, 0),
        ("level IN (warn, error)", 1, 1),
        ("level IN (warn, info)", 0, 0),
        ("trace IN (none, trace-7cf)", 1, 1),
        ("trace IN (none, neither)", 0, 0),
        ('level=~"^err"', 0, 0),
        ('level=~"^Err"', 1, 1),
        ('trace=~"race-7c[f]"', 1, 1),
        ('trace=~"rice-.*"', 0, 0),
        ('nothing=~".*"', 0, 0),
        ("ip:10.0.0.0/8", 1, 1),
        ("ip:11.0.0.0/8", 0, 0),
        ("trace:11.0.0.0/8", 1, 0),
        ("n:0.0.0.0/0", 0, 0),
        ("n:[6 TO 999]", 0, 0),
        ("n:[5 TO 999]", 1, 1),
        ("n:{5 TO 1000}", 0, 0),
        ("n:{2998 TO *]", 1, 1),
        ('n>"99999"', 0, 0),
        ("took>10ms", 1, 1),
        ("took>1s", 0, 0),
        ("level>5", 0, 0),
        ('level>"f"', 0, 0),
        ("env:lab", 1, 1),
        ("env:nowhere", 0, 0),
        ("index:db", 2, 2001),
        ("_index:w*", 2, 2001),
        ("_index:=DB", 0, 0),
        ("_env:nowhere", 0, 0),
    ],
)
def test_only_blocks_that_may_match_are_opened(
    wide: Stored, env: str, query: str, opened: int, found: int
) -> None:
    answer = wide.search(env, query, count=True)
    assert answer.total == found
    assert find_cost(answer).blocks == 4
    assert find_cost(answer).blocks - find_cost(answer).blocks_skipped == opened


def test_an_id_is_looked_for_where_its_time_is(wide: Stored) -> None:
    env = wide.make_env()
    days = [NOW_NS, NOW_NS + NS_PER_DAY, -NS_PER_DAY]
    for number, time_ns in enumerate(days):
        event_time = format_time(time_ns)
        wide.keep(env, [{"id": number, "timestamp": event_time}])
    for row in wide.search(env, "").rows:
        for query in (f"_id:{row['_id']}", f"_id:={row['_id']}", f"_id IN (x, {row['_id']})"):
            answer = wide.search(env, query)
            assert [found["id"] for found in answer.rows] == [row["id"]]
            assert find_cost(answer).blocks_skipped == 2
    assert find_cost(wide.search(env, "_id:none")).blocks_skipped == 3
    assert find_cost(wide.search(env, "_id:*")).blocks_skipped == 0


def test_a_time_range_skips_blocks_wherever_it_stands(wide: Stored) -> None:
    env = wide.make_env()
    for day in range(3):
        wide.keep(env, [{"id": day, "timestamp": NOW_NS + day * NS_PER_DAY}])
    blocks = wide.open_blocks(env)
    second = Within(NOW_NS + NS_PER_DAY, NOW_NS + NS_PER_DAY + 1)
    third = Within(NOW_NS + 2 * NS_PER_DAY, END_NS)
    assert sum(may_match(second, block) for block in blocks) == 1
    assert sum(may_match(ast.Or((second, third)), block) for block in blocks) == 2  # type: ignore[arg-type]
    assert not any(may_match(Within(MIN_NS, NOW_NS), block) for block in blocks)


def test_blocks_of_other_indexes_are_not_opened(wide: Stored, env: str) -> None:
    answer = wide.search(env, "", indexes=("d*",), count=True)
    assert answer.total == 2001
    assert find_cost(answer).blocks_skipped == 2


def test_blocks_of_other_times_are_not_even_considered(wide: Stored) -> None:
    env = wide.make_env()
    for day in range(4):
        wide.keep(env, [{"id": day, "timestamp": NOW_NS + day * NS_PER_DAY}])
    scope: dict[str, Any] = {"from_ns": NOW_NS + NS_PER_DAY, "to_ns": NOW_NS + 3 * NS_PER_DAY}
    answer = wide.search(env, "", **scope)
    assert [row["id"] for row in answer.rows] == [2, 1]
    assert find_cost(answer).blocks == 2


def test_a_text_in_any_case_is_found_through_a_bloom_filter(wide: Stored) -> None:
    env = wide.make_env()
    names = ["ÄÖÜ", "ΟΔΟΣ", "İstanbul", "STRASSE", "ǅ", "Ⅷ", "\u212a", "ПРИВЕТ", "ﬀ"]
    others = [{"id": 100 + number, "name": f"other {number}"} for number in range(600)]
    wide.keep(env, [*({"id": at, "name": name} for at, name in enumerate(names)), *others])
    for at, name in enumerate(names):
        for spelling in (name, name.lower()):
            assert at in wide.find(env, f'name:"{spelling}"'), spelling

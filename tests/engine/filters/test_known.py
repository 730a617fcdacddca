"""Matches that indexes have counted are counted without reading a block, and the same as by reading it."""

import pytest
from tests.engine.stored import NOW_NS, Stored, find_cost
from tests.together import together

EVENTS = [
    {"level": "info", "code": 200, "ok": True},
    {"level": "Info", "code": 200.0},
    {"level": "info", "code": "200"},
    {"level": "warn", "tags": ["a", "b"], "kind": "B"},
    {"code": 404, "ok": False},
    {"level": 1},
    {"level": True},
    {"message": "nothing else"},
]
KNOWN = [
    "*",
    "level:*",
    "NOT level:*",
    "level:=info",
    "level:=Info",
    "level:=1",
    "level:=true",
    "NOT level:=info",
    "NOT (NOT level:=info)",
    "kind:b",
    "NOT kind:b",
    "code:=200",
    "NOT code:=200",
    "ok:=true",
    "ok:=false",
    "absent:*",
    "NOT absent:*",
    "absent:=x",
    "tags:*",
]
READ = ["level:info", "tags:=a", "NOT tags:=a", "level:=info code:=200", "nothing"]


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    env = wide.make_env()
    wide.keep(env, EVENTS * 3)
    return env


@together("query", KNOWN + READ)
def test_counts_are_those_of_the_events(query: str, wide: Stored, env: str) -> None:
    counted = wide.search(env, f"{query} | stats count")
    listed = wide.search(env, query, limit=100)
    assert counted.rows == [{"count": len(listed.rows)}]
    if query in KNOWN:
        assert find_cost(counted).rows_scanned == 0


@together("query", KNOWN)
def test_the_same_is_said_of_them(query: str, wide: Stored, env: str) -> None:
    counted = wide.search(env, f"{query} | stats count")
    read = wide.search(env, f"{query} | stats count, count(absent)")
    of_filter = [each for each in read.warnings if each.get("field") != "absent"]
    assert [each["message"] for each in counted.warnings if each.get("field") != "absent"] == [
        each["message"] for each in of_filter
    ]


def test_what_is_outside_the_time_is_not_counted(wide: Stored) -> None:
    env = wide.make_env()
    wide.keep(env, [{"level": "info", "timestamp": NOW_NS + at} for at in range(10)])
    assert wide.search(env, "level:=info | stats count", to_ns=NOW_NS + 4).rows == [{"count": 4}]


def test_an_index_that_is_not_asked_for_is_not_counted(wide: Stored) -> None:
    env = wide.make_env()
    wide.add(env, [{"level": "info"}] * 2, "web")
    wide.add(env, [{"level": "info"}] * 3, "db")
    wide.flush()
    assert wide.search(env, "level:=info | stats count", indexes=("web",)).rows == [{"count": 2}]

"""`explain`: the plan of a query as a table."""

import pytest
from tests.engine.stored import Stored

from logboom.base.errors import Invalid


def explain(stored: Stored, env: str, query: str, **options: int) -> dict[str, list[str]]:
    steps: dict[str, list[str]] = {}
    for row in stored.search(env, f"{query} | explain", **options).rows:
        steps.setdefault(str(row["step"]), []).append(str(row["detail"]))
    return steps


def test_it_tells_the_steps(wide: Stored) -> None:
    env = wide.make_env()
    wide.keep(env, [{"level": "error", "message": "a"}])
    wide.keep(env, [{"level": "info", "message": "b"}, {"level": "info", "message": "c"}])
    steps = explain(wide, env, "level:error | sort a | tail 3 | dedup level", from_ns=0)
    assert steps == {
        "time": ["from 1970-01-01T00:00:00Z"],
        "environments": [env],
        "indexes": ["*"],
        "filter": ["level:error"],
        "fields": ["a, level"],
        "blocks": ["2 in scope, 1 skipped by their indexes"],
        "read": ["1 event in 1 of them"],
        "reduce": ["sort a"],
        "then": ["tail 3", "dedup level"],
    }


def test_without_pipes_it_is_a_page_of_events(wide: Stored) -> None:
    steps = explain(wide, wide.make_env(), "error", limit=7)
    assert steps["reduce"] == ["the newest 7 events"]
    assert steps["fields"] == ["message, all texts of events without a message"]
    assert steps["blocks"] == ["0 in scope, 0 skipped by their indexes"]
    assert steps["time"] == ["any time"]


def test_whole_pipes_need_all_rows(wide: Stored) -> None:
    steps = explain(wide, wide.make_env(), "* | union (error) | tail 1")
    assert steps["reduce"] == ["all rows together"]
    assert steps["then"] == ["union (error)", "tail 1"]
    assert steps["fields"] == ["every field"]


def test_what_other_queries_found_is_written_out(wide: Stored) -> None:
    env = wide.make_env()
    wide.keep(env, [{"user": "ann", "n": 1}, {"user": "Bob", "n": 2}])
    steps = explain(wide, env, "user:in(n:2) OR NOT _time:[2020-01-01 TO 2021-01-01]")
    assert "user IN (Bob)" in steps["filter"][0]
    assert "2020-01-01T00:00:00Z" in steps["filter"][0]
    assert explain(wide, env, "user:in(n:3)")["filter"] == ["NOT *"]


def test_it_comes_last(wide: Stored) -> None:
    with pytest.raises(Invalid, match="explain"):
        wide.search(wide.make_env(), "* | explain | tail 1")

"""Requests as a whole: limits, early stop, what is said of an incomplete answer, damaged blocks."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.engine.stored import NOW_NS, Stored, find_cost

from logboom.base.clock import NS_PER_DAY
from logboom.base.errors import Invalid
from logboom.engine.answers.engine import Engine
from logboom.engine.execution.gate import Gate
from logboom.engine.terms.limits import Limits
from logboom.engine.terms.request import END_NS, MIN_NS, Request, decode_cursor
from logboom.lang.parse import parse


def keep_days(stored: Stored, days: int, rows: int = 10) -> str:
    """One block a day, its events a nanosecond apart."""
    env = stored.make_env()
    for day in range(days):
        start_ns = NOW_NS + day * NS_PER_DAY
        events = [
            {"id": day * rows + row, "timestamp": start_ns + row, "day": day, "level": "info"}
            for row in range(rows)
        ]
        stored.keep(env, events)
    return env


def test_nothing_is_found_where_nothing_is(wide: Stored) -> None:
    answer = wide.search("nowhere", "error", count=True)
    assert (answer.rows, answer.columns, answer.total, answer.cursor) == ([], [], 0, None)
    assert answer.complete
    table = wide.search("nowhere", "* | stats count")
    assert table.rows == [{"count": 0}]
    assert wide.search("nowhere", "* | stats count by level").rows == []


@pytest.mark.parametrize("query", ["", "level:info"])
def test_the_newest_come_first_and_older_blocks_stay_closed(wide: Stored, query: str) -> None:
    env = keep_days(wide, 20)
    answer = wide.search(env, query, limit=5)
    assert [row["id"] for row in answer.rows] == [199, 198, 197, 196, 195]
    assert find_cost(answer).blocks == 20
    assert find_cost(answer).rows_scanned <= 40
    assert answer.cursor is not None


def test_a_limit_of_nothing_finds_nothing_but_may_count(wide: Stored) -> None:
    env = keep_days(wide, 3)
    answer = wide.search(env, "level:info", limit=0)
    assert (answer.rows, answer.total, answer.cursor) == ([], None, None)
    assert wide.search(env, "level:info", limit=0, count=True).total == 30
    assert wide.search(env, "", limit=0, count=True).total == 30
    assert wide.search(env, "day:>0", limit=0, count=True).total == 20


@pytest.mark.parametrize("query", ["* | stats count", "* | sort id", "* | stats count by level"])
def test_a_cursor_does_not_continue_the_result_of_other_pipes(wide: Stored, query: str) -> None:
    env = keep_days(wide, 1)
    cursor = wide.search(env, "", limit=1).cursor
    assert cursor is not None
    with pytest.raises(Invalid, match="continues events in order of time") as refused:
        wide.search(env, query, after=decode_cursor(cursor))
    assert refused.value.data == {"field": "cursor"}


def test_events_of_the_same_moment_in_many_blocks_are_paged_once_each(wide: Stored) -> None:
    env = wide.make_env()
    for flush in range(6):
        wide.keep(env, [{"id": flush * 3 + row, "timestamp": NOW_NS} for row in range(3)])
    found: list[object] = []
    after = None
    while True:
        hits = wide.search(env, "", limit=4, after=after)
        found += [row["id"] for row in hits.rows]
        if hits.cursor is None:
            break
        after = decode_cursor(hits.cursor)
    assert found == list(range(17, -1, -1))


def test_the_first_and_the_last_possible_time_are_within_an_unbounded_range(wide: Stored) -> None:
    env = wide.make_env()
    times = [MIN_NS, END_NS - 1, 0]
    wide.keep(env, [{"id": at, "timestamp": time_ns} for at, time_ns in enumerate(times)])
    assert wide.find(env, "") == [1, 2, 0]
    assert wide.find(env, "", to_ns=END_NS - 1) == [2, 0]
    assert wide.find(env, "", from_ns=MIN_NS + 1) == [1, 2]


def test_a_range_that_ends_before_it_begins_is_empty(wide: Stored) -> None:
    env = keep_days(wide, 2)
    assert wide.find(env, "", from_ns=NOW_NS + 5, to_ns=NOW_NS + 5) == []
    assert wide.find(env, "", from_ns=NOW_NS + 6, to_ns=NOW_NS + 5) == []


def test_an_answer_that_ran_out_of_time_says_so(wide: Stored) -> None:
    env = keep_days(wide, 3)
    with ThreadPoolExecutor(1) as pool:
        engine = Engine(wide.store, pool, Limits(timeout_s=-1.0), Gate(1, 0, 0.0), 0)
        answer = engine.search(Request(parse("level:info"), (env,)))
    assert not answer.complete
    assert [warning["code"] for warning in answer.warnings] == ["timeout"]


def test_a_table_with_too_many_groups_is_cut_and_says_so(wide: Stored) -> None:
    env = keep_days(wide, 3)
    with ThreadPoolExecutor(1) as pool:
        engine = Engine(wide.store, pool, Limits(max_groups=7), Gate(1, 0, 0.0), 0)
        answer = engine.search(Request(parse("* | stats count by id"), (env,)))
    assert len(answer.rows) == 7
    assert not answer.complete
    assert [warning["code"] for warning in answer.warnings] == ["max_groups"]


def test_a_pipe_after_a_pipe_works_on_its_table(wide: Stored) -> None:
    env = wide.make_env()
    events = [{"Level": "info", "host": host} for host in ("a", "b", "b")]
    wide.keep(env, [*events, {"level": "warn", "host": "a"}])
    two = wide.search(env, "* | stats count by host, level | stats count as hosts by LEVEL")
    assert two.columns == ["LEVEL", "hosts"]
    assert two.rows == [{"LEVEL": "info", "hosts": 2}, {"LEVEL": "warn", "hosts": 1}]
    three = wide.search(
        env, "* | stats count by host, level | stats count by nothing | stats count"
    )
    assert three.rows == [{"count": 1}]


def test_a_store_below_a_path_full_of_wildcards_is_read(tmp_path: Path) -> None:
    stored = Stored(tmp_path / "[a-z] * ?" / "day=1")
    stored.keep("env", [{"id": 1, "message": "found"}])
    assert stored.find("env", "found") == [1]
    stored.close()


def test_many_searches_at_once_while_events_arrive(wide: Stored) -> None:
    env = wide.make_env()
    wide.keep(env, [{"id": 0, "level": "info"}])
    counts: list[int] = []

    def count(_: int) -> int:
        return int(str(wide.search(env, "level:info | stats count").rows[0]["count"]))

    with ThreadPoolExecutor(8) as pool:
        for flush in range(1, 6):
            wide.add(env, [{"id": flush, "level": "info"}])
            running = pool.map(count, range(8))
            wide.flush()
            counts += running
    assert set(counts) <= set(range(1, 7))
    assert count(0) == 6


def test_another_query_without_columns_has_no_values(wide: Stored) -> None:
    env = wide.make_env()
    wide.keep(env, [{"id": 1}, {"id": 2}])
    assert wide.find(env, "id:in(* | stats count by id | fields nothing)") == []
    assert len(wide.find(env, "NOT id:in(* | stats count by id | drop *)")) == 2


def test_values_of_another_query_keep_their_types(wide: Stored) -> None:
    env = wide.make_env()
    values = [True, 1, False, 0.0, 0]
    wide.keep(env, [{"id": place, "value": value} for place, value in enumerate(values)])
    assert sorted(wide.find(env, "value:in(*)")) == [0, 1, 2, 3, 4]  # type: ignore[type-var]
    assert sorted(wide.find(env, "value:in(id IN (0, 4))")) == [0, 3, 4]  # type: ignore[type-var]

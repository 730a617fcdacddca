"""Merged blocks answer like those they were made of, and are skipped by their zones."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engine.agreement.test_against_oracle import cuts, find_ids, keep_in_pieces
from tests.engine.generated import bound_filters, event_lists
from tests.engine.oracle import matches
from tests.engine.questions import Questions, make_events
from tests.engine.stored import Stored, find_cost
from tests.properties import every_third, examples
from tests.store.stores import NOW_NS, merge_days

from logboom.base.clock import NS_PER_S
from logboom.base.errors import LogboomError
from logboom.engine.filters.skip import may_match
from logboom.engine.terms.bound import Filter
from logboom.store.compaction import rows

QUESTIONS = [range(start, start + 20) for start in (0, 20, 40)]


@pytest.fixture(autouse=True)
def small_zones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "ZONE_ROWS", 6)
    monkeypatch.setattr(rows, "ROW_GROUP_ROWS", 4)


@settings(
    max_examples=examples(18),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(events=event_lists(), places=cuts, wanted=st.lists(bound_filters, min_size=1, max_size=8))
def test_merged_blocks_hold_what_the_oracle_finds_and_none_is_wrongly_skipped(
    stored: Stored, events: list[dict[str, Any]], places: list[int], wanted: list[Filter]
) -> None:
    env, expected_rows = keep_in_pieces(stored, events, places)
    merge_days(stored.store, env)
    for node in wanted:
        found = []
        for block in stored.open_blocks(env):
            held = find_ids(block, node)
            assert not held or may_match(node, block), node
            found += held
        assert sorted(found) == [row.event["id"] for row in expected_rows if matches(node, row)]


def ask(stored: Stored, env: str, query: str) -> Any:
    try:
        answer = stored.search(env, query, limit=1000)
    except LogboomError as error:
        return str(error)
    return json.loads(json.dumps([answer.rows, answer.columns], default=str))


@pytest.mark.parametrize("numbers", every_third(QUESTIONS))
def test_every_kind_of_question_has_the_same_answer_as_before(
    stored: Stored, numbers: range
) -> None:
    env = stored.make_env()
    events = make_events()
    for start in range(0, len(events), 5):
        stored.keep(env, events[start : start + 5])
    queries = [Questions(number).write_query() for number in numbers]
    before = [ask(stored, env, query) for query in queries]
    assert merge_days(stored.store, env) < len(events) // 5
    for query, expected in zip(queries, before, strict=True):
        assert ask(stored, env, query) == expected, query


def test_a_field_that_has_a_column_in_one_block_and_none_in_another(narrow: Stored) -> None:
    env = narrow.make_env()
    narrow.keep(env, [{"a": 1, "b": 2, "c": 3, "d": 4}, {"a": 5}])
    narrow.keep(env, [{"d": 6, "c": "seven", "b": 8, "a": 9}])
    queries = [f"| stats count({name}), values({name})" for name in "abcd"]
    queries += ["d:4", "d:6", "d>4", "c:seven", "NOT b:*", "| fields a, b, c, d"]
    before = [ask(narrow, env, query) for query in queries]
    assert merge_days(narrow.store, env) == 1
    assert [ask(narrow, env, query) for query in queries] == before


def test_a_needle_that_no_zone_can_hold_skips_a_merged_block(wide: Stored) -> None:
    env = wide.make_env()
    for lot in range(4):
        wide.keep(
            env, [{"id": f"{lot}-{number}", "message": f"m{number}"} for number in range(300)]
        )
    rows_before = rows.ZONE_ROWS
    rows.ZONE_ROWS = 400
    try:
        assert merge_days(wide.store, env) == 1
    finally:
        rows.ZONE_ROWS = rows_before
    (block,) = wide.open_blocks(env)
    assert len(block.zones) == 3
    assert find_cost(wide.search(env, "id:=3-299")).blocks_skipped == 0
    assert find_cost(wide.search(env, "id:=nowhere")).blocks_skipped == 1


def test_only_zones_that_may_match_are_read(wide: Stored) -> None:
    env = wide.make_env()
    for lot in range(8):
        wide.keep(
            env,
            [
                {"ts": NOW_NS + (lot * 100 + number) * NS_PER_S, "id": f"{lot}-{number}", "n": lot}
                for number in range(100)
            ],
        )
    rows_before = rows.ZONE_ROWS
    rows.ZONE_ROWS = 100
    try:
        assert merge_days(wide.store, env) == 1
    finally:
        rows.ZONE_ROWS = rows_before
    needle = wide.search(env, "id:=5-42")
    assert [row["id"] for row in needle.rows] == ["5-42"]
    assert find_cost(needle).rows_scanned <= 200
    times = {"from_ns": NOW_NS + 250 * NS_PER_S, "to_ns": NOW_NS + 350 * NS_PER_S}
    table = wide.search(env, "| stats count, min(id), max(id) by n", **times)
    assert table.rows == [
        {"n": 2, "count": 50, "min(id)": "2-50", "max(id)": "2-99"},
        {"n": 3, "count": 50, "min(id)": "3-0", "max(id)": "3-9"},
    ]
    assert 100 <= find_cost(table).rows_scanned <= 300
    # Once columns were read whole, parts of them come from memory.
    assert wide.search(env, "* | stats count by id", limit=0).complete
    again = wide.search(env, "id:=5-43")
    assert [row["id"] for row in again.rows] == ["5-43"]

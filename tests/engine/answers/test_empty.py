"""The explanation of an answer without rows."""

from typing import Any

import pytest
from tests.engine.stored import Stored
from tests.logged import list_said_by

from logboom.base.process.deadline import Deadline
from logboom.control.access.globs import IndexBounds
from logboom.engine.answers.empty import (
    Clause,
    EmptySearch,
    Explanation,
    NearFields,
    NearValues,
    is_blank,
)
from logboom.engine.terms.request import Request
from logboom.lang.parse import parse

EVENTS = [
    {"timestamp": 1_000_000_000, "level": "error", "message": "disk full", "host": "web-1"},
    {"timestamp": 2_000_000_000, "level": "info", "message": "started", "host": "web-2"},
]
"""In seconds."""
NS_PER_S = 1_000_000_000


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    env = wide.make_env()
    wide.keep(env, EVENTS)
    return env


def explain(stored: Stored, env: str, query: str, **options: Any) -> Explanation:
    request = Request(parse(query), (env,), **options)
    answer = stored.engine.search(request, explains=True)
    assert answer.rows == []
    assert answer.explanation is not None
    return answer.explanation


def test_it_counts_the_hits_of_each_clause(wide: Stored, env: str) -> None:
    found = explain(wide, env, "level:error started")
    assert found.clauses == [Clause("level:error", 1), Clause("started", 1)]
    assert found.hint == "each part of the filter matches some events, but none matches all parts"


def test_it_names_the_clause_that_finds_nothing(wide: Stored, env: str) -> None:
    found = explain(wide, env, "level:error host:web-9*")
    assert found.clauses == [Clause("level:error", 1), Clause("host:web-9*", 0)]
    assert found.hint.endswith("matches host:web-9*")


def test_it_knows_fields_that_are_spelled_much_alike(wide: Stored, env: str) -> None:
    found = explain(wide, env, "levl:error")
    assert found.fields == [NearFields("levl", ["level"])]
    assert found.hint == "no event has a field levl, did you mean level?"


def test_it_knows_values_that_are_spelled_much_alike(wide: Stored, env: str) -> None:
    found = explain(wide, env, "level:eror")
    assert found.values == [NearValues("level", "eror", ["error"])]
    assert found.hint == "no event has level 'eror', did you mean 'error'?"


def test_it_counts_hits_at_other_times(wide: Stored, env: str) -> None:
    found = explain(wide, env, "level:error", from_ns=2_000_000_000 * NS_PER_S)
    assert found.outside_range == 1
    assert found.hint == "1 event matches outside the time range"
    assert explain(wide, env, "level:none").outside_range is None


def test_it_counts_words_in_other_fields(wide: Stored, env: str) -> None:
    found = explain(wide, env, "web-1")
    assert found.any_field == 1
    assert found.hint.startswith("1 event has it in fields other than")
    assert "*:word" in found.hint
    assert explain(wide, env, "level:none").any_field is None
    assert explain(wide, env, "nowhere").any_field == 0
    assert explain(wide, env, "web-1 level:error").any_field == 1
    assert explain(wide, env, "disk", from_ns=2_000_000_000 * NS_PER_S).any_field == 0


def test_it_counts_events_that_are_not_searchable_yet(wide: Stored) -> None:
    env = wide.make_env()
    assert "no events yet" in explain(wide, env, "x").hint
    wide.add(env, EVENTS[:1])
    assert explain(wide, env, "x").hint.startswith("1 event has arrived")
    wide.add(env, EVENTS[1:])
    found = explain(wide, env, "disk")
    assert found.buffered == 2
    assert found.hint == "2 events have arrived and will be searchable in a few seconds"
    wide.flush()


def test_it_tells_when_pipes_leave_nothing(wide: Stored, env: str) -> None:
    found = explain(wide, env, "level:error | dedup nothing")
    assert found.hint == "1 event matches the filter, but the pipes after it leave no rows"


def test_many_clauses_are_bounded_work(wide: Stored, env: str) -> None:
    query = " ".join(f"level:x{number}" for number in range(50))
    found = explain(wide, env, query)
    assert len(found.clauses) == 10
    assert len(found.values) <= 20


@pytest.mark.parametrize("place", ["filter", "scope"])
def test_it_names_an_index_that_does_not_exist(wide: Stored, place: str) -> None:
    env = wide.make_env()
    wide.keep(env, EVENTS, index="shop")

    def ask(name: str) -> Explanation:
        if place == "filter":
            return explain(wide, env, f"index:{name} disk")
        return explain(wide, env, "disk", indexes=(name,))

    assert ask("nope").values == [NearValues("_index", "nope", [])]
    assert ask("nope").hint == "there is no index 'nope'"
    assert ask("shp").hint == "there is no index 'shp', did you mean 'shop'?"
    wide.add(env, EVENTS, index="nope")
    assert "arrived" in ask("nope").hint or "matches index:nope" in ask("nope").hint
    wide.flush()


def test_an_index_that_exists_is_not_the_reason(wide: Stored, env: str) -> None:
    assert explain(wide, env, "zzz", indexes=("default", "nope")).values == []
    assert explain(wide, env, "zzz", indexes=("d*",)).values == []


def test_it_tells_nothing_of_indexes_that_the_asker_may_not_see(wide: Stored) -> None:
    env = wide.make_env()
    wide.add(env, [{"message": "a", "level": "info"}], index="open")
    wide.keep(env, [{"message": "a", "level": "error", "secret": "x"}], index="closed")
    wide.add(env, EVENTS, index="closed")
    options = {"indexes": ("*",), "allowed": IndexBounds(("open",))}
    found = explain(wide, env, "level:eror secre:y index:close x", **options)
    assert (found.fields, found.values, found.buffered) == ([], [], 0)
    assert {clause.query: clause.hits for clause in found.clauses}["index:close"] == 0
    wide.flush()


def test_a_fault_of_our_own_is_logged_once_and_gives_no_explanation(
    wide: Stored, env: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_self: EmptySearch) -> None:
        raise ZeroDivisionError("something is wrong")

    monkeypatch.setattr(EmptySearch, "count_outside", fail)
    request = Request(parse("level:none"), (env,))
    assert wide.engine.search(request, explains=True).explanation is None
    (record,) = list_said_by("logboom.engine.answers.empty", caplog)
    assert record.exc_info is not None
    assert "something is wrong" in str(record.exc_info[1])


def test_a_query_that_nobody_waits_for_is_not_explained(wide: Stored, env: str) -> None:
    cancelled = Deadline()
    cancelled.set()
    request = Request(parse("level:none host:none"), (env,))
    found = wide.engine.search(request, cancelled, explains=True).explanation
    assert found is None or found.clauses == []


def test_a_test_that_cannot_be_computed_alone_is_left_out(wide: Stored, env: str) -> None:
    query = "level:zzz | where eval(strftime(_time, host) == 1)"
    assert explain(wide, env, query).hint


@pytest.mark.parametrize("query", ["nothing | stats count", "nothing | stats count, max(level)"])
def test_a_table_in_which_nothing_was_counted_is_explained(
    wide: Stored, env: str, query: str
) -> None:
    request = Request(parse(query), (env,))
    answer = wide.engine.search(request, explains=True)
    assert answer.rows
    assert is_blank(answer.rows)
    assert answer.explanation is not None
    assert answer.explanation.hint


def test_a_table_of_events_that_lack_a_value_is_not(wide: Stored, env: str) -> None:
    request = Request(parse("* | stats max(nothing)"), (env,))
    answer = wide.engine.search(request, explains=True)
    assert is_blank(answer.rows)
    assert answer.explanation is None
    assert not is_blank(wide.engine.search(Request(parse("* | stats count"), (env,))).rows)

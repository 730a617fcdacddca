"""The one way out: every kind of question is bounded and admitted the same way."""

from collections.abc import Callable
from typing import Any

import pytest
from prometheus_client import REGISTRY
from tests.running import RunningService, encode_lines

from logboom.base.errors import Forbidden, Overloaded
from logboom.base.process.deadline import Deadline
from logboom.control.access.principal import UNLIMITED, Principal
from logboom.control.access.scopes import Scope
from logboom.lang.ast import Context
from logboom.search.answers import Bars, WantedFields
from logboom.search.question import Question
from logboom.search.service import SearchService

MakeService = Callable[..., RunningService]
Ask = Callable[[SearchService, Principal, Question], Any]

EVENTS = [{"timestamp": 1_700_000_000 + n, "n": n, "host": "ab"[n % 2]} for n in range(4)]


def find_id(search: SearchService, question: Question) -> str:
    (row,) = search.search(UNLIMITED, Question(env=question.env, limit=1)).rows
    return str(row["_id"])


KINDS: dict[str, Ask] = {
    "search": lambda search, who, question: search.search(who, question).rows,
    "histogram": lambda search, who, question: search.histogram(who, question, Bars()),
    "tail": lambda search, who, question: search.tail(who, question).token,
    "export": lambda search, who, question: b"".join(
        search.export(who, question, "ndjson", None, Deadline())
    ),
    "fields": lambda search, who, question: search.fields(who, question, WantedFields()),
    "field names": lambda search, who, question: search.field_names(who, question, WantedFields()),
    "values": lambda search, who, question: search.values(who, question, "host"),
    "difference": lambda search, who, question: search.difference(who, question, "host:a"),
    "indexes": lambda search, who, question: search.indexes(who, question),
    "complete": lambda search, who, question: search.complete(who, question, "ho", 2),
    "measure": lambda search, who, question: search.measure(
        who, question, lambda meter: [meter.measure(0, 2 * 10**18, 10) for _ in range(3)]
    ),
}
each_kind = pytest.mark.parametrize("ask", KINDS.values(), ids=KINDS)


def count_admitted() -> float:
    return REGISTRY.get_sample_value("logboom_queries_total") or 0


@pytest.fixture
def question(service: RunningService, env: str) -> Question:
    service.keep(encode_lines(EVENTS), {"env": env})
    return Question(env=env)


@each_kind
def test_a_question_is_admitted_once(service: RunningService, question: Question, ask: Ask) -> None:
    before = count_admitted()
    assert ask(service.searching, UNLIMITED, question)
    assert count_admitted() == before + 1


def test_an_empty_answer_is_explained_within_its_admission(
    service: RunningService, question: Question
) -> None:
    before = count_admitted()
    missing = Question(query="hots:a", env=question.env)
    explanation = service.searching.search(UNLIMITED, missing).explanation
    assert explanation
    assert explanation.hint == "no event has a field hots, did you mean host?"
    assert count_admitted() == before + 1


@each_kind
def test_nobody_asks_of_an_environment_out_of_reach(
    service: RunningService, question: Question, ask: Ask
) -> None:
    before = count_admitted()
    stranger = Principal("user", "x", "stranger", frozenset({Scope.SEARCH}), envs=("other",))
    with pytest.raises(Forbidden) as caught:
        ask(service.searching, stranger, question)
    assert caught.value.data["field"] == "env"
    assert count_admitted() == before


def test_one_question_too_many_is_refused(start_service: MakeService) -> None:
    service = start_service(queries=(1, 0, 0.0))
    with service.gate.enter():
        for ask in KINDS.values():
            with pytest.raises(Overloaded):
                ask(service.searching, UNLIMITED, Question())


def test_context_is_bounded_and_admitted_like_all_others(
    service: RunningService, question: Question
) -> None:
    search, event_id = service.searching, find_id(service.searching, question)
    before = count_admitted()
    found = search.context(UNLIMITED, question, event_id, Context(1, 1))
    assert [row["n"] for row in found.rows] == [2, 3]
    assert count_admitted() == before + 1
    stranger = Principal("user", "x", "stranger", frozenset({Scope.SEARCH}), envs=("other",))
    with pytest.raises(Forbidden):
        search.context(stranger, question, event_id, Context(1, 1))


def test_reading_a_query_runs_nothing(service: RunningService, question: Question) -> None:
    before = count_admitted()
    parsed = service.searching.parse(UNLIMITED, Question(query='{app="shop"}', env=question.env))
    assert parsed.query == "app:=shop"
    assert [notice["code"] for notice in parsed.notices] == ["read_as_dialect"]
    service.searching.check(UNLIMITED, question)
    assert count_admitted() == before

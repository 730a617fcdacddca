"""Saved questions: they are canonical, and read by the grammar alone."""

import pytest
from tests.running import RunningService, encode_lines

from logboom.base.errors import Forbidden, Invalid
from logboom.control.access.principal import UNLIMITED, Principal
from logboom.control.access.scopes import Scope
from logboom.control.saved.links import LONGEST_ADDRESS_BYTES
from logboom.lang.errors import InvalidQuery
from logboom.search.question import Question
from logboom.search.saved import make_address_canonical, make_canonical

TYPED = Question(query="grep -i error", filters=("level: a", " "))
KEPT = Question(query="error", filters=("level:a",), is_canonical=True)


def test_query_and_filters_become_canonical() -> None:
    assert make_canonical(TYPED) == KEPT
    assert make_canonical(KEPT) == KEPT


def test_without_words_there_is_nothing_to_write() -> None:
    assert make_canonical(Question(query=" \n")).query == ""
    assert make_canonical(Question(query="*")).query == "*"


def test_what_is_canonical_is_not_read_again() -> None:
    """A stored text that this release would read differently, or not at all, keeps its meaning."""
    strange = Question(query="stats count by x", filters=("wc",), is_canonical=True)
    assert make_canonical(strange, strange) == strange
    changed = Question(query="grep -i error", filters=("wc", "b"))
    assert make_canonical(changed, strange).filters == ("wc", "b")
    with pytest.raises(InvalidQuery) as caught:
        make_canonical(Question(query="stats count by x"), KEPT)
    assert caught.value.data["field"] == "query"


def test_what_was_kept_as_typed_is_read() -> None:
    assert make_canonical(TYPED, TYPED) == KEPT


@pytest.mark.parametrize(
    ("question", "member"),
    [
        (Question(query="level:"), "query"),
        (Question(filters=("a", "b | stats count")), "filters"),
        (Question(env="nowhere"), "env"),
        (Question(index=","), "index"),
        (Question(from_="whenever"), "from"),
    ],
)
def test_what_cannot_be_asked_is_not_kept(
    service: RunningService, question: Question, member: str
) -> None:
    for keep in (service.searching.keep, service.searching.keep_measurable):
        with pytest.raises(Invalid) as caught:
            keep(UNLIMITED, question, KEPT)
        assert caught.value.data["field"] == member


def test_what_stays_as_it_is_is_not_checked_again(service: RunningService) -> None:
    gone = Question(query="grep -i x", env="gone")
    assert service.searching.keep(UNLIMITED, gone, gone) == gone


def test_nobody_keeps_a_question_that_is_out_of_reach(service: RunningService) -> None:
    stranger = Principal("user", "x", "stranger", frozenset({Scope.SEARCH}), envs=("other",))
    for keep in (service.searching.keep, service.searching.keep_measurable):
        with pytest.raises(Forbidden):
            keep(stranger, Question(query="x"))


def test_a_plan_is_nothing_to_measure(service: RunningService) -> None:
    kept = service.searching.keep(UNLIMITED, Question(query="a | explain"))
    assert kept.query == "a | explain"
    with pytest.raises(Invalid, match="explain shows a plan"):
        service.searching.keep_measurable(UNLIMITED, Question(query="a | explain"))


def test_a_kept_question_is_asked_in_its_words(service: RunningService, env: str) -> None:
    """Typed, the same words are a command of the shell."""
    service.keep(encode_lines([{"message": "grep error"}, {"message": "error"}]), {"env": env})
    typed = Question(query="grep -i error", env=env)
    kept = Question(query="grep -i error", env=env, is_canonical=True)
    assert len(service.searching.search(UNLIMITED, typed).rows) == 2
    answer = service.searching.search(UNLIMITED, kept)
    assert [row["message"] for row in answer.rows] == ["grep error"]
    assert answer.warnings == []


def test_an_address_is_never_too_long_because_of_its_form() -> None:
    pattern = "+%7E%22x%22"
    assert make_address_canonical(f"/explore?q={pattern}") == "/explore?q=message%3D~%22x%22"
    full = "/explore?q=" + pattern * (LONGEST_ADDRESS_BYTES // len(pattern) - 1)
    assert make_address_canonical(full) == full

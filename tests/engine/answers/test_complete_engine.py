"""Suggestions: what the newest events have, and what the language knows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.stored import Stored
from tests.properties import examples

from logboom.control.access.globs import IndexBounds
from logboom.engine.answers.fields.complete import PIPES_BY_USE, Suggestion, suggest
from logboom.lang.complete import find_site
from logboom.lang.parse import parse
from logboom.lang.parse.pipes import CANONICAL, PIPES

EVENTS = [
    {"level": "error", "http": {"status": 500}, "team name": "a b"},
    {"level": "error", "http": {"status": 200}},
    {"level": "info", "trace": "x"},
]


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    name = wide.make_env()
    wide.add(name, [{"secret": "s"}], index="hidden")
    wide.keep(name, EVENTS, index="web")
    return name


def ask(stored: Stored, env: str, text: str) -> list[Suggestion]:
    finder = stored.make_finder(env, allowed=IndexBounds(("web",)), allowed_envs=("default", env))
    return suggest(finder, find_site(text, len(text)))


def list_texts(stored: Stored, env: str, text: str) -> list[str]:
    return [each.text for each in ask(stored, env, text)]


def test_fields_come_with_their_types_and_counts(wide: Stored, env: str) -> None:
    assert ask(wide, env, "le") == [Suggestion("level", "field", "str, 3 events")]
    everything = list_texts(wide, env, "")
    assert everything[:3] == ["_index", "level", "http.status"]
    assert {"AND", "OR", "NOT", "IN", '"team name"'} <= set(everything)
    assert "secret" not in everything


def test_what_begins_so_comes_before_what_holds_it(wide: Stored, env: str) -> None:
    assert list_texts(wide, env, "t")[:2] == ['"team name"', "trace"]


def test_values_come_with_their_counts(wide: Stored, env: str) -> None:
    assert ask(wide, env, "level:") == [
        Suggestion("error", "value", "2 events"),
        Suggestion("info", "value", "1 event"),
    ]
    assert list_texts(wide, env, "Level:i") == ["info"]
    assert list_texts(wide, env, "http.status:") == ["200", "500"]
    assert list_texts(wide, env, '"team name" level:"e') == ["error"]
    assert list_texts(wide, env, '"team name":') == ['"a b"']
    assert list_texts(wide, env, "level:info 'team name':a") == ['"a b"']
    assert list_texts(wide, env, "index:") == ["web"]
    assert list_texts(wide, env, "env:def") == ["default"]
    assert list_texts(wide, env, "nothing:") == []
    assert list_texts(wide, env, "secret:") == []


def test_every_pipe_is_suggested_once_those_in_daily_use_first(wide: Stored, env: str) -> None:
    assert sorted(PIPES_BY_USE) == sorted(CANONICAL)
    suggested = list_texts(wide, env, "* | ")
    assert suggested[:3] == ["stats", "timechart", "where"]
    assert sorted(suggested) == sorted(PIPES)


def test_pipes_and_functions_are_explained(wide: Stored, env: str) -> None:
    assert ask(wide, env, "* | timec") == [
        Suggestion(
            "timechart",
            "pipe",
            "One row per time span, including empty ones; with `by` one column per value, for the `limit` largest.",
        )
    ]
    assert set(list_texts(wide, env, "* | ")) == set(PIPES)
    assert list_texts(wide, env, "* | stats coun") == ["count", "count_uniq", "approx_count_uniq"]
    assert list_texts(wide, env, "* | stats count by lev") == ["level"]
    assert "level" in list_texts(wide, env, "* | eval x = le")
    assert "len" in list_texts(wide, env, "* | eval x = le")


def test_suggested_names_and_values_can_be_typed(wide: Stored, env: str) -> None:
    for field in ask(wide, env, ""):
        if field.kind == "field":
            for value in list_texts(wide, env, f"{field.text}:"):
                parse(f"{field.text}:{value}")


@settings(max_examples=examples(100), deadline=None)
@given(st.text(alphabet="abl |:=()\"'`\\,-!IN\n*evls", max_size=30))
def test_no_text_is_an_error(wide: Stored, env: str, text: str) -> None:
    ask(wide, env, text)

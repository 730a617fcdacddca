"""Filters, case by case, with columns for all fields and with most of them in the overflow text."""

from typing import Any

import pytest
from tests.engine.stored import Stored

from logboom.lang import ast

BIG = 2**70

EVENTS: list[dict[str, Any]] = [
    {"id": "plain", "message": "Connection REFUSED by peer", "level": "Error", "status": 500},
    {"id": "no message", "level": "warn", "note": "refused too", "tags": ["alpha", "Beta"]},
    {"id": "number message", "message": 404, "status": "500"},
    {"id": "list message", "message": ["one", "two refused"], "note": "gamma"},
    {"id": "numbers message", "message": [1, 2], "note": "delta"},
    {"id": "object message", "message": {"text": "refused inside"}, "status": 7.5},
    {"id": "null message", "message": None, "note": "epsilon"},
    {"id": "empty message", "message": "", "note": "zeta"},
    {"id": "types", "message": "x", "v": True, "w": [3, "4", False], "n": [10, 1], "e": []},
    {"id": "large", "message": "x", "big": BIG, "edge": 2**63 - 1, "tiny": 1e-7},
    {"id": "odd", "message": "line one\nline two (100%) [a] a.b", "name": "NaN", "limit": "1e400"},
    {"id": "deep", "message": "x", "http": {"Request": {"PATH": "/Api/Items"}}},
]


@pytest.fixture
def env(stored: Stored) -> str:
    env = stored.make_env()
    stored.keep(env, EVENTS[:4])
    stored.keep(env, EVENTS[4:])
    return env


CASES = {
    "refused": {"plain", "no message", "list message", "object message"},
    "REFUSED by": {"plain"},
    "404": {"number message"},
    "alpha": {"no message"},
    "gamma": set(),
    "delta": set(),
    "epsilon": {"null message"},
    "zeta": set(),
    "warn": {"no message"},
    "note": set(),
    "a.b": {"odd"},
    "aXb": set(),
    "(100%)": {"odd"},
    '"one\\nline"': {"odd"},
    "one*two": {"odd"},
    "message:refused": {"plain", "list message"},
    "message:1": {"numbers message", "odd"},
    "message:*": {each["id"] for each in EVENTS} - {"no message", "object message", "null message"},
    "message.text:refused*": {"object message"},
    "level:error": {"plain"},
    "LEVEL:ERROR": {"plain"},
    "level:=error": set(),
    "level:=Error": {"plain"},
    "level:err": set(),
    "level:err*": {"plain"},
    "level:?rror": {"plain"},
    "level!=error level:*": {"no message"},
    "status:500": {"plain", "number message"},
    "status:500.0": {"plain"},
    "status:5e2": {"plain"},
    "status:=500": {"plain", "number message"},
    "status:05": set(),
    "status:5*": {"plain", "number message"},
    "status>=500": {"plain", "number message"},
    "status>7": {"plain", "number message", "object message"},
    "status<7.6": {"object message"},
    "tags:alpha": {"no message"},
    "tags:BETA": {"no message"},
    "tags:=BETA": set(),
    "tags:b*": {"no message"},
    "v:true": {"types"},
    "v:TRUE": {"types"},
    "v:1": set(),
    "v>0": set(),
    "w:3": {"types"},
    "w:4": {"types"},
    "w:false": {"types"},
    "w>2": {"types"},
    "n:1": {"types"},
    "n>5": {"types"},
    "n<5": set(),
    "e:*": set(),
    "id:*": {each["id"] for each in EVENTS},
    f"big:{BIG}": {"large"},
    f"big:{BIG + 5}": {"large"},
    "big>1e21": {"large"},
    f"big<{10**300}": {"large"},
    f"edge:{2**63 - 1}": {"large"},
    f"edge>={2**63 - 1}": {"large"},
    f"edge>{2**63 - 1}": set(),
    f"edge<{2**63}": {"large"},
    f"edge>{-(10**300)}": {"large"},
    f"status:{10**400}": set(),
    "tiny:1e-7": {"large"},
    "tiny:0.0000001": {"large"},
    "name>0": set(),
    "name<0": set(),
    "name:nan": {"odd"},
    "limit>5": {"odd"},
    "http.request.path:/api/items": {"deep"},
    "HTTP.Request.Path:/api/*": {"deep"},
    "http.request:*": set(),
    "_index:default": {each["id"] for each in EVENTS},
    "_INDEX:DEF*": {each["id"] for each in EVENTS},
    "NOT _index>5": {each["id"] for each in EVENTS},
    "_index:other": set(),
    "nothing:*": set(),
    "nothing>5": set(),
    "NOT nothing:x": {each["id"] for each in EVENTS},
    "refused level:error": {"plain"},
    "level:error OR level:warn": {"plain", "no message"},
    "refused NOT level:*": {"list message", "object message"},
    "NOT (refused OR message:x)": {each["id"] for each in EVENTS}
    - {"plain", "no message", "list message", "object message", "types", "large", "deep"},
}


@pytest.mark.parametrize("query", CASES)
def test_a_filter_finds_its_events(stored: Stored, env: str, query: str) -> None:
    assert set(stored.find(env, query)) == CASES[query]


@pytest.mark.parametrize("length", [256, 257, 60_000])
def test_a_very_long_word_is_found(wide: Stored, length: int) -> None:
    env = wide.make_env()
    text = ("Kk. é" * length)[:length]
    wide.keep(env, [{"id": 1, "message": f"<{text}>", "copy": text}, {"id": 2, "message": "k"}])
    for node in (
        ast.Word(text.upper()),
        ast.Match("message", ast.Pattern.literal(text)),
        ast.Match("copy", ast.Pattern.literal(text)),
        ast.Exact("copy", text),
    ):
        assert wide.find(env, ast.Query(node)) == [1]
    assert wide.find(env, ast.Query(ast.Word(text + "x"))) == []


def test_an_index_that_is_a_number_can_be_compared(wide: Stored) -> None:
    env = wide.make_env()
    wide.keep(env, [{"id": 1}], "7")
    wide.keep(env, [{"id": 2}], "seven")
    assert wide.find(env, "_index>5") == [1]
    assert wide.find(env, "NOT _index>5") == [2]


def test_a_field_of_every_type_in_one_block(stored: Stored) -> None:
    env = stored.make_env()
    values: list[Any] = [
        "7",
        7,
        7.0,
        True,
        "true",
        [7, 8],
        ["7"],
        [7.5],
        [True],
        {"x": 7},
        None,
        [],
    ]
    stored.keep(env, [{"id": number, "v": value} for number, value in enumerate(values)])
    assert set(stored.find(env, "v:7")) == {0, 1, 2, 5, 6}
    assert set(stored.find(env, "v:true")) == {3, 4, 8}
    assert set(stored.find(env, "v>6")) == {0, 1, 2, 5, 6, 7}
    assert set(stored.find(env, "v:*")) == set(range(9))
    assert set(stored.find(env, "v.x:7")) == {9}

"""Filters, case by case, with columns for all fields and with most of them in the overflow text."""

from typing import Any

import pytest
from tests.engine.stored import Stored
from tests.together import together

from logboom.engine.blocks.load import load_block
from logboom.engine.filters import build_filter
from logboom.engine.terms.bound import Values
from logboom.engine.terms.needs import need
from logboom.lang import ast

BIG = 2**70

EVENTS: list[dict[str, Any]] = [
    {"id": "plain", "message": "Connection REFUSED by peer", "level": "Error", "status": 500},
    {"id": "no message", "level": "warn", "note": "refused too", "tags": ["alpha", "Beta"]}
    | {"weight": 12345, "_rest": ["hidden words"]},
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
    {"id": "slow", "message": "y", "took": "1.5s", "took_ms": 1500, "size": "12KB", "env": "Lab"},
    {"id": "fast", "message": "y", "took": "2ms", "took_ms": "2", "size": 300, "name": "Beta"},
    {"id": "long", "message": "y", "took": "1h30m", "took_ms": [90, 1], "size": "soon"},
    {"id": "here", "message": "y", "ip": "10.1.2.3"},
    {"id": "there", "message": "y", "ip": ["2001:db8::7", "192.168.0.1"], "name": "alpha"},
    {"id": "both", "message": "y", "ip": "::ffff:10.9.9.9", "name": "İstanbul"},
]
ALL = {each["id"] for each in EVENTS}


@pytest.fixture(scope="module")
def filled() -> dict[Stored, str]:
    """The environment of each store that holds the events."""
    return {}


@pytest.fixture
def env(stored: Stored, filled: dict[Stored, str]) -> str:
    if stored not in filled:
        filled[stored] = stored.make_env()
        stored.keep(filled[stored], EVENTS[:4])
        stored.keep(filled[stored], EVENTS[4:])
    return filled[stored]


CASES = {
    "refused": {"plain", "no message", "list message", "object message"},
    "REFUSED by": {"plain"},
    "404": {"number message"},
    "alpha": {"no message"},
    "gamma": set(),
    "12345": set(),
    "12345 OR *:nowhere": set(),
    "*:12345": {"no message"},
    "hidden": {"no message"},
    "_rest:hidden*": {"no message"},
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
    "message:*": ALL - {"no message", "object message", "null message"},
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
    "id:*": ALL,
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
    "_index:default": ALL,
    "_INDEX:DEF*": ALL,
    "NOT _index>5": ALL,
    "_index:other": set(),
    "level IN (ERROR, warn)": {"plain", "no message"},
    "level:(err* OR w?rn)": {"plain", "no message"},
    "status IN (7.5, 500.0)": {"plain", "object message"},
    "message:(two OR gone OR refu*by)": {"plain", "list message", "odd"},
    "level NOT IN (error, warn) note:*": {
        "list message",
        "numbers message",
        "null message",
        "empty message",
    },
    "status:[7 TO 500}": {"object message"},
    "status:[7 TO *]": {"plain", "number message", "object message"},
    'name>"alpha"': {"odd", "fast", "both"},
    'name:["alpha" TO "beta"]': {"fast", "there"},
    "took>1s": {"slow", "long"},
    "took:[1ms TO 2s]": {"slow", "fast"},
    "took>1": set(),
    "took_ms>=1.5s": {"slow"},
    "took_ms<=2ms": {"fast"},
    "took_ms>80000us": {"slow", "long"},
    "size>10KB": {"slow"},
    "size>=300B": {"slow", "fast"},
    "size<1KiB": {"fast"},
    "size>1": {"fast"},
    "ip:10.0.0.0/8": {"here", "both"},
    "ip:10.1.2.3/32": {"here"},
    "ip:192.168.0.0/23": {"there"},
    "ip:2001:db8::/32": {"there"},
    "ip:0.0.0.0/0": {"here", "there", "both"},
    "level:0.0.0.0/0": set(),
    'message=~"^Conn.*peer$"': {"plain"},
    "message:/REFUSED$/i": {"list message"},
    'status=~"^5.0$"': {"plain", "number message"},
    'tags!~"^a" tags:*': set(),
    "*:refused": {"plain", "no message", "list message", "object message"},
    "*:beta": {"no message", "fast"},
    "*:00": {"plain", "number message", "odd", "slow", "fast", "there"},
    "*:fal": {"types"},
    "*:api*items": {"deep"},
    "env:lab": {"slow"},
    "env:env*": ALL,
    "env:l?b": {"slow"},
    "index:default": ALL,
    "index:other": set(),
    "_index IN (default, other)": ALL,
    "_env:default": set(),
    "nothing:*": set(),
    "nothing>5": set(),
    "NOT nothing:x": ALL,
    "refused level:error": {"plain"},
    "level:error OR level:warn": {"plain", "no message"},
    "refused NOT level:*": {"list message", "object message"},
    "NOT (refused OR message:x)": ALL
    - {"plain", "no message", "list message", "object message", "types", "large", "deep"},
}


@together("query", CASES)
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


def test_ten_thousand_members_are_found(wide: Stored) -> None:
    env = wide.make_env()
    wide.keep(env, [{"id": number, "name": f"Name{number}"} for number in range(50)])
    names = tuple(ast.Pattern.literal(f"name{number}") for number in range(40, 10_040))
    assert set(wide.find(env, ast.Query(ast.OneOf("name", names)))) == set(range(40, 50))
    in_message = ast.OneOf("message", (*names, ast.Pattern(("x", ast.Wildcard.ANY))))
    assert wide.find(env, ast.Query(in_message)) == []


@together(
    ("text", "message", "is_found"),
    [
        ("disk", "DIS\u212a", True),
        ("disk", "di\u017fk", True),
        ("\u212aelvin", "kelvin", True),
        ("ΣΑΣ", "σας", True),
        ("straße", "STRASSE", False),
        ("straße", "STRAẞE", True),
        ("a.b", "axb", False),
        ("a\nb", "A\nB", True),
        ("İ", "i", False),
        ("\u017f", "S", True),
    ],
)
def test_words_are_found_by_simple_case_folding(
    wide: Stored, text: str, message: str, is_found: bool
) -> None:
    env = wide.make_env()
    wide.keep(env, [{"id": 1, "message": f"<{message}>"}])
    assert bool(wide.find(env, ast.Query(ast.Word(text)))) == is_found


def test_a_word_is_found_inside_one_text_of_a_list(wide: Stored) -> None:
    """In an event without a message."""
    env = wide.make_env()
    lists = [["One two", None, "three"], ["onetwo", 5], [], ["o\0n", "e"], ["x"]]
    wide.keep(env, [{"id": number, "tags": tags} for number, tags in enumerate(lists)])
    words = {"ONE": {0, 1}, "twothree": set(), "two\0three": set(), "o\0n": {3}, "x": {4}}
    for word, expected in words.items():
        assert set(wide.find(env, ast.Query(ast.Word(word)))) == expected


@pytest.mark.parametrize("text", ["\\", ".", "\\.", "a|b", "(?i)", "[", "^", "-", "#", " "])
@pytest.mark.parametrize("wild", ast.Wildcard)
def test_marks_are_literal_beside_wildcards(wide: Stored, text: str, wild: ast.Wildcard) -> None:
    env = wide.make_env()
    message = f"<{text}é{text}>"
    wide.keep(env, [{"id": 1, "message": message, "copy": message}, {"id": 2, "message": "<éx>"}])
    pattern = ast.Pattern((text, wild, text))
    assert wide.find(env, ast.Query(ast.Match("message", pattern))) == [1]
    whole = ast.Pattern(("<" + text, wild, text + ">"))
    assert wide.find(env, ast.Query(ast.Match("copy", whole))) == [1]
    assert wide.find(env, ast.Query(ast.AnyField(ast.Pattern((wild, "é" + text))))) == [1]


def test_values_of_another_query_equal_as_if_they_were_written(wide: Stored) -> None:
    env = wide.make_env()
    values: list[Any] = ["A", 7, 7.0, "7", True, "true", 7.5, ["b", "a"]]
    wide.keep(env, [{"id": number, "v": value} for number, value in enumerate(values)])

    def find(*wanted: Any) -> set[object]:
        node = Values("v", wanted)
        tables = [
            load_block(block, need("v", "id"), identity=False) for block in wide.open_blocks(env)
        ]
        found = [table.filter(build_filter(node, table)).read_column("id") for table in tables]
        return {id for ids in found for id in ids}

    assert find("a") == {0, 7}
    assert find(7.0) == find(7) == find("7") == {1, 2, 3}
    assert find(True) == {4, 5}
    assert find("b", 7.5) == {6, 7}
    assert find() == set()


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

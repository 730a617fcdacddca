"""The lexical rules one by one."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.together import together

from logboom.lang.ast import And, Exact, Exists, Match, Not, Or, Pattern, Query, Wildcard, Word
from logboom.lang.parse import parse
from logboom.lang.tokens import (
    PATH,
    QUOTED,
    SLASHED,
    decode_quoted,
    decode_run,
    escape_slashes,
    quote,
    unescape_slashes,
)

ANY, ONE = Wildcard.ANY, Wildcard.ONE


@settings(deadline=None)
@given(st.text())
def test_quoted_text_reads_back(text: str) -> None:
    match = QUOTED.fullmatch(quote(text))
    assert match is not None
    assert decode_quoted(match) == text


@settings(deadline=None)
@given(st.text())
def test_json_strings_read_as_json_does(text: str) -> None:
    assert parse(json.dumps(text)) == Query(Word(text))
    assert parse(json.dumps(text, ensure_ascii=False)) == Query(Word(text))


@together(
    ("written", "text"),
    [
        (r'"\S+\d"', r"\S+\d"),
        (r'"tab\there"', "tab\there"),
        (r'"\u00e9\uD83D\uDE00"', "é😀"),
        (r'"\ud83d \u12"', r"\ud83d \u12"),
        (r"'raw \n \'", "raw \\n \\"),
        (r"`raw \n " + '"`', 'raw \\n "'),
        ("“it’s”", "it’s"),  # noqa: RUF001
        ("„low”", "low"),
        ("‘single’", "single"),  # noqa: RUF001
        ('"keeps “curly” inside"', "keeps “curly” inside"),
    ],
)
def test_quotes(written: str, text: str) -> None:
    assert parse(written) == Query(Word(text))
    assert parse(f"f:{written}") == Query(Match("f", Pattern.literal(text)))
    assert parse(f"{written}:*") == Query(Exists(text))


def test_an_empty_text_is_no_value_either() -> None:
    assert parse('""') == Query(Word(""))
    assert parse('"":*') == Query(Exists(""))
    missing_or_empty = Or((Not(Exists("f")), Exact("f", "")))
    assert parse('f:""') == parse('f=""') == Query(missing_or_empty)
    assert parse('f!=""') == Query(And((Exists("f"), Not(Exact("f", "")))))


@together(
    ("raw", "parts"),
    [
        ("abc", ("abc",)),
        ("*", (ANY,)),
        ("a**?b", ("a", ANY, ONE, "b")),
        (r"a\*b\?c", ("a*b?c",)),
        (r"\*a*", ("*a", ANY)),
        (r"a\\*", ("a\\", ANY)),
        ("a\\", ("a\\",)),
        ("don’t", ("don't",)),  # noqa: RUF001
    ],
)
def test_unquoted_values(raw: str, parts: tuple[str | Wildcard, ...]) -> None:
    assert decode_run(raw, "*?") == parts


def test_exact_values_have_no_wildcards() -> None:
    assert parse(r"f:=a*?\*") == Query(Exact("f", "a*?*"))


def test_a_star_in_quotes_is_a_star() -> None:
    assert parse('f:"*"') == Query(Match("f", Pattern(("*",))))
    assert Pattern(("*",)) != Pattern((ANY,))


def test_text_of_a_pattern_is_known_only_without_wildcards() -> None:
    assert Pattern(()).text == ""
    assert Pattern.literal("a").text == "a"
    assert Pattern(("a", ANY)).text is None


@together(
    ("text", "found"),
    [
        ("/a+/", "/a+/"),
        ("/a+/i b", "/a+/i"),
        ("/a+/ib", None),
        ("/a b/ c", "/a b/"),
        ("/a /b", None),
        ("/ a/", None),
        ("/a b /", None),
        ("//a/", None),
        ("/a/b c/", None),
        ("/api/v1/x+/ y", "/api/v1/x+/"),
        (r"/a\/b c/", r"/a\/b c/"),
        ("/(a|b)/)", "/(a|b)/"),
        ("/a | b/", None),
        ("/a|b c/", "/a|b c/"),
        ("/a\nb/", None),
    ],
)
def test_an_expression_stands_between_slashes(text: str, found: str | None) -> None:
    match = SLASHED.match(text)
    assert (match and match[0]) == found


@pytest.mark.parametrize(
    ("text", "is_path"),
    [("/api/v1/", True), ("/a.b%20-c/", True), ("/a/b/i", True), ("/a/i", False), ("/a+/", False)],
)
def test_paths_are_told_from_expressions(text: str, is_path: bool) -> None:
    assert (PATH.fullmatch(text) is not None) == is_path


@settings(deadline=None)
@given(st.text(alphabet="/\\ab"))
def test_slashes_have_one_spelling(text: str) -> None:
    expression = unescape_slashes(text)
    assert unescape_slashes(expression) == expression
    assert unescape_slashes(escape_slashes(expression)) == expression

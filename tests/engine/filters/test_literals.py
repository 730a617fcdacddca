"""Literals of regular expressions: what every match must contain."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.together import together

from logboom.engine.filters.literals import list_literals


@together(
    ("expression", "literals"),
    [
        ("", []),
        ("timeout", ["timeout"]),
        ("^GET /api$", ["GET /api"]),
        (r"a\.b\(c", ["a.b(c"]),
        (r"took \d+ms", ["took ", "ms"]),
        ("conn.*refused", ["conn", "refused"]),
        ("colou?r", ["colo", "r"]),
        ("ab+c", ["a", "c"]),
        ("ab{2,3}c", ["a", "c"]),
        ("a|b", []),
        ("x(a|b)y", ["x", "y"]),
        (r"x(a\)|b)y", ["x", "y"]),
        ("x(?:abc)?y", ["x", "y"]),
        ("x[ab]y", ["x", "y"]),
        ("x[]|]y", ["x", "y"]),
        ("x[^]|]y", ["x", "y"]),
        ("x[[]a]]y", ["x", "y"]),
        ("x[[:alpha:]|]y", ["x", "y"]),
        (r"x[\]|]y", ["x", "y"]),
        (r"x\x41y", []),
        (r"\bword\b", ["word"]),
        (r"\<word\>", ["word"]),
        (r"\p{Greek}x", []),
        ("(?x) a b", []),
        ("(?i)abc", ["abc"]),
        ("ключ", ["ключ"]),
    ],
)
def test_literals_are_the_plain_runs(expression: str, literals: list[str]) -> None:
    assert list_literals(expression) == literals


pieces = st.sampled_from(
    [
        *(
            "a",
            "b",
            "ab",
            "B",
            ".",
            "^",
            "$",
            "|",
            "(",
            ")",
            "(?:",
            "[",
            "]",
            "[^",
            "[]",
            "-",
            "&&",
        ),
        *("*", "+", "?", "{0}", "{1,2}", "{", r"\d", r"\.", r"\(", r"\]", r"\b", r"\x61", r"\w"),
        *("(?i)", "(?x)", "(?x:", " ", "#", "é", "[:alpha:]", r"\<", r"\pL", r"\n"),
    ]
)
texts = st.text(alphabet="abBAé.(]- #&\n", max_size=8)


@settings(max_examples=examples(200), deadline=None)
@given(
    expressions=st.lists(st.lists(pieces, max_size=6).map("".join), min_size=20, max_size=40),
    values=st.lists(texts, min_size=20, max_size=20),
)
def test_whatever_matches_contains_them(expressions: list[str], values: list[str]) -> None:
    frame = pl.DataFrame({"text": values}, schema={"text": pl.String})
    for expression in expressions:
        literals = list_literals(expression)
        try:
            found = frame.filter(pl.col("text").str.contains(expression))["text"]
        except pl.exceptions.ComputeError:
            continue
        for text in found:
            assert all(each.lower() in text.lower() for each in literals), expression

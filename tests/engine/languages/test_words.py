"""A text that is read as words finds the event that has it as its message, whatever it looks like."""

import re
from pathlib import Path

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.engine.oracle import make_row, matches
from tests.properties import examples

from logboom.lang.ast import And, Everything, Filter, Match, Or, Word
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse import read

CASES = Path(__file__).parents[2] / "cases" / "lang"
LINES = [
    line
    for name in ("prose", "pasted")
    for line in (CASES / f"{name}.txt").read_text().splitlines()
    if line and line[0] not in "# "
]
PIECES = [
    "error",
    "Error:",
    "timeout:",
    "or",
    "and",
    "not",
    "level",
    ":",
    "=",
    "==",
    "[5m]",
    "contains",
    "has",
    "like",
    "seq(a,b)",
    "i(x)",
    "len()",
    "main()",
    "Foo.bar(Foo.java:12)",
    "http://a/b?c=d",
    "std::mutex",
    "12:30:45",
    "10.0.0.1:80",
    '{"a":1}',
    "{a}",
    "<tag>",
    "->",
    "--flag",
    "&&",
    "||",
    "500-599",
    "5xx",
    "last",
    "5m",
    "größe",
    "ünïcode",
    "日本語",
    "eval(a)",
    "in",
    "(b)",
    "FROM",
    "select",
    "let",
    "x",
    "count",
    "by",
    "where",
    "grep",
    "-i",
    "wc",
    "#",
    "'",
    "`",
    "*",
    "?",
    '"quoted',
    'text"',
    "it's",
    "1KB",
    "@user",
    "$x",
    "a,b;",
    "50%",
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=8).map(" ".join)


def are_words(node: Filter) -> bool:
    """Nothing but texts that must be in the message."""
    match node:
        case And(terms) | Or(terms):
            return all(map(are_words, terms))
        case Match("message") | Word() | Everything():
            return True
        case _:
            return False


def finds_itself(text: str) -> bool:
    """Whether the text, if it is read as words, finds an event that has it."""
    try:
        query = read(text).query
    except InvalidQuery:
        return True
    if query.pipes or not are_words(query.filter):
        return True
    return matches(query.filter, make_row({"message": text, "timestamp": 1}, "default", "default"))


@settings(max_examples=examples(300))
@given(TEXTS)
def test_random_text_that_is_read_as_words_finds_its_event(text: str) -> None:
    # Before a sign a backslash says that it is not a special one.
    assume(text.strip() and not re.search(r"\\[^\w]", text))
    assert finds_itself(text)


def test_lines_of_logs_find_their_events() -> None:
    assert [line for line in LINES if not finds_itself(line)] == []

"""The user's page on the language: complete, and its examples are valid."""

import re
from pathlib import Path

from logboom.lang.parse import parse
from logboom.lang.parse.filters import TESTS
from logboom.lang.parse.pipes import FUNCTIONS, PIPES

PAGE = (Path(__file__).parents[2] / "docs" / "query-language.md").read_text()


def test_every_pipe_has_its_heading() -> None:
    headings = set(re.findall(r"^### (.+)$", PAGE, re.MULTILINE))
    assert set(PIPES) <= headings


def test_every_operator_and_function_is_used_or_named() -> None:
    signs = {operator.removeprefix(":") or ":" for operator in TESTS}
    assert [text for text in (*signs, *FUNCTIONS) if text not in PAGE] == []


def test_every_example_parses() -> None:
    examples = "".join(re.findall(r"^```query\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
    queries = examples.splitlines()
    assert len(queries) > 20
    for query in queries:
        parse(query)

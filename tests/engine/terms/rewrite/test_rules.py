"""Every rule, by cases kept as data: a query, and what the rule makes of it."""

from pathlib import Path

import pytest

from logboom.engine.terms.rewrite import RULES, Rule, rewrite
from logboom.lang.format import format_query
from logboom.lang.parse import parse

CASES = Path(__file__).parents[3] / "cases" / "rewrite"
BY_NAME = {rule.__name__: rule for rule in RULES}


def read_cases(path: Path) -> list[tuple[str, str]]:
    """A query in column one, the rewritten one indented under it."""
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("# ")]
    return [
        (query, expected.strip()) for query, expected in zip(lines[::2], lines[1::2], strict=True)
    ]


ALL = [
    pytest.param(BY_NAME[path.stem], query, expected, id=f"{path.stem}: {query}")
    for path in sorted(CASES.glob("*.txt"))
    for query, expected in read_cases(path)
]


@pytest.mark.parametrize(("rule", "query", "expected"), ALL)
def test_rule_makes_of_a_query_what_the_case_says(rule: Rule, query: str, expected: str) -> None:
    assert format_query(rule(parse(query))) == expected


@pytest.mark.parametrize(("rule", "query", "expected"), ALL)
def test_rewriting_again_changes_nothing(rule: Rule, query: str, expected: str) -> None:
    once = rewrite(parse(query))
    assert rewrite(once) == once


def test_every_rule_has_cases() -> None:
    assert {path.stem for path in CASES.glob("*.txt")} == set(BY_NAME)

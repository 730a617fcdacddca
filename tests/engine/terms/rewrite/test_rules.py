"""Every rule, by cases kept as data: a query, and what the rule makes of it."""

from pathlib import Path

import pytest
from tests.engine.terms.golden import list_queries

from logboom.base.errors import Invalid
from logboom.engine.terms.rewrite import RULES, Rule, rewrite
from logboom.engine.terms.tree import list_kinds
from logboom.lang import ast
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


def test_a_query_without_what_a_rule_concerns_stays_as_it_is() -> None:
    for query in list_queries():
        for rule, concerned in RULES.items():
            if concerned.isdisjoint(list_kinds(query)):
                assert rule(query) == query


def test_rules_that_do_not_concern_a_query_may_be_left_out() -> None:
    for query in list_queries():
        try:
            expected = apply_all(query)
        except Invalid:
            continue
        assert rewrite(query) == expected


def apply_all(query: ast.Query) -> ast.Query:
    for rule in RULES:
        query = rule(query)
    return query

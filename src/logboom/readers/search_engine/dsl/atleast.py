"""`minimum_should_match`: how many of several clauses must match."""

from itertools import combinations
from math import comb

from logboom.base.patterns import compile_later
from logboom.lang import ast
from logboom.readers.search_engine.dsl.context import (
    EVERYTHING,
    MOST_TESTS,
    NOTHING,
    count_tests,
    join_all,
    join_any,
    malformed,
    too_many_tests,
    unsupported,
)

NUMBER = compile_later(r"(?P<number>-?\d{1,4})(?P<percent>%?)")
MOST_COMBINATIONS = 500


def match_at_least(clauses: list[ast.Filter], least: object) -> ast.Filter:
    """Return what matches enough of the clauses: a number, a share, or, if negative, how many may be missing."""
    count = count_needed(len(clauses), least)
    if count <= 0:
        return EVERYTHING
    if count > len(clauses):
        return NOTHING
    if count == 1:
        return join_any(clauses)
    if comb(len(clauses), count) > MOST_COMBINATIONS:
        raise unsupported(
            f"minimum_should_match of {count} of {len(clauses)} clauses, expected at most {MOST_COMBINATIONS} "
            "combinations"
        )
    if comb(len(clauses) - 1, count - 1) * count_tests(clauses) > MOST_TESTS:
        raise too_many_tests()
    return join_any([join_all(list(each)) for each in combinations(clauses, count)])


def count_needed(total: int, least: object) -> int:
    match = NUMBER.fullmatch(str(least).strip())
    if match is None:
        raise malformed(
            f"minimum_should_match is {str(least)[:80]!r}, expected a number or a percentage"
        )
    number = int(match["number"])
    if match["percent"]:
        number = total * number // 100 if number >= 0 else -(total * -number // 100)
    return number if number >= 0 and str(least).strip()[:1] != "-" else total + number

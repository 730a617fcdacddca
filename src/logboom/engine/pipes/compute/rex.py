"""`rex`: named groups of a regular expression's first match become text fields."""

from logboom.base.errors import Invalid
from logboom.engine.expressions.patterns import list_groups
from logboom.engine.pipes.compute.captures import Captures
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast
from logboom.lang.regex import find_fault


def make_rex(pipe: ast.Rex, _conditions: Conditions) -> Captures:
    fault = find_fault(pipe.expression)
    if fault:
        raise Invalid(f"rex: regular expression {pipe.expression[:80]!r}: {fault}")
    names = [group for group in list_groups(pipe.expression) if not group.isdigit()]
    if not names:
        raise Invalid(
            f"rex: {pipe.expression[:80]!r} names no group, expected one such as (?<name>[a-z]+)"
        )
    pairs = tuple((name, name) for name in names)
    return Captures(pipe.field, pipe.expression, pairs, pipe.most, pipe.keeps, pipe.skips_empty)

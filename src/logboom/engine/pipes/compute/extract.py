"""`extract`: text between the fixed parts of a template becomes fields: `user=<user> from <ip>:`."""

import re

from logboom.base.errors import Invalid
from logboom.engine.pipes.compute.captures import Captures
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast
from logboom.lang.regex import find_fault

PLACEHOLDER = re.compile(r"<([^<>]+)>")
SKIPPED = "_"


def make_extract(pipe: ast.Extract, _conditions: Conditions) -> Captures:
    """Return the pipe; its template matches at the first occurrence, and the last field extends to the end."""
    literals, names = PLACEHOLDER.split(pipe.template)[::2], PLACEHOLDER.findall(pipe.template)
    if all(name == SKIPPED for name in names):
        raise Invalid(
            f"extract: {pipe.template[:80]!r} names no field, expected one such as <name>"
        )
    if "" in literals[1:-1]:
        raise Invalid(f"extract: {pipe.template[:80]!r}, expected some text between two fields")
    expression = write_expression(literals, names)
    fault = find_fault(expression)
    if fault:
        raise Invalid(f"extract: template of {len(pipe.template)} characters: {fault}")
    fields = [(f"g{place}", name) for place, name in enumerate(names) if name != SKIPPED]
    pairs = tuple(fields)
    return Captures(pipe.field, expression, pairs, keeps=pipe.keeps, skips_empty=pipe.skips_empty)


def write_expression(literals: list[str], names: list[str]) -> str:
    expression = "(?s)" + re.escape(literals[0])
    for place, literal in enumerate(literals[1:]):
        is_last = place == len(names) - 1 and not literal
        value = ".*" if is_last else ".*?"
        group = f"({value})" if names[place] == SKIPPED else f"(?P<g{place}>{value})"
        expression += group + re.escape(literal)
    return expression

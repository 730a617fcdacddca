"""Regular expressions and patterns, which must be constants in the query."""

import re

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.expressions.arguments import Arguments, Builder
from logboom.engine.rows.values import Value, as_text
from logboom.lang.regex import find_fault
from logboom.model.columns import Kind

EMPTY = pl.Series([""])
BACK_REFERENCE = re.compile(r"\\([0-9])")
LIKE_PART = re.compile(r"\\.|%|_|[^\\%_]+|\\", re.DOTALL)
LIKE_WILD = {"%": ".*", "_": "."}


def read_expression(arguments: Arguments, place: int) -> str:
    """Return the regular expression given as an argument."""
    expression = str(arguments.constant(place, "a regular expression written in the query"))
    fault = find_fault(expression)
    if fault:
        raise Invalid(f"{arguments.name}: regular expression {expression[:80]!r}: {fault}")
    return expression


def matches(arguments: Arguments) -> Value:
    """Return whether the expression matches some value; null if there is none."""
    return search(arguments, read_expression(arguments, 1))


def search(arguments: Arguments, expression: str) -> Value:
    value = arguments.values[0]
    found = value.passes(lambda part, kind: as_text(part, kind).str.contains(expression))
    return Value({Kind.BOOL: pl.when(value.exists()).then(found)})


def like(arguments: Arguments) -> Value:
    """Match a text, ignoring case: `%` stands for any text, `_` for one character; a backslash escapes them."""
    pattern = str(arguments.constant(1, "a pattern written in the query"))
    pieces = [
        LIKE_WILD.get(part) or re.escape(part[1:] if len(part) > 1 and part[0] == "\\" else part)
        for part in LIKE_PART.findall(pattern)
    ]
    return search(arguments, f"(?is)^(?:{''.join(pieces)})$")


def list_groups(expression: str) -> list[str]:
    """Return the names of an expression's groups in order; unnamed ones have their number."""
    dtype = EMPTY.str.extract_groups(expression).dtype
    assert isinstance(dtype, pl.Struct)
    return [field.name for field in dtype.fields]


def capture(arguments: Arguments) -> Value:
    """Return a group by number or name; without groups the whole match."""
    expression = read_expression(arguments, 1)
    groups = list_groups(expression)
    wanted = 1 if groups else 0
    if len(arguments) > 2:
        wanted = find_group(arguments, groups)
    return Value({Kind.STR: arguments.text(0).str.extract(expression, wanted)})


def find_group(arguments: Arguments, groups: list[str]) -> int:
    name = arguments.constant(2, "the number or name of a group")
    if name == 0 and not isinstance(name, bool):
        return 0
    if isinstance(name, int) and not isinstance(name, bool) and 1 <= name <= len(groups):
        return name
    if name in groups:
        return groups.index(str(name)) + 1
    known = f"one of {', '.join(groups)}" if groups else "0: the expression has no groups"
    raise Invalid(f"{arguments.name}: group {name!r}, expected {known}")


def replace(arguments: Arguments) -> Value:
    r"""Replace each match; `$1` and `\1` stand for groups."""
    expression = read_expression(arguments, 1)
    written = str(arguments.constant(2, "a text written in the query"))
    replacement = BACK_REFERENCE.sub(r"${\1}", written)
    return Value({Kind.STR: arguments.text(0).str.replace_all(expression, replacement)})


PATTERNS: dict[str, Builder] = {
    "match": matches,
    "capture": capture,
    "like": like,
    "replace": replace,
}

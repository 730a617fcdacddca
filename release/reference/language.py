"""Pipes and functions of the query language, from the tables that the parser and the completion use."""

from collections.abc import Iterator, Mapping

from logboom.engine.answers.fields.complete import PIPES
from logboom.lang.functions import (
    AGGREGATE_ALIASES,
    AGGREGATES,
    FUNCTION_ALIASES,
    FUNCTIONS,
    Signature,
)
from logboom.lang.parse.pipes import CANONICAL, READ_AS
from release.reference.tables import code, join_codes, make_table

PIPES_HEAD = """# Pipes

Each name leads to its explanation and examples. *Also read* lists other names, most of them from other languages, that are
read as this pipe.

"""
FUNCTIONS_HEAD = """# Functions

The [query language](../query-language.md#aggregates) has more about each. An argument in brackets may be left out; `…` stands
for any number more.

## Aggregates

For `stats`, `timechart`, `chart`, `eventstats` and `streamstats`.

"""
EXPRESSIONS_HEAD = """
## Functions of expressions

For `eval`, `where`, and inside aggregates.

"""


def make_pipes() -> str:
    rows = (
        (f"[`{name}`](../query-language.md#{name})", PIPES[name], join_codes(list_names(name)))
        for name in CANONICAL
    )
    return PIPES_HEAD + make_table(("Pipe", "What it does", "Also read"), rows)


def list_names(pipe: str) -> list[str]:
    return sorted(alias for alias, name in READ_AS.items() if name == pipe and alias != pipe)


def make_functions() -> str:
    heads = ("Function", "Result", "Value", "Also")
    aggregates = make_table(heads, describe(AGGREGATES, AGGREGATE_ALIASES))
    functions = make_table(heads, describe(FUNCTIONS, FUNCTION_ALIASES))
    return FUNCTIONS_HEAD + aggregates + EXPRESSIONS_HEAD + functions


def describe(
    signatures: Mapping[str, Signature], aliases: Mapping[str, str]
) -> Iterator[tuple[str, ...]]:
    for name, signature in signatures.items():
        others = sorted(alias for alias, known in aliases.items() if known == name)
        yield code(write_call(signature)), signature.result, signature.summary, join_codes(others)


def write_call(signature: Signature) -> str:
    """Return a call such as `trim(a, [b])`: which arguments are required and which are optional."""
    letters = "abcdefgh"
    needed = list(letters[: signature.minimum])
    if signature.maximum is None:
        return f"{signature.name}({', '.join([*needed, '…'])})"
    optional = [f"[{letter}]" for letter in letters[signature.minimum : signature.maximum]]
    return f"{signature.name}({', '.join(needed + optional)})"

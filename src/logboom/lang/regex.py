"""Validates the regular expressions of queries for the linear-time engine that runs them."""

import re
from functools import lru_cache

import polars as pl
from polars.exceptions import ComputeError

from logboom.base.patterns import compile_later

MAX_EXPRESSION_LENGTH = 4096
EMPTY = pl.Series([""])
LOOSE_BRACE = compile_later(
    r"(?P<escaped>\\[pPxuU]\{[^}]*+\}|\\.)|\{(?![0-9]+(?:,[0-9]*)?\})", re.DOTALL
)


@lru_cache(maxsize=512)
def find_fault(expression: str) -> str | None:
    """Return why the expression cannot be used, or None if it can."""
    if len(expression) > MAX_EXPRESSION_LENGTH:
        return f"{len(expression)} characters, expected at most {MAX_EXPRESSION_LENGTH}"
    try:
        EMPTY.str.contains(expression)
    except ComputeError as error:
        return read_reason(str(error))
    return None


def read_reason(message: str) -> str:
    """Return the informative line of the engine's message."""
    for line in message.splitlines():
        if line.startswith("error: "):
            return line.removeprefix("error: ")
    if "size limit" in message:
        return "too large when compiled"
    return "not understood"


def escape_braces(expression: str) -> str:
    """Return the expression as the engine needs it: other engines take a brace that counts nothing as itself."""
    if "{" not in expression or find_fault(expression) is None:
        return expression
    return LOOSE_BRACE.sub(lambda found: found["escaped"] or r"\{", expression)

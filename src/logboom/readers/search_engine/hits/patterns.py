"""Patterns of names, in which `*` stands for anything."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import re2

from logboom.readers.search_engine.dsl.context import unsupported
from logboom.readers.search_engine.dsl.members import read_list, show

MOST_PATTERNS = 1000
MOST_WILD = 50
"""How many patterns may have stars."""
LONGEST_PATTERNS = 64 * 1024
"""Characters of all patterns together."""
OPTIONS = re2.Options()
OPTIONS.dot_nl = True
OPTIONS.log_errors = False


class Patterns:
    """Whether a name matches one of some patterns. There may be many names, so it is one expression for all."""

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        written = tuple(patterns)
        self._wild = tuple(each for each in written if "*" in each)
        self._names = frozenset(written).difference(self._wild)
        if len(written) > MOST_PATTERNS or sum(map(len, written)) > LONGEST_PATTERNS:
            raise unsupported(
                f"{len(written)} patterns, expected at most {MOST_PATTERNS} with {LONGEST_PATTERNS} characters"
            )
        if len(self._wild) > MOST_WILD:
            raise unsupported(
                f"{len(self._wild)} patterns with stars, expected at most {MOST_WILD}"
            )

    def __bool__(self) -> bool:
        return bool(self._names or self._wild)

    @cached_property
    def _expression(self) -> Any:
        return re2.compile("|".join(map(write_expression, self._wild)), OPTIONS)

    def match(self, name: str) -> bool:
        if name in self._names:
            return True
        return bool(self._wild) and self._expression.fullmatch(name) is not None


def write_expression(pattern: str) -> str:
    return ".*".join(map(re2.escape, pattern.split("*")))


def read_patterns(written: object, where: str) -> tuple[str, ...]:
    patterns = read_list(written)
    if not all(isinstance(each, str) for each in patterns):
        raise unsupported(f"[{where}] is {show(written)}, expected patterns of names")
    return tuple(patterns)

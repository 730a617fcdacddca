"""The search engine's `filter_path` parameter: which members of an answer the client wants.

Patterns are separated by commas and match member names from the top. `*` stands for any part of a name, `**` for any
number of members, a leading `-` removes what matches. Arrays are traversed, and what becomes empty is omitted.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, groupby

MAX_LENGTH = 4096

Pattern = tuple[str, ...]
Patterns = frozenset[Pattern]

Members = dict[str, object]

NOTHING = object()
"""Marks a value of which nothing is left; null is an ordinary value."""
WHOLE: Pattern = ()
ANY_DEPTH = "**"


class FilterPath:
    """The patterns of one parameter; without any, everything is wanted."""

    def __init__(self, text: str = "") -> None:
        patterns = [part.strip() for part in text[:MAX_LENGTH].split(",") if part.strip("- ")]
        self._wanted = split_patterns(part for part in patterns if not part.startswith("-"))
        self._unwanted = split_patterns(part[1:] for part in patterns if part.startswith("-"))

    def __bool__(self) -> bool:
        return bool(self._wanted or self._unwanted)

    def apply(self, members: Members) -> Members:
        """Return what is left of an answer."""
        left: object = members
        if self._wanted:
            left = keep(left, self._wanted)
        if self._unwanted:
            left = drop(left, self._unwanted)
        return left if isinstance(left, dict) else {}


@lru_cache(maxsize=256)
def parse_filter_path(text: str) -> FilterPath:
    """Parse the parameter; cached, because a client sends the same one with every request."""
    return FilterPath(text)


def split_patterns(patterns: Iterable[str]) -> Patterns:
    """Return each path as its list of names; a repeated `**` counts once."""
    split = (groupby(pattern.split("."), lambda name: name == ANY_DEPTH) for pattern in patterns)
    return frozenset(
        tuple(chain.from_iterable([ANY_DEPTH] if is_any else names for is_any, names in groups))
        for groups in split
    )


def keep(value: object, wanted: Patterns) -> object:
    """Return the parts of a value that a pattern leads to, or NOTHING."""
    if WHOLE in wanted:
        return value
    if isinstance(value, list):
        return list_left([keep(item, wanted) for item in value])
    if isinstance(value, dict) and wanted:
        return name_left({name: keep(item, step(wanted, name)) for name, item in value.items()})
    return NOTHING


def drop(value: object, unwanted: Patterns) -> object:
    """Return a value without the parts that a pattern leads to, or NOTHING."""
    if WHOLE in unwanted:
        return NOTHING
    if isinstance(value, list) and value:
        return list_left([drop(item, unwanted) for item in value])
    if isinstance(value, dict) and value and unwanted:
        return name_left({name: drop(item, step(unwanted, name)) for name, item in value.items()})
    return value


def list_left(items: list[object]) -> object:
    return [item for item in items if item is not NOTHING] or NOTHING


def name_left(members: Members) -> object:
    return {name: item for name, item in members.items() if item is not NOTHING} or NOTHING


def step(patterns: Patterns, name: str) -> Patterns:
    """Return what is left of the patterns below the member of this name."""
    left: set[Pattern] = set()
    for pattern in patterns:
        left.update(step_pattern(pattern, name))
    return frozenset(left)


def step_pattern(pattern: Pattern, name: str) -> Iterable[Pattern]:
    if pattern and pattern[0] == ANY_DEPTH:
        yield pattern if len(pattern) > 1 else WHOLE
        pattern = pattern[1:]
    if pattern and matches(pattern[0], name):
        yield pattern[1:]


def matches(pattern: str, name: str) -> bool:
    """Return whether a name matches a pattern in which `*` stands for anything."""
    first, *rest = pattern.split("*")
    if not rest:
        return name == pattern
    *middle, last = rest
    if not name.startswith(first):
        return False
    at = len(first)
    for part in middle:
        found = name.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return name.endswith(last) and len(name) - len(last) >= at


ALL = FilterPath()

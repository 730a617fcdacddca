"""Unknown names: the error says how it is written here, or names the one that was misspelled."""

import re
from collections.abc import Collection
from typing import Literal, TypeAlias

from logboom.base.atomic import compile_rightly
from logboom.lang.errors import InvalidQuery
from logboom.lang.foreign import Foreign, find_foreign
from logboom.lang.parse.cursor import Cursor, join_alternatives, show

NameKind: TypeAlias = Literal["pipe", "aggregate", "function", "format"]

LEAST_LENGTH = 4
"""Shorter names are one edit away from too many others."""
MAX_EDITED = 300
"""How many characters after a name are examined to repair it, so that no text takes long."""
LIKELY: dict[NameKind, tuple[str, ...]] = {
    "pipe": ("stats", "where", "fields", "sort", "eval"),
    "aggregate": ("count", "sum", "avg", "max", "count_uniq", "p95"),
    "function": ("if", "coalesce", "lower", "replace", "strftime"),
    "format": (),
}
SPOKEN: dict[NameKind, str] = {"aggregate": "function"}


class UnknownName(InvalidQuery):
    """An error about an unknown name. `is_meant` if it is clear what the name stands for."""

    is_meant = False


def unknown_name(
    cursor: Cursor,
    start: int,
    kind: NameKind,
    known: Collection[str],
    accepted: Collection[str] = (),
) -> UnknownName:
    """Return an error about the name just consumed; `accepted` are further names that exist."""
    name = cursor.text[start : cursor.position]
    names = sorted(known)
    suggestion = None
    row = find_foreign(kind, name) if kind != "format" else None
    near = find_misspelled(name, {*known, *accepted}) if row is None else None
    if row:
        hint, suggestion = describe(row), repair(cursor, start, row)
    elif near:
        hint, suggestion = f'did you mean "{near}"?', cursor.replace(start, cursor.position, near)
    elif likely := LIKELY[kind]:
        listed = f"all {len(names)} are in the query language reference"
        hint = f"expected one such as {join_alternatives(likely)}; {listed}"
    else:
        hint = f"expected {join_alternatives(names)}"
    message = f"unknown {SPOKEN.get(kind, kind)} {show(name)}, {hint}"
    error = UnknownName(message, start, cursor.position, names, suggestion)
    error.is_meant = bool(row or near)
    return error


def describe(row: Foreign) -> str:
    """Return how it is written here, or what comes closest."""
    if not row.ours:
        return f"there is no equivalent here: {row.note}"
    return f"write {row.ours}" + (f" ({row.note})" if row.note else "")


def repair(cursor: Cursor, start: int, row: Foreign) -> str | None:
    """Return the query with the foreign name, and what belongs to it, in our syntax."""
    end = cursor.position
    for pattern, replacement in row.edits:
        found = compile_rightly(pattern, re.IGNORECASE).match(cursor.text, end, end + MAX_EDITED)
        if found is None:
            continue
        edited = cursor.replace(start, found.end(), found.expand(replacement))
        return edited if replacement else edited.rstrip().removesuffix("|").rstrip()
    return None


def find_misspelled(name: str, known: Collection[str]) -> str | None:
    """Return the only known name that is a single typing error away, if there is exactly one."""
    if len(name) < LEAST_LENGTH:
        return None
    found = [each for each in known if is_one_slip(name.lower(), each)]
    return found[0] if len(found) == 1 else None


def is_one_slip(left: str, right: str) -> bool:
    """Return whether two words differ by one letter omitted, added or replaced, or two neighbours swapped."""
    if left == right or abs(len(left) - len(right)) > 1:
        return False
    same = count_common(left, right)
    left, right = left[same:], right[same:]
    is_swapped = left[:2] == right[1::-1] and left[2:] == right[2:]
    return is_swapped or left[1:] == right[1:] or left[1:] == right or left == right[1:]


def count_common(left: str, right: str) -> int:
    """Return the length of the common prefix."""
    pairs = zip(left, right, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))

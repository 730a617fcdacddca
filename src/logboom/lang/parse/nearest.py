"""Names that do not exist: the error about them offers the nearest that does."""

from collections.abc import Collection
from difflib import get_close_matches

from logboom.lang.errors import InvalidQuery
from logboom.lang.parse.cursor import Cursor, join_alternatives, show

# Longer ones are no misspellings, and comparing them takes long.
MAX_NAME_LENGTH = 40


def unknown_name(
    cursor: Cursor, start: int, kind: str, known: Collection[str], accepted: Collection[str] = ()
) -> InvalidQuery:
    """An error about the name just taken; `accepted` are names not worth listing, but near enough to offer."""
    name = cursor.text[start : cursor.position]
    names = sorted(known)
    near = find_nearest(name, {*known, *accepted})
    hint = f'did you mean "{near}"?' if near else f"expected {join_alternatives(names)}"
    suggestion = cursor.replace(start, cursor.position, near) if near else None
    message = f"unknown {kind} {show(name)}, {hint}"
    return cursor.error(message, start, cursor.position, names, suggestion)


def find_nearest(name: str, known: Collection[str]) -> str | None:
    if len(name) > MAX_NAME_LENGTH:
        return None
    return next(iter(get_close_matches(name.lower(), sorted(known), n=1)), None)

"""Pipes: what happens to the events found. One function each, listed in PIPES."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches

from logboom.lang.ast import Aggregate, Pipe, Stats
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse.cursor import Cursor, join_alternatives, show
from logboom.lang.tokens import AS, BY, NAME, PIPE_KEYWORD

FUNCTIONS = ("count",)


def parse_pipe(cursor: Cursor) -> Pipe:
    """One pipe, from its name up to the next bar, a closing parenthesis or the end."""
    cursor.skip_blanks()
    start = cursor.position
    name = cursor.take(NAME)
    if name is None:
        raise cursor.unexpected(["a pipe"], without_bar(cursor) if cursor.at_end else None)
    parse = PIPES.get(name.lower())
    if parse is None:
        raise unknown_name(cursor, start, "pipe", PIPES)
    cursor.skip_blanks()
    pipe = parse(cursor)
    cursor.skip_blanks()
    return pipe


def without_bar(cursor: Cursor) -> str:
    return cursor.text[: cursor.text.rindex("|")].rstrip()


def unknown_name(cursor: Cursor, start: int, kind: str, known: Iterable[str]) -> InvalidQuery:
    """An error about the name just taken, with the nearest that exists."""
    names = sorted(known)
    name = cursor.text[start : cursor.position]
    near = get_close_matches(name.lower(), names, n=1)
    hint = f', did you mean "{near[0]}"?' if near else f", expected {join_alternatives(names)}"
    suggestion = cursor.replace(start, cursor.position, near[0]) if near else None
    message = f"unknown {kind} {show(name)}{hint}"
    return cursor.error(message, start, cursor.position, names, suggestion)


def parse_stats(cursor: Cursor) -> Pipe:
    """`stats count [as name], … [by field, …]`."""
    start = cursor.position
    aggregates = [parse_aggregate(cursor)]
    while not ends_pipe(cursor) and not cursor.sees(BY):
        take_comma(cursor)
        aggregates.append(parse_aggregate(cursor))
    keys = parse_keys(cursor) if cursor.take(BY) else ()
    seen: set[str] = set()
    for column in (*keys, *(aggregate.name for aggregate in aggregates)):
        if column in seen:
            message = f'two columns are named {show(column)}, expected another name with "as"'
            raise cursor.error(message, start, cursor.position, ["as"])
        seen.add(column)
    return Stats(tuple(aggregates), keys)


def parse_aggregate(cursor: Cursor) -> Aggregate:
    start = cursor.position
    written = None if cursor.sees(PIPE_KEYWORD) else cursor.take(NAME)
    if written is None:
        raise cursor.unexpected(FUNCTIONS)
    function = written.lower()
    if function not in FUNCTIONS:
        raise unknown_name(cursor, start, "function", FUNCTIONS)
    cursor.skip_blanks()
    if cursor.take_character("("):
        cursor.skip_blanks()
        if not cursor.take_character(")"):
            raise cursor.unexpected([")"])
        cursor.skip_blanks()
    name = function
    if cursor.take(AS):
        cursor.skip_blanks()
        name = parse_name(cursor, "a column name")
    return Aggregate(function, None, name)


def parse_keys(cursor: Cursor) -> tuple[str, ...]:
    cursor.skip_blanks()
    keys = [parse_name(cursor, "a field name")]
    while not ends_pipe(cursor):
        take_comma(cursor)
        keys.append(parse_name(cursor, "a field name"))
    return tuple(keys)


def parse_name(cursor: Cursor, expected: str) -> str:
    """A name and the blanks after it; `as`, `by` and `if` are names only in quotes."""
    name = None if cursor.sees(PIPE_KEYWORD) else cursor.take_name()
    if name is None:
        raise cursor.unexpected([expected])
    cursor.skip_blanks()
    return name


def take_comma(cursor: Cursor) -> None:
    """Between the members of a list a comma may stand."""
    cursor.take_character(",")
    cursor.skip_blanks()


def ends_pipe(cursor: Cursor) -> bool:
    return cursor.at_end or cursor.sees_any("|)")


PIPES: dict[str, Callable[[Cursor], Pipe]] = {
    "stats": parse_stats,
}

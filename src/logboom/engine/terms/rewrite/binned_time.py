"""`bin _time` of events: the time identifies the event, so the pipes that use it round it themselves."""

from typing import Any

from logboom.base.errors import Invalid
from logboom.engine.rows.table import TIME
from logboom.engine.terms.tree import rebuild
from logboom.lang import ast
from logboom.lang.tokens import TIME_NAMES

TABLES = (
    *(ast.Stats, ast.Timechart, ast.Chart, ast.Top, ast.Rare, ast.Uniq, ast.Patterns, ast.Diff),
    *(ast.Transaction, ast.InputLookup, ast.XySeries, ast.Untable),
)
"""Pipes after which rows no longer stand for events."""
NAMED_BY = ("fields", "by", "names", "same", "row", "column", "value")
NS_PER_S = 10**9


def spread_bins(query: ast.Query) -> ast.Query:
    """Return the query without such bins, while rows stand for events."""
    pipes: list[ast.Pipe] = []
    size: ast.Quantity | None = None
    are_events = True
    for place, pipe in enumerate(query.pipes):
        if are_events and is_time_bin(pipe):
            size = pipe.size  # type: ignore[union-attr]
            continue
        if size is not None:
            check_names(pipe, query.pipes[place + 1 :])
            pipe = round_times(pipe, size)
        pipes.append(pipe)
        if isinstance(pipe, TABLES):
            are_events, size = False, None
    if size is not None:
        raise unnamed_bin()
    return ast.Query(query.filter, tuple(pipes))


def is_time_bin(pipe: ast.Pipe) -> bool:
    return isinstance(pipe, ast.Bin) and pipe.name in TIME_NAMES and pipe.size is not None


def check_names(pipe: ast.Pipe, following: tuple[ast.Pipe, ...]) -> None:
    """Raise Invalid for a pipe that reads the field by name and would see the unrounded time.

    `fields` sees it only if the field is shown.
    """
    if isinstance(pipe, ast.Fields) and any(isinstance(each, TABLES) for each in following):
        return
    members = [getattr(pipe, member, ()) for member in NAMED_BY]
    names = [
        name for member in members for name in ([member] if isinstance(member, str) else member)
    ]
    if isinstance(pipe, ast.Sort):
        return
    if TIME_NAMES.intersection(name for name in names if isinstance(name, str)):
        raise unnamed_bin()


def unnamed_bin() -> Invalid:
    return Invalid(
        "bin _time without stats by _time after it, expected another name: bin _time span=5m as bucket"
    )


def round_times(pipe: ast.Pipe, size: ast.Quantity) -> ast.Pipe:
    seconds = size.scaled / NS_PER_S
    width = ast.Literal(int(seconds) if seconds == int(seconds) else seconds)

    def change(node: Any) -> Any:
        match node:
            case ast.Field(name) if name in TIME_NAMES:
                return ast.Call("bucket", (ast.Field(TIME.field), width))
            case ast.Key(field, None, None) if field in TIME_NAMES:
                return ast.Key(field, size)
            case _:
                return node

    return rebuild(pipe, change)

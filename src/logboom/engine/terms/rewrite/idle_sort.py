"""A `sort` whose order nobody sees goes away: the next pipe counts or sorts anew."""

from logboom.lang import ast

ORDERED = frozenset({"first", "last", "list", "earliest", "latest", "row_max", "row_min"})
"""Aggregates that depend on the order of rows, if only to choose among equals."""


def drop_idle_sorts(query: ast.Query) -> ast.Query:
    pipes = query.pipes
    kept = [
        pipe
        for place, pipe in enumerate(pipes)
        if not (isinstance(pipe, ast.Sort) and pipe.limit is None and forgets(pipes[place + 1 :]))
    ]
    return ast.Query(query.filter, tuple(kept))


def forgets(following: tuple[ast.Pipe, ...]) -> bool:
    """Whether the next pipe gives the same whatever the order of its rows."""
    match following[:1]:
        case (ast.Stats(aggregates) | ast.Timechart(aggregates),):
            return all(aggregate.function not in ORDERED for aggregate in aggregates)
        case _:
            return False

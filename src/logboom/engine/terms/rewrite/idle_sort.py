"""Removes a `sort` whose order is not used: the next pipe counts or sorts again."""

from logboom.lang import ast

ORDERED = frozenset({"first", "last", "list", "earliest", "latest", "row_max", "row_min"})
"""Aggregates that depend on the order of rows, even if only for ties."""


def drop_idle_sorts(query: ast.Query) -> ast.Query:
    pipes = query.pipes
    kept = [
        pipe
        for place, pipe in enumerate(pipes)
        if not (isinstance(pipe, ast.Sort) and pipe.limit is None and forgets(pipes[place + 1 :]))
    ]
    return ast.Query(query.filter, tuple(kept))


def forgets(following: tuple[ast.Pipe, ...]) -> bool:
    """Return whether the next pipe gives the same result for any order of rows."""
    match following[:1]:
        case (ast.Stats(aggregates) | ast.Timechart(aggregates),):
            return all(aggregate.function not in ORDERED for aggregate in aggregates)
        case _:
            return False

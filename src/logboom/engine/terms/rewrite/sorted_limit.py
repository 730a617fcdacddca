"""`sort` and the `limit` right after it become one step, which keeps few rows only."""

from logboom.lang import ast


def limit_sorts(query: ast.Query) -> ast.Query:
    pipes: list[ast.Pipe] = []
    for pipe in query.pipes:
        match pipes[-1:], pipe:
            case [ast.Sort(keys, limit)], ast.Limit(count):
                pipes[-1] = ast.Sort(keys, count if limit is None else min(limit, count))
            case [ast.Limit(known)], ast.Limit(count):
                pipes[-1] = ast.Limit(min(known, count))
            case _:
                pipes.append(pipe)
    return ast.Query(query.filter, tuple(pipes))

"""`where` pipes right after the filter become part of it, so that they help to skip blocks."""

from logboom.engine.terms.rewrite.booleans import simplify
from logboom.lang import ast


def merge_leading_where(query: ast.Query) -> ast.Query:
    pipes = list(query.pipes)
    terms: list[ast.Filter] = [query.filter]
    while pipes and isinstance(pipes[0], ast.Where):
        terms.append(pipes.pop(0).filter)  # type: ignore[union-attr]
    if len(terms) == 1:
        return query
    return ast.Query(simplify(ast.And(tuple(terms))), tuple(pipes))

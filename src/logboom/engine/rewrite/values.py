"""Several values of one field joined by OR become one list: `a:1 OR a:2` is `a IN (1, 2)`."""

from typing import Any

from logboom.engine.rewrite.booleans import join
from logboom.engine.rewrite.tree import rebuild
from logboom.lang import ast
from logboom.model.names import fold_name


def join_values(query: ast.Query) -> ast.Query:
    return rebuild(query, join_alternatives)


def join_alternatives(node: Any) -> Any:
    if not isinstance(node, ast.Or):
        return node
    terms: list[Any] = []
    places: dict[str, int] = {}
    for term in node.terms:
        if not isinstance(term, ast.Match | ast.OneOf) or fold_name(term.field) == ast.MESSAGE:
            terms.append(term)
            continue
        place = places.setdefault(fold_name(term.field), len(terms))
        if place == len(terms):
            terms.append(term)
        else:
            known = terms[place]
            patterns = dict.fromkeys((*list_patterns(known), *list_patterns(term)))
            terms[place] = ast.OneOf(known.field, tuple(patterns))
    return join(ast.Or, terms)


def list_patterns(node: ast.Match | ast.OneOf) -> tuple[ast.Pattern, ...]:
    return (node.pattern,) if isinstance(node, ast.Match) else node.patterns

"""Several values of one field joined by OR become one list: `a:1 OR a:2` is `a IN (1, 2)`."""

from typing import Any

from logboom.engine.terms.rewrite.booleans import join
from logboom.engine.terms.tree import rebuild
from logboom.lang import ast
from logboom.model.names import fold_name


def join_values(query: ast.Query) -> ast.Query:
    return rebuild(query, join_alternatives)


def join_alternatives(node: Any) -> Any:
    if not isinstance(node, ast.Or):
        return node
    terms: dict[object, Any] = {}
    patterns: dict[str, dict[ast.Pattern, None]] = {}
    for term in node.terms:
        if not isinstance(term, ast.Match | ast.OneOf) or fold_name(term.field) == ast.MESSAGE:
            terms[term] = term
            continue
        field = fold_name(term.field)
        terms.setdefault(field, term)
        patterns.setdefault(field, {}).update(dict.fromkeys(list_patterns(term)))
    for field, found in patterns.items():
        if len(found) > 1:
            terms[field] = ast.OneOf(terms[field].field, tuple(found))
    return join(ast.Or, list(terms.values()))


def list_patterns(node: ast.Match | ast.OneOf) -> tuple[ast.Pattern, ...]:
    return (node.pattern,) if isinstance(node, ast.Match) else node.patterns

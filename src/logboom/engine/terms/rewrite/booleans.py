"""Flattens nested AND and OR, and removes double negation and redundant terms."""

from typing import Any

from logboom.engine.terms.tree import rebuild
from logboom.lang import ast


def simplify_booleans(query: ast.Query) -> ast.Query:
    return rebuild(query, simplify)


def simplify(node: Any) -> Any:
    match node:
        case ast.Not(ast.Not(term)):
            return term
        case ast.And(terms):
            flat = flatten(ast.And, terms)
            useful = [term for term in flat if not isinstance(term, ast.Everything)]
            return join(ast.And, useful) if useful else ast.Everything()
        case ast.Or(terms):
            flat = flatten(ast.Or, terms)
            if ast.Everything() in flat:
                return ast.Everything()
            return join(ast.Or, flat)
        case _:
            return node


def flatten(kind: type[ast.And] | type[ast.Or], terms: tuple[Any, ...]) -> list[Any]:
    """Return the terms with those of inner nodes of the same kind in their place, without duplicates."""
    flat: dict[Any, None] = {}
    for term in terms:
        flat.update(dict.fromkeys(term.terms if isinstance(term, kind) else (term,)))
    return list(flat)


def join(kind: type[ast.And] | type[ast.Or], terms: list[Any]) -> Any:
    return kind(tuple(terms)) if len(terms) > 1 else terms[0]

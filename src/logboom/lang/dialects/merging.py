"""Merges the regular expressions of a field, because a query may have only a limited number of them."""

from collections.abc import Iterable, Iterator

from logboom.lang.ast import And, Filter, Not, Or, Query, Regex, Where
from logboom.lang.dialects.matching import join_and, join_or

MAX_LENGTH = 4000
"""Of a merged expression, in characters."""


def merge(query: Query) -> Query:
    """Return the same query with fewer expressions."""
    pipes = (
        Where(merge_filter(pipe.filter)) if isinstance(pipe, Where) else pipe
        for pipe in query.pipes
    )
    return Query(merge_filter(query.filter), tuple(pipes))


def merge_filter(filter_: Filter) -> Filter:
    match filter_:
        case Or(terms=terms):
            return join_or(merge_alternatives(map(merge_filter, terms)))
        case And(terms=terms):
            return join_and(merge_exclusions([merge_filter(term) for term in terms]))
        case Not(term=term):
            return Not(merge_filter(term))
        case _:
            return filter_


def merge_exclusions(terms: list[Filter]) -> Iterator[Filter]:
    """Merge the excluded expressions: a value that matches none of them does not match their alternatives."""
    excluded: list[Filter] = []
    for term in terms:
        if isinstance(term, Not) and isinstance(term.term, Regex):
            excluded.append(term.term)
        else:
            yield term
    yield from map(Not, merge_alternatives(excluded))


def merge_alternatives(terms: Iterable[Filter]) -> Iterator[Filter]:
    found: dict[tuple[str, bool], list[str]] = {}
    for term in terms:
        if isinstance(term, Regex):
            found.setdefault((term.field, term.ignores_case), []).append(term.expression)
        else:
            yield term
    for (field, ignores_case), expressions in found.items():
        for joined in join_expressions(expressions):
            yield Regex(field, joined, ignores_case)


def join_expressions(expressions: list[str]) -> Iterator[str]:
    """Yield alternatives of several expressions, each no longer than allowed."""
    batch: list[str] = []
    length = 0
    for expression in expressions:
        if batch and length + len(expression) > MAX_LENGTH:
            yield join_batch(batch)
            batch, length = [], 0
        batch.append(expression)
        length += len(expression) + len("(?:)|")
    yield join_batch(batch)


def join_batch(expressions: list[str]) -> str:
    if len(expressions) == 1:
        return expressions[0]
    return "|".join(f"(?:{expression})" for expression in expressions)

"""Prepares a query for planning: binds written times, runs inner queries, and expands short tests."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from logboom.base.structs import InternalStruct
from logboom.engine.terms.bound import Values, Within
from logboom.engine.terms.meanings import TESTS, list_named, spell_out
from logboom.engine.terms.request import END_NS, MIN_NS, Request
from logboom.engine.terms.tree import list_kinds, rebuild
from logboom.lang import ast
from logboom.lang.times import parse_moment, resolve_period
from logboom.model.columns import Scalar

BINDABLE = frozenset({ast.During, ast.Between, *TESTS})
"""The kinds of nodes that are bound or expanded."""

FindValues = Callable[[ast.InQuery], tuple[Scalar, ...]]


def resolve(request: Request, find_values: FindValues) -> Request:
    """Return the same request with bound filters; times in the query's own filter replace the request's."""
    query = request.query
    if not BINDABLE.isdisjoint(list_kinds(query)):
        query = rebuild(query, Binder(request, find_values).bind)
    terms = query.filter.terms if isinstance(query.filter, ast.And) else (query.filter,)
    bounds = [term for term in terms if isinstance(term, Within)]
    if not bounds:
        return request if query is request.query else replace(request, query=query)
    others = tuple(term for term in terms if not isinstance(term, Within))
    remaining: Any = ast.And(others) if len(others) > 1 else (*others, ast.Everything())[0]
    return replace(
        request,
        query=ast.Query(remaining, query.pipes),
        from_ns=max(bound.from_ns for bound in bounds),
        to_ns=min(bound.to_ns for bound in bounds),
    )


class Binder(InternalStruct, frozen=True):
    """Binds one node."""

    request: Request
    find_values: FindValues

    def bind(self, node: Any) -> Any:
        match node:
            case ast.During(period):
                return Within(*resolve_period(period, self.request.now_ns, self.request.zone))
            case ast.Between():
                return self._bind_between(node)
            case ast.InQuery():
                return self._bind_values(node)
            case _:
                return spell_out(node)

    def _bind_values(self, node: ast.InQuery) -> Any:
        values = self.find_values(node)
        named: list[Any] = [Values(each.field, values) for each in list_named(node)]
        return ast.Or(tuple(named)) if len(named) > 1 else named[0]

    def _bind_between(self, node: ast.Between) -> Within:
        from_ns, to_ns = MIN_NS, END_NS
        if node.start is not None:
            from_ns = self._read(node.start) + (not node.includes_start)
        if node.end is not None:
            to_ns = self._read(node.end) + node.includes_end
        return Within(from_ns, to_ns)

    def _read(self, moment: str) -> int:
        return parse_moment(moment, self.request.now_ns, self.request.zone)

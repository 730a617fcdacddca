"""Rewriting: rules that make a query cheaper without changing its meaning, applied in this order."""

from collections.abc import Callable

from logboom.engine.terms.rewrite.binned_time import spread_bins
from logboom.engine.terms.rewrite.booleans import simplify_booleans
from logboom.engine.terms.rewrite.idle_sort import drop_idle_sorts
from logboom.engine.terms.rewrite.leading_where import merge_leading_where
from logboom.engine.terms.rewrite.sorted_limit import limit_sorts
from logboom.engine.terms.rewrite.stored_rows import skip_events
from logboom.engine.terms.rewrite.values import join_values
from logboom.engine.terms.tree import list_kinds
from logboom.lang import ast

Rule = Callable[[ast.Query], ast.Query]

RULES: dict[Rule, frozenset[type]] = {
    spread_bins: frozenset({ast.Bin}),
    skip_events: frozenset({ast.InputLookup}),
    merge_leading_where: frozenset({ast.Where}),
    simplify_booleans: frozenset({ast.And, ast.Or, ast.Not}),
    join_values: frozenset({ast.Or}),
    limit_sorts: frozenset({ast.Limit}),
    drop_idle_sorts: frozenset({ast.Sort}),
}
"""Each rule with the kinds of nodes that it concerns: a query without any of them stays as it is."""


def rewrite(query: ast.Query) -> ast.Query:
    # No rule makes work for a later one that would not concern the query as it was before.
    kinds = list_kinds(query)
    for rule, concerned in RULES.items():
        if not concerned.isdisjoint(kinds):
            query = rule(query)
    return query

"""Rewriting: rules that make a query cheaper without changing its meaning, applied in this order."""

from collections.abc import Callable

from logboom.engine.terms.rewrite.binned_time import spread_bins
from logboom.engine.terms.rewrite.booleans import simplify_booleans
from logboom.engine.terms.rewrite.idle_sort import drop_idle_sorts
from logboom.engine.terms.rewrite.leading_where import merge_leading_where
from logboom.engine.terms.rewrite.sorted_limit import limit_sorts
from logboom.engine.terms.rewrite.stored_rows import skip_events
from logboom.engine.terms.rewrite.values import join_values
from logboom.lang import ast

Rule = Callable[[ast.Query], ast.Query]

RULES: tuple[Rule, ...] = (
    spread_bins,
    skip_events,
    merge_leading_where,
    simplify_booleans,
    join_values,
    limit_sorts,
    drop_idle_sorts,
)


def rewrite(query: ast.Query) -> ast.Query:
    for rule in RULES:
        query = rule(query)
    return query

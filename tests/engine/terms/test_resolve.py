"""Resolving: what a query must have to be changed by it."""

from typing import Any

from tests.engine.terms.golden import list_queries

from logboom.engine.terms.request import Request
from logboom.engine.terms.resolve import BINDABLE, Binder, resolve
from logboom.engine.terms.tree import list_kinds, rebuild
from logboom.lang import ast
from logboom.lang.parse import parse


def find_nothing(_node: Any) -> tuple[()]:
    return ()


def test_binding_changes_only_the_kinds_of_nodes_that_it_names() -> None:
    for query in list_queries():
        request = Request(query, ("default",))
        if BINDABLE.isdisjoint(list_kinds(query)):
            assert rebuild(query, Binder(request, find_nothing).bind) is query
            assert resolve(request, find_nothing) is request


def test_times_of_the_filter_become_those_of_the_request() -> None:
    request = Request(parse("_time:2026-09-01 disk | stats count"), ("default",))
    resolved = resolve(request, find_nothing)
    assert resolved.query.filter == ast.Word("disk")
    assert resolved.to_ns - resolved.from_ns == 86_400 * 10**9

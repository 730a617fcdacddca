"""Trees of queries: every node is visited, although only some members of a node are looked at."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import Struct
from tests.engine.terms.golden import list_queries

from logboom.engine.terms.bound import Values, Within
from logboom.engine.terms.tree import list_inner, list_kinds, rebuild, walk
from logboom.lang import ast
from logboom.lang.parse import parse


def visit(node: Any) -> Iterator[Struct]:
    """As `walk`, looking at every member."""
    if isinstance(node, tuple):
        for each in node:
            yield from visit(each)
    elif isinstance(node, Struct) and not isinstance(node, ast.Query):
        yield node
        for name in node.__struct_fields__:
            yield from visit(getattr(node, name))


def test_every_node_of_the_golden_queries_is_visited() -> None:
    kinds = set()
    for query in list_queries():
        for part in (query.filter, query.pipes):
            nodes = list(visit(part))
            assert list(map(id, walk(part))) == list(map(id, nodes))
            kinds |= set(map(type, nodes))
    assert len(kinds) > 50


def test_the_kinds_of_a_tree_are_those_of_all_nodes_that_can_be_changed() -> None:
    for query in list_queries():
        kinds: set[type] = set()

        def note(node: Any, kinds: set[type] = kinds) -> Any:
            kinds.add(type(node))
            return node

        rebuild(query, note)
        assert list_kinds(query) == kinds


def test_a_tree_in_which_nothing_changes_stays_the_same_object() -> None:
    for query in list_queries():
        assert rebuild(query, lambda node: node) is query


def test_a_change_of_equal_value_counts() -> None:
    """In Python True equals 1, but they are two values."""
    query = parse("a | eval b = 1")

    def change(node: Any) -> Any:
        return ast.Literal(True) if node == ast.Literal(1) else node

    (found,) = (
        node for node in walk(rebuild(query, change).pipes) if isinstance(node, ast.Literal)
    )
    assert found.value is True


@pytest.mark.parametrize(
    ("kind", "inner"),
    [
        (ast.Word, ()),
        (ast.Match, ("pattern",)),
        (ast.Aggregate, ("argument", "condition")),
        (ast.InQuery, ("field", "query")),
        (ast.Rename, ()),
        (Within, ()),
        (Values, ()),
    ],
)
def test_only_members_that_may_contain_nodes_are_looked_at(
    kind: type[Struct], inner: tuple[str, ...]
) -> None:
    assert list_inner(kind) == inner

"""Trees of a query: visiting all nodes, and changing some; nodes are frozen, so what does not change is shared."""

from collections.abc import Callable, Iterator
from functools import cache
from operator import is_
from typing import Any, TypeVar, get_args, get_type_hints

from msgspec import Struct
from msgspec.structs import replace

from logboom.lang import ast

Node = TypeVar("Node")


def walk(node: object) -> Iterator[object]:
    """Yield a node and every node inside it, except other queries."""
    left = [node]
    while left:
        each = left.pop()
        if isinstance(each, tuple):
            left += reversed(each)
        elif isinstance(each, Struct) and not isinstance(each, ast.Query):
            yield each
            if inner := list_inner(type(each)):
                left += [getattr(each, name) for name in reversed(inner)]


def list_kinds(node: object) -> set[type]:
    """Return the kinds of a node and of every node inside it, those of other queries included."""
    kinds: set[type] = set()
    left = [node]
    while left:
        each = left.pop()
        if isinstance(each, tuple):
            left += each
        elif isinstance(each, Struct):
            kind = type(each)
            kinds.add(kind)
            if inner := list_inner(kind):
                left += [getattr(each, name) for name in inner]
    return kinds


def rebuild(node: Node, change: Callable[[Any], Any]) -> Node:
    """Return a tree with `change` applied to every node, the innermost first."""
    if isinstance(node, tuple):
        parts = [rebuild(each, change) for each in node]
        return node if all(map(is_, parts, node)) else tuple(parts)  # type: ignore[return-value]
    if not isinstance(node, Struct):
        return node
    changed = {}
    for name in list_inner(type(node)):
        before = getattr(node, name)
        after = rebuild(before, change)
        if after is not before:
            changed[name] = after
    rebuilt: Node = change(replace(node, **changed) if changed else node)
    return rebuilt


@cache
def list_inner(kind: type[Struct]) -> tuple[str, ...]:
    """Return the members of a kind of node that may contain nodes; visiting all would take much longer."""
    try:
        hints = get_type_hints(kind)
    except NameError:
        # The type of a member is known to the type checker only.
        return kind.__struct_fields__
    return tuple(name for name in kind.__struct_fields__ if may_hold_nodes(hints[name]))


def may_hold_nodes(hint: Any) -> bool:
    if arguments := get_args(hint):
        return any(map(may_hold_nodes, arguments))
    return issubclass(hint, Struct) if isinstance(hint, type) else hint is Any

"""Changes trees: nodes are frozen, so changed ones are recreated and the rest is shared."""

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

Node = TypeVar("Node")


def rebuild(node: Node, change: Callable[[Any], Any]) -> Node:
    """A tree with `change` applied to every node, the innermost first."""
    if isinstance(node, tuple):
        return tuple(rebuild(each, change) for each in node)  # type: ignore[return-value]
    if not isinstance(node, Struct):
        return node
    changed = {}
    for name in node.__struct_fields__:
        before = getattr(node, name)
        after = rebuild(before, change)
        if after is not before and after != before:
            changed[name] = after
    rebuilt: Node = change(replace(node, **changed) if changed else node)
    return rebuilt

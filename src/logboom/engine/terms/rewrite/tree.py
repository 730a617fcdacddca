"""Changing trees: nodes are frozen, so what changes is made anew and the rest is shared."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

Node = TypeVar("Node")


def rebuild(node: Node, change: Callable[[Any], Any]) -> Node:
    """A tree with `change` applied to every node, the innermost first."""
    if isinstance(node, tuple):
        return tuple(rebuild(each, change) for each in node)  # type: ignore[return-value]
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed = {}
    for member in fields(node):
        before = getattr(node, member.name)
        after = rebuild(before, change)
        if after is not before and after != before:
            changed[member.name] = after
    rebuilt: Node = change(replace(node, **changed) if changed else node)
    return rebuilt

"""Members that a newer build added to a control document: removed to read it, restored to rewrite it."""

from collections.abc import Iterator
from typing import Any

from msgspec import field, inspect

from logboom.base.structs import InternalStruct

Tree = Any
"""A document as plain objects, lists and values."""


class Unknown(InternalStruct, frozen=True):
    """The unknown members of an object, and those of the objects inside it, by member."""

    members: dict[str, Tree] = field(default_factory=dict)
    inside: dict[str, "Unknown"] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.members or self.inside)


def set_aside(tree: Tree, kind: inspect.Type) -> Unknown:
    """Remove from a document what its type does not know; unknown members of list items are not kept."""
    unknown = Unknown()
    if isinstance(tree, dict):
        known = list_members(tree, kind)
        if known is not None:
            for name in tree.keys() - known.keys():
                unknown.members[name] = tree.pop(name)
            found = {name: set_aside(tree[name], known[name]) for name in tree}
            unknown.inside.update({name: each for name, each in found.items() if each})
    elif isinstance(tree, list):
        for item_kind in list_item_types(kind):
            for item in tree:
                set_aside(item, item_kind)
    return unknown


def list_members(tree: dict[str, Tree], kind: inspect.Type) -> dict[str, inspect.Type] | None:
    """Return the types of the members that an object may have, or None if it may have any."""
    for each in list_choices(kind):
        if isinstance(each, inspect.StructType):
            return {member.encode_name: member.type for member in each.fields}
        if isinstance(each, inspect.DictType):
            return dict.fromkeys(tree, each.value_type)
    return None


def list_item_types(kind: inspect.Type) -> Iterator[inspect.Type]:
    for each in list_choices(kind):
        if isinstance(each, inspect.ListType | inspect.VarTupleType):
            yield each.item_type


def list_choices(kind: inspect.Type) -> Iterator[inspect.Type]:
    """Yield the types that a value may have."""
    if isinstance(kind, inspect.UnionType):
        for each in kind.types:
            yield from list_choices(each)
    elif isinstance(kind, inspect.Metadata):
        yield from list_choices(kind.type)
    else:
        yield kind


def put_back(tree: Tree, unknown: Unknown) -> None:
    """Restore what `set_aside` has removed, in the objects that still exist."""
    for name, member in unknown.members.items():
        tree.setdefault(name, member)
    for name, each in unknown.inside.items():
        if isinstance(tree.get(name), dict):
            put_back(tree[name], each)

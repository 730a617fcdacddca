"""The members of nodes, looked up once for each kind of node."""

from dataclasses import fields, is_dataclass

KNOWN: dict[type, tuple[str, ...] | None] = {}


def list_members(kind: type) -> tuple[str, ...] | None:
    """The names of the members of a kind of node; None if it is not a node."""
    if kind not in KNOWN:
        names = tuple(member.name for member in fields(kind)) if is_dataclass(kind) else None
        KNOWN[kind] = names
    return KNOWN[kind]

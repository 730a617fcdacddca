"""The members of nodes, looked up once for each kind of node."""

from dataclasses import fields, is_dataclass

KNOWN: dict[type, tuple[str, ...] | None] = {}


def list_members(kind: type) -> tuple[str, ...] | None:
    """The names of the members that nodes of a kind have; None for what is no node."""
    if kind not in KNOWN:
        names = tuple(member.name for member in fields(kind)) if is_dataclass(kind) else None
        KNOWN[kind] = names
    return KNOWN[kind]

"""The syntax tree as plain lists and objects, for the answer to a parse request."""

from msgspec import Struct

from logboom.base.patterns import compile_later
from logboom.lang.ast import Pattern, Quantity, Wildcard
from logboom.lang.format.values import format_quantity

WILD = compile_later(r"[*?\\]")


def dump(node: object) -> object:
    """Return a node as an object of its type's name and members; patterns and numbers with units become texts."""
    if isinstance(node, Pattern):
        return spell_pattern(node)
    if isinstance(node, Quantity):
        return format_quantity(node)
    if isinstance(node, tuple):
        return [dump(member) for member in node]
    if isinstance(node, Struct):
        members = {name: dump(getattr(node, name)) for name in node.__struct_fields__}
        return {"type": type(node).__name__, **members}
    return node


def spell_pattern(pattern: Pattern) -> str:
    """Return a pattern as text; literal characters that look like a wildcard are escaped with a backslash."""
    return "".join(
        part.value if isinstance(part, Wildcard) else WILD.sub(r"\\\g<0>", part)
        for part in pattern.parts
    )

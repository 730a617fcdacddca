"""Expressions: what `eval` computes, `where` tests and aggregates take."""

from typing import TypeAlias

from logboom.base.structs import InternalStruct


class Literal(InternalStruct, frozen=True):
    """A text, number, boolean or null."""

    value: str | int | float | bool | None

    def __eq__(self, other: object) -> bool:
        """Compare values and their types: True equals 1 in Python, but not in a query."""
        return isinstance(other, Literal) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[bool, object]:
        return isinstance(self.value, bool), self.value


class Field(InternalStruct, frozen=True):
    name: str


class Call(InternalStruct, frozen=True):
    """A call of a function, given by its canonical name."""

    function: str
    arguments: tuple["Expression", ...]


class Negative(InternalStruct, frozen=True):
    operand: "Expression"


class Binary(InternalStruct, frozen=True):
    """An operator between two operands. `operator` is one of OPERATORS."""

    operator: str
    left: "Expression"
    right: "Expression"

    def __post_init__(self) -> None:
        assert self.operator in OPERATORS, "operators are known ones"


class Inverse(InternalStruct, frozen=True):
    """True where the operand is false."""

    operand: "Expression"


OPERATORS: dict[str, int] = {
    "OR": 1, "AND": 2,
    "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "=~": 4, "!~": 4,
    "&": 5, "+": 6, "-": 6, "*": 7, "/": 7, "%": 7, "^": 8,
}  # fmt: skip
"""Binary operators by precedence (NOT is 3); `&` joins texts, `^` is a power."""

Expression: TypeAlias = Literal | Field | Call | Negative | Binary | Inverse


def list_children(node: Expression) -> tuple[Expression, ...]:
    """Return the direct subexpressions."""
    match node:
        case Call():
            return node.arguments
        case Binary():
            return (node.left, node.right)
        case Negative() | Inverse():
            return (node.operand,)
        case _:
            return ()

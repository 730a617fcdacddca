"""Expressions: what `eval` computes, `where` tests and aggregates take."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Literal:
    """A text, number, boolean or null."""

    value: str | int | float | bool | None

    def __eq__(self, other: object) -> bool:
        """In Python True equals 1, in a query it does not."""
        return isinstance(other, Literal) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[bool, object]:
        return isinstance(self.value, bool), self.value


@dataclass(frozen=True, slots=True)
class Field:
    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """`function` in its canonical name."""

    function: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Negative:
    operand: "Expression"


@dataclass(frozen=True, slots=True)
class Binary:
    """`operator` is one of OPERATORS."""

    operator: str
    left: "Expression"
    right: "Expression"

    def __post_init__(self) -> None:
        assert self.operator in OPERATORS, "operators are known ones"


@dataclass(frozen=True, slots=True)
class Inverse:
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
    """The direct subexpressions."""
    match node:
        case Call():
            return node.arguments
        case Binary():
            return (node.left, node.right)
        case Negative() | Inverse():
            return (node.operand,)
        case _:
            return ()

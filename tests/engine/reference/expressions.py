"""Random expressions: their text, and their value for a row according to the documentation."""

import math
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from tests.engine.reference.conditions import FIELDS
from tests.engine.reference.values import Row, every, first, number, order, text

INTEGERS = range(-(2**63), 2**63)
LITERALS: tuple[tuple[str, Any], ...] = (
    *(("0", 0), ("1", 1), ("-2", -2), ("0.5", 0.5), ("7", 7), ("9007199254740993", 2**53 + 1)),
    *(('"a"', "a"), ('"B"', "B"), ('"2.5"', "2.5"), ('""', ""), ("true", True), ("null", None)),
)


class Computed(NamedTuple):
    """An expression as text, and its value for a row."""

    text: str
    value: Callable[[Row], Any]


def write_expression(random: Random, depth: int = 2) -> Computed:
    if depth == 0 or random.random() < 0.25:
        return write_leaf(random)
    return random.choice((write_arithmetic, write_comparison, write_call, write_call))(
        random, depth - 1
    )


def write_leaf(random: Random) -> Computed:
    if random.random() < 0.7:
        field = random.choice(FIELDS)
        return Computed(field, lambda row: row.get(field))
    written, value = random.choice(LITERALS)
    return Computed(written, lambda _row: value)


def settle(result: int | float | None) -> int | float | None:
    """Return an integer beyond 64 bits as a float, and None for what JSON cannot represent."""
    if result is None or isinstance(result, int):
        return result if result is None or result in INTEGERS else float(result)
    return result if math.isfinite(result) else None


def as_number(value: Any) -> int | float | None:
    known = number(value)
    return float(known) if isinstance(known, int) and known not in INTEGERS else known


def compute(sign: str, left: Any, right: Any) -> Any:
    one, other = as_number(left), as_number(right)
    if one is None or other is None:
        texts = first(left), first(right)
        joins = sign == "+" and all(isinstance(each, str) for each in texts)
        return "".join(texts) if joins else None
    if not (isinstance(one, int) and isinstance(other, int)):
        one, other = float(one), float(other)
    if sign in "/%" and other == 0:
        return None
    if sign == "/":
        return settle(float(one) / float(other))
    operations: dict[str, Callable[[Any, Any], Any]] = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "%": lambda a, b: a % b,
    }
    return settle(operations[sign](one, other))


def write_arithmetic(random: Random, depth: int) -> Computed:
    one, other = write_expression(random, depth), write_expression(random, depth)
    sign = random.choice("+-*/%")
    return Computed(
        f"({one.text}) {sign} ({other.text})",
        lambda row: compute(sign, one.value(row), other.value(row)),
    )


def compare(sign: str, left: Any, right: Any) -> bool | None:
    """Compare numbers as numbers, anything else as texts ignoring case; None if one is missing."""
    if first(left) is None or first(right) is None:
        return None
    if sign in ("==", "!="):
        if not isinstance(left, list):
            left, right = right, left
        found = any(relate("==", each, first(right)) for each in every(left))
        return found == (sign == "==")
    return relate(sign, first(left), first(right))


def relate(sign: str, left: Any, right: Any) -> bool:
    one, other = number(left), number(right)
    sides = (
        (text(left).lower(), text(right).lower()) if one is None or other is None else (one, other)
    )
    relations: dict[str, Callable[[Any, Any], bool]] = {
        "==": lambda a, b: a == b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    }
    return relations[sign](*sides)


def write_comparison(random: Random, depth: int) -> Computed:
    one, other = write_expression(random, depth), write_expression(random, depth)
    sign = random.choice(("==", "!=", "<", "<=", ">", ">="))
    return Computed(
        f"({one.text}) {sign} ({other.text})",
        lambda row: compare(sign, one.value(row), other.value(row)),
    )


def write_call(random: Random, depth: int) -> Computed:
    name = random.choice(list(FUNCTIONS))
    count, function = FUNCTIONS[name]
    arguments = [write_expression(random, depth) for _ in range(count)]
    written = ", ".join(each.text for each in arguments)
    return Computed(f"{name}({written})", lambda row: function(*(a.value(row) for a in arguments)))


def of_text(function: Callable[[str], Any]) -> Callable[[Any], Any]:
    return lambda value: None if first(value) is None else function(text(first(value)))


def of_number(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        known = as_number(value)
        return None if known is None else settle(function(known))

    return call


def truth(value: Any) -> bool:
    return first(value) is True


def round_away(value: int | float) -> int:
    """Round half away from zero."""
    size = abs(value) if isinstance(value, int) else math.floor(abs(value) + 0.5)
    return size if value > 0 else -size


def least(*values: Any) -> Any:
    known = [first(value) for value in values if first(value) is not None]
    return min(known, key=order) if known else None


def greatest(*values: Any) -> Any:
    """Return the greatest value; of equal ones the first, and numbers come before texts."""
    known = [first(value) for value in values if first(value) is not None]
    return max(known, key=order) if known else None


def concat(*values: Any) -> Any:
    known = [text(first(value)) for value in values if first(value) is not None]
    return "".join(known) if known else None


def kind(value: Any) -> str:
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "list"}
    return "null" if value is None else names[type(value)]


FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "if": (3, lambda test, yes, no: yes if truth(test) else no),
    "coalesce": (2, lambda one, other: other if one is None else one),
    "nullif": (2, lambda one, other: None if compare("==", one, other) else one),
    "isnull": (1, lambda value: value is None),
    "isnum": (1, lambda value: number(value) is not None),
    "isbool": (1, lambda value: isinstance(first(value), bool)),
    "typeof": (1, kind),
    "lower": (1, of_text(str.lower)),
    "upper": (1, of_text(str.upper)),
    "len": (1, of_text(len)),
    "tostring": (1, of_text(str)),
    "abs": (1, of_number(abs)),
    "floor": (1, of_number(math.floor)),
    "ceil": (1, of_number(math.ceil)),
    "round": (1, of_number(round_away)),
    "tonumber": (1, of_number(lambda value: value)),
    "least": (3, least),
    "greatest": (2, greatest),
    "concat": (2, concat),
    "mvcount": (1, lambda value: len(every(value)) or None),
    "first": (1, first),
    "last": (1, lambda value: value[-1] if isinstance(value, list) else value),
}

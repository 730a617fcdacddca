"""Arithmetic of `bucket_script`, such as `params.errors / params.all * 100`: numbers, operators and a few functions."""

import ast as python
import math
import operator
from collections.abc import Callable, Mapping

from logboom.base.errors import Invalid
from logboom.readers.search_engine.dsl.context import unsupported

LONGEST_SCRIPT = 1000
MOST_NODES = 300

Values = Mapping[str, float]
Script = Callable[[Values], float | None]
"""Computes a number; None if it has none, as after a division by zero."""

BINARY: dict[type[python.operator], Callable[[float, float], float]] = {
    python.Add: operator.add,
    python.Sub: operator.sub,
    python.Mult: operator.mul,
    python.Div: operator.truediv,
    python.Mod: math.fmod,
}
UNARY: dict[type[python.unaryop], Callable[[float], float]] = {
    python.USub: operator.neg,
    python.UAdd: operator.pos,
}
FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs, "max": max, "min": min, "floor": math.floor, "ceil": math.ceil, "round": round, "sqrt": math.sqrt,
    "log": math.log, "log10": math.log10, "exp": math.exp, "pow": math.pow,
}  # fmt: skip


def parse_script(source: str, names: frozenset[str]) -> Script:
    """Return a script as a function; raise Invalid if it is more than arithmetic."""
    text = source.strip().removeprefix("return ").rstrip("; \n")
    try:
        tree = python.parse(text, mode="eval") if len(text) <= LONGEST_SCRIPT else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if tree is None or sum(1 for _ in python.walk(tree)) > MOST_NODES:
        raise refuse(source)
    compute = compile_node(tree.body, names, source)

    def run(values: Values) -> float | None:
        try:
            number = float(compute(values))
        except (ArithmeticError, ValueError, TypeError):
            return None
        return number if math.isfinite(number) else None

    return run


def compile_node(
    node: python.expr, names: frozenset[str], source: str
) -> Callable[[Values], float]:
    match node:
        case python.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return lambda _values: value
        case python.Attribute(value=python.Name(id="params"), attr=name) | python.Name(id=name) if (
            name in names
        ):
            return lambda values: values[name]
        case python.UnaryOp(op=sign, operand=inner) if type(sign) in UNARY:
            apply, operand = UNARY[type(sign)], compile_node(inner, names, source)
            return lambda values: apply(operand(values))
        case python.BinOp(left=left, op=sign, right=right) if type(sign) in BINARY:
            join = BINARY[type(sign)]
            first, second = (compile_node(each, names, source) for each in (left, right))
            return lambda values: join(first(values), second(values))
        case python.Call(
            func=python.Attribute(value=python.Name(id="Math"), attr=name), args=[_, *_]
        ) if name in FUNCTIONS and not node.keywords:
            function = FUNCTIONS[name]
            arguments = [compile_node(each, names, source) for each in node.args]
            return lambda values: function(*(each(values) for each in arguments))
        case _:
            raise refuse(source)


def refuse(source: str) -> Invalid:
    return unsupported(
        f"script {source[:80]!r}, expected arithmetic with numbers, params, + - * / %, parentheses and Math functions"
    )

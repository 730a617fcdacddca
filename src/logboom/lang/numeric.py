"""Which columns of a query's result are numbers, as far as its text says: an empty column does not show it."""

from logboom.lang import ast
from logboom.lang.functions import AGGREGATES, FUNCTIONS

ARITHMETIC = frozenset("+-*/%^")
EXTREMES = frozenset({"min", "max"})
TIME = ast.Field("_time")


def list_numeric(query: ast.Query) -> frozenset[str]:
    """Return the names of columns that have numbers if they have values."""
    numeric: set[str] = set()
    for pipe in query.pipes:
        match pipe:
            case ast.Stats(aggregates) | ast.Timechart(aggregates):
                numeric = {each.name for each in aggregates if is_number(each)}
            case ast.Eval(assignments):
                for name, expression in assignments:
                    keep = numeric.add if computes_number(expression, numeric) else numeric.discard
                    keep(name)
            case ast.Rename(pairs):
                new = {to for name, to in pairs if name in numeric}
                numeric = numeric - {each for pair in pairs for each in pair} | new
            case _:
                pass
    return frozenset(numeric)


def is_number(aggregate: ast.Aggregate) -> bool:
    """Return whether an aggregate gives numbers; extremes usually do, although those of times are texts."""
    if aggregate.function in EXTREMES:
        return aggregate.argument != TIME
    return AGGREGATES[aggregate.function].result == "number"


def computes_number(node: ast.Expression, numeric: set[str]) -> bool:
    match node:
        case ast.Literal(value):
            return isinstance(value, int | float) and not isinstance(value, bool)
        case ast.Field(name):
            return name in numeric
        case ast.Negative():
            return True
        case ast.Binary(operator, left, right):
            return operator in ARITHMETIC and not (writes_text(left) or writes_text(right))
        case ast.Call(function, arguments):
            result = FUNCTIONS[function].result
            is_open = result == "any" and any(computes_number(each, numeric) for each in arguments)
            return result == "number" or is_open
        case _:
            return False


def writes_text(node: ast.Expression) -> bool:
    """Return whether a sum with it joins texts."""
    match node:
        case ast.Literal(value):
            return isinstance(value, str)
        case ast.Call(function):
            return FUNCTIONS[function].result == "text"
        case ast.Binary("+", left, right):
            return writes_text(left) or writes_text(right)
        case _:
            return False

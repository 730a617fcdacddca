"""Functions that a Kusto query defines itself: each call is replaced by the body of its function."""

from collections.abc import Iterator
from contextlib import contextmanager

from logboom.base.patterns import compile_later
from logboom.lang.dialects.expressions import Grammar, read_expression, read_members
from logboom.lang.dialects.kusto.scanner import Function, KustoScanner, Parameter
from logboom.lang.dialects.scanner import Scanner
from logboom.lang.dialects.tree import Node, Sequence

MAX_CALLS = 50
FUNCTION_AHEAD = compile_later(r"(?:view\s*)?\((?:[^()|]|\([^()|]*\))*\)\s*\{")


def sees_function(scanner: KustoScanner) -> bool:
    return FUNCTION_AHEAD.match(scanner.text, scanner.peek().start) is not None


def read_function(grammar: Grammar, scanner: KustoScanner) -> Function:
    """`(name: type = default, …) { body }`; the body is read again at each call."""
    scanner.take_word("view")
    scanner.expect_sign("(")
    parameters: list[Parameter] = []
    while not scanner.take_sign(")"):
        if parameters:
            scanner.expect_sign(",")
        parameters.append(read_parameter(grammar, scanner))
    start = scanner.expect_sign("{").end
    skip_body(scanner)
    return Function(tuple(parameters), start)


def read_parameter(grammar: Grammar, scanner: KustoScanner) -> Parameter:
    """`name: type = default`; the type of a table is a list of columns."""
    token = scanner.take()
    if token.kind != "name":
        raise scanner.error("expected the name of a parameter", token.start, token.end)
    scanner.expect_sign(":")
    if scanner.sees_sign("("):
        while not scanner.take_sign(")"):
            scanner.take()
    else:
        scanner.take()
    default = read_expression(grammar, scanner) if scanner.take_sign("=") else None
    return Parameter(token.text, default)


def skip_body(scanner: KustoScanner) -> None:
    """Go behind the brace that closes a body."""
    opened = 1
    while opened:
        token = scanner.take()
        if token.kind == "end":
            raise scanner.error("this function is never closed", token.start, token.end)
        opened += {"{": 1, "}": -1}.get(token.text, 0)


@contextmanager
def called(grammar: Grammar, scanner: KustoScanner, function: Function) -> Iterator[None]:
    """Go to the body of a function, with its parameters as variables, and back behind the call."""
    given = read_given(grammar, scanner)
    end, outside = given.end, (scanner.variables, scanner.functions)
    scanner.calls += 1
    if scanner.calls > MAX_CALLS:
        message = f"more than {MAX_CALLS} calls of functions, too long for one query"
        raise scanner.error(message, given.start, given.end)
    scanner.enter()
    scanner.variables = scanner.variables | bind(scanner, function, given)
    scanner.functions = dict(scanner.functions)
    scanner.go_to(function.start)
    try:
        yield
        scanner.take_sign(";")
        scanner.expect_sign("}")
    finally:
        scanner.variables, scanner.functions = outside
    scanner.depth -= 1
    scanner.go_to(end)


def read_given(grammar: Grammar, scanner: KustoScanner) -> Sequence:
    """Return the values in parentheses; a function without parameters needs none."""
    if scanner.sees_sign("("):
        return read_members(grammar, scanner)
    return Sequence((), scanner.position, scanner.position)


def bind(scanner: Scanner, function: Function, given: Sequence) -> dict[str, Node]:
    """Return the parameters with their values, or their defaults."""
    bound: dict[str, Node] = {}
    values = iter(given.members)
    for parameter in function.parameters:
        value = next(values, parameter.default)
        if value is None:
            message = f"this function needs a value for {parameter.name}"
            raise scanner.error(message, given.start, given.end)
        bound[parameter.name] = value
    if next(values, None) is not None:
        message = f"too many values, this function takes {len(function.parameters)}"
        raise scanner.error(message, given.start, given.end)
    return bound

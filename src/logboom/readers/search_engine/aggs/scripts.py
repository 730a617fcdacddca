"""Scripts of `bucket_script` and `bucket_selector`: `params.all > 0 ? params.errors / params.all * 100 : 0`.

They compute with numbers; there are no loops, variables or events in them.
"""

import math
import operator
from collections.abc import Callable, Mapping
from typing import NoReturn

from logboom.base.errors import Invalid
from logboom.base.patterns import compile_later
from logboom.readers.search_engine.dsl.context import unsupported

LONGEST_SCRIPT = 1000
MOST_LEVELS = 50
TOKEN = compile_later(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)[dDfFlL]?|params\.get\(\s*['\"](?P<got>[^'\"]*)['\"]\s*\)"
    r"|params\[\s*['\"](?P<item>[^'\"]*)['\"]\s*\]|(?:params\.)?(?P<name>[A-Za-z_]\w*(?:\.\w+)?)"
    r"|(?P<sign>&&|\|\||[<>=!]=|[-+*/%<>!?:(){};,]))"
)

Value = float | bool | None
Values = Mapping[str, float]
Script = Callable[[Values], Value]
"""Computes a number or a truth; None if it has none, as after a division by zero."""


def divide(one: float, other: float) -> float:
    """Divide; whole numbers that are written in the script have a whole quotient."""
    is_whole = isinstance(one, int) and isinstance(other, int)
    return math.trunc(one / other) if is_whole else one / other


LEVELS: tuple[dict[str, Callable[[float, float], Value]], ...] = (
    {"==": operator.eq, "!=": operator.ne},
    {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": divide, "%": math.fmod},
)
"""Operators, those that bind tightest last."""
FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs, "max": max, "min": min, "floor": math.floor, "ceil": math.ceil, "round": round, "sqrt": math.sqrt,
    "log": math.log, "log10": math.log10, "exp": math.exp, "pow": math.pow, "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x),
    "signum": lambda x: float((x > 0) - (x < 0)), "hypot": math.hypot,
}  # fmt: skip
CONSTANTS: dict[str, Value] = {
    "true": True, "false": False, "null": None, "Math.PI": math.pi, "Math.E": math.e,
}  # fmt: skip
CASTS = frozenset({"double", "float", "int", "long"})


def parse_script(source: str, names: frozenset[str]) -> Script:
    """Return a script as a function; raise Invalid if it does more than compute a value."""
    compute = Parser(source, names).parse()

    def run(values: Values) -> Value:
        try:
            found = compute(values)
        except (ArithmeticError, ValueError, TypeError):
            return None
        is_number = isinstance(found, int | float) and math.isfinite(found)
        return found if is_number else None

    return run


class Parser:
    """Reads one script."""

    def __init__(self, source: str, names: frozenset[str]) -> None:
        self._source = source
        self._names = names
        self._levels = 0
        self._tokens = self._cut()
        self._place = 0

    def parse(self) -> Script:
        found = self._read_statements()
        if self._place < len(self._tokens):
            self._refuse()
        return found

    def _cut(self) -> list[tuple[str, str]]:
        text = self._source.strip()
        found, place = [], 0
        if len(text) > LONGEST_SCRIPT:
            self._refuse()
        while place < len(text):
            match = TOKEN.match(text, place)
            if match is None or not match.lastgroup:
                self._refuse()
            found.append((match.lastgroup, match[match.lastgroup]))
            place = match.end()
        return found

    def _refuse(self) -> NoReturn:
        raise refuse(self._source)

    def _peek(self) -> str:
        return self._tokens[self._place][1] if self._place < len(self._tokens) else ""

    def _take(self, *texts: str) -> bool:
        taken = self._peek() in texts
        self._place += taken
        return taken

    def _need(self, text: str) -> None:
        if not self._take(text):
            self._refuse()

    def _read_statements(self) -> Script:
        """Read `if (…) {…} else {…}`, `return …;` and values; what follows an `if` without `else` is its `else`."""
        self._levels += 1
        if self._levels > MOST_LEVELS:
            self._refuse()
        if self._take("if"):
            self._need("(")
            test = self._read_value()
            self._need(")")
            yes = self._read_block()
            no = self._read_block() if self._take("else") else self._read_statements()
            found = choose(test, yes, no)
        else:
            self._take("return")
            found = self._read_value()
            while self._take(";"):
                pass
        self._levels -= 1
        return found

    def _read_block(self) -> Script:
        if not self._take("{"):
            return self._read_statements()
        found = self._read_statements()
        self._need("}")
        return found

    def _read_value(self) -> Script:
        self._levels += 1
        if self._levels > MOST_LEVELS:
            self._refuse()
        found = self._read_either()
        if self._take("?"):
            yes = self._read_value()
            self._need(":")
            found = choose(found, yes, self._read_value())
        self._levels -= 1
        return found

    def _read_either(self) -> Script:
        found = self._read_both()
        while self._take("||"):
            found = choose(found, lambda _values: True, self._read_both())
        return found

    def _read_both(self) -> Script:
        found = self._read_operation(0)
        while self._take("&&"):
            found = choose(found, self._read_operation(0), lambda _values: False)
        return found

    def _read_operation(self, level: int) -> Script:
        if level == len(LEVELS):
            return self._read_single()
        found = self._read_operation(level + 1)
        while self._take(*LEVELS[level]):
            sign = self._tokens[self._place - 1][1]
            found = join(LEVELS[level][sign], found, self._read_operation(level + 1))
        return found

    def _read_single(self) -> Script:
        if self._take("-"):
            return apply(operator.neg, self._read_nested())
        if self._take("+"):
            return self._read_nested()
        if self._take("!"):
            return apply(operator.not_, self._read_nested())
        if self._take("("):
            return self._read_parenthesis()
        return self._read_atom()

    def _read_nested(self) -> Script:
        self._levels += 1
        if self._levels > MOST_LEVELS:
            self._refuse()
        found = self._read_single()
        self._levels -= 1
        return found

    def _read_parenthesis(self) -> Script:
        is_cast = self._peek() in CASTS
        if is_cast:
            kind = self._peek()
            self._place += 1
            self._need(")")
            whole = kind in ("int", "long")
            return apply(math.trunc if whole else float, self._read_nested())
        found = self._read_value()
        self._need(")")
        return found

    def _read_atom(self) -> Script:
        if self._place == len(self._tokens):
            self._refuse()
        kind, text = self._tokens[self._place]
        self._place += 1
        if kind == "number":
            value = int(text) if text.isdecimal() else float(text)
            return lambda _values: value
        if kind == "sign":
            self._refuse()
        if text in self._names:
            return lambda values: values[text]
        if text in CONSTANTS:
            return lambda _values: CONSTANTS[text]
        owner, _, name = text.partition(".")
        if owner != "Math" or name not in FUNCTIONS:
            self._refuse()
        return call(FUNCTIONS[name], self._read_arguments())

    def _read_arguments(self) -> list[Script]:
        self._need("(")
        found = [self._read_value()]
        while self._take(","):
            found.append(self._read_value())
        self._need(")")
        return found


def choose(test: Script, yes: Script, no: Script) -> Script:
    return lambda values: yes(values) if test(values) else no(values)


def apply(function: Callable[..., Value], operand: Script) -> Script:
    return lambda values: function(operand(values))


def join(function: Callable[..., Value], one: Script, other: Script) -> Script:
    return lambda values: function(one(values), other(values))


def call(function: Callable[..., float], arguments: list[Script]) -> Script:
    return lambda values: function(*(each(values) for each in arguments))


def refuse(source: str) -> Invalid:
    return unsupported(
        f"script {source[:80]!r}, expected numbers, params, + - * / %, comparisons, && || !, ? :, if, parentheses and "
        "Math functions"
    )

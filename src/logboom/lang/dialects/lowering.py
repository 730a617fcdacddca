"""Translates the tree of another language to our expressions. Anything without a counterpart is refused by name."""

import re
from collections.abc import Callable, Mapping
from functools import partial, reduce
from typing import Any, NamedTuple, TypeAlias

from logboom.base.patterns import compile_later
from logboom.lang import functions
from logboom.lang.ast import (
    DURATIONS_NS,
    Binary,
    Call,
    Expression,
    Field,
    Inverse,
    Literal,
    Negative,
)
from logboom.lang.dialects.scanner import show
from logboom.lang.dialects.textual import (
    TEXT_TESTS,
    make_expression,
    read_wildcards,
    wildcards_to_expression,
)
from logboom.lang.dialects.times import fold_moment, fold_span, to_seconds
from logboom.lang.dialects.tree import (
    Constant,
    Invocation,
    Minus,
    Moment,
    Name,
    Node,
    Operation,
    Opposite,
    Sequence,
    Span,
    Star,
    Table,
    Test,
)
from logboom.lang.errors import InvalidQuery
from logboom.lang.regex import escape_braces, find_fault
from logboom.lang.tokens import unescape_slashes

Builder: TypeAlias = Callable[["Lowering", Invocation], Expression]
TIME = "_time"
DATED = compile_later(r"time|date|\bts\b|_at\b", re.IGNORECASE)
SAME_OPERATORS = {
    **{sign: sign for sign in ("==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%")},
    "and": "AND",
    "or": "OR",
    "||": "&",
}
WILDCARDS = {
    "like": ("*", "?"),
    "ilike": ("*", "?"),
    "sql_like": ("%", "_"),
    "sql_ilike": ("%", "_"),
}


class Language(NamedTuple):
    """What lowering must know about a language.

    `functions` maps lower-case names to our equivalents, or to builders. `times` are its names for the event's time.
    With `drops_missing` a test of a missing value is neither true nor false, so that its opposite is not true either;
    with `is_two_valued` it is false, also if it is a comparison of numbers.
    """

    name: str
    functions: Mapping[str, str | Builder]
    times: frozenset[str]
    drops_missing: bool
    is_two_valued: bool = False


class Lowering:
    """The state of one query.

    `own` are the columns that it made itself, `json` those that stand for a JSON text or an object, with the field
    that has it. All are in lower case.
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        self.own: set[str] = set()
        self.json: dict[str, str] = {}

    def resolve(self, name: str) -> str:
        """Return the name of a field here: the event's time is `_time`."""
        folded = name.lower()
        is_time = name in self.language.times or folded == "@timestamp"
        return TIME if is_time and folded not in self.own else name

    def find_json(self, name: str) -> tuple[str, str] | None:
        """Return the field and the path of a name that leads into a JSON text."""
        column, _, path = name.partition(".")
        source = self.json.get(column.lower())
        return (source, path) if path and source is not None else None

    def refuse(self, message: str, node: Node) -> InvalidQuery:
        return InvalidQuery(f"{self.language.name}: {message}", node.start, node.end)

    def express(self, node: Node) -> Expression:
        moment = fold_moment(node)
        if moment is not None:
            return express_moment(moment)
        build = NODES.get(type(node))
        if build is None:
            raise self.misplaced(node)
        return build(self, node)

    def misplaced(self, node: Node) -> InvalidQuery:
        kinds: dict[type, str] = {
            Sequence: "a list",
            Star: '"*"',
            Table: "a query",
            Test: "KQL beside an expression",
        }
        return self.refuse(f"{kinds.get(type(node), 'this')} cannot stand here", node)

    def measure(self, span: Span) -> int | float:
        if span.months:
            raise self.refuse("months and years have no fixed length, use days", span)
        return to_seconds(span)

    def call(self, node: Invocation) -> Expression:
        builder = self.language.functions.get(node.name) or COMMON.get(node.name)
        if builder is None:
            raise self.refuse(f"function {show(node.name)} is not supported", node)
        if not isinstance(builder, str):
            return builder(self, node)
        signature = functions.FUNCTIONS[builder]
        if not signature.takes(len(node.arguments)):
            raise self.refuse(
                f"wrong number of arguments for {node.name}: {len(node.arguments)}", node
            )
        return Call(builder, tuple(map(self.express, node.arguments)))

    def operate(self, node: Operation) -> Expression:
        span = fold_span(node)
        if span is not None:
            return Literal(self.measure(span))
        if node.operator in ("+", "-"):
            return self.add(node)
        same = SAME_OPERATORS.get(node.operator)
        if same is not None:
            return Binary(same, self.express(node.left), self.express(node.right))
        return self.test(node.operator, node.left, node.right)

    def add(self, node: Operation) -> Expression:
        """Return a sum or difference; a field beside a time is taken as a time, though it may be a text."""
        left, right = self.express(node.left), self.express(node.right)
        is_moved = fold_span(node.right) is not None and not self.is_own(node.left)
        if is_moved or fold_moment(node.right) is not None:
            left = as_time(left)
        if fold_moment(node.left) is not None:
            right = as_time(right) if isinstance(right, Field) else right
        difference = Binary(node.operator, left, right)
        if node.operator == "-" and is_dated(left) and is_dated(right):
            return Call("coalesce", (difference, Binary("-", as_time(left), as_time(right))))
        return difference

    def is_own(self, node: Node) -> bool:
        return isinstance(node, Name) and node.text.lower() in self.own

    def test(self, operator: str, left: Node, right: Node) -> Expression:
        """Return the expression for a test that another language writes as a word or sign of its own."""
        build = TESTS.get(operator)
        if build is not None:
            return build(self, self.express(left), right)
        if operator in WILDCARDS or operator in ("matches", "rlike"):
            return Binary("=~", self.express(left), Literal(self.make_regex(operator, right)))
        if operator in TEXT_TESTS:
            return self.test_text(operator, self.express(left), right)
        raise self.refuse(f"{show(operator)} cannot stand here", right)

    def test_text(self, operator: str, value: Expression, right: Node) -> Expression:
        test = TEXT_TESTS[operator]
        if test.function:
            return Call(test.function, (value, self.express(right)))
        expression = make_expression(test, (self.read_text(right),))
        prefix = "" if test.counts_case else "(?i)"
        return Binary("=~", value, Literal(self.check_regex(prefix + expression, right)))

    def make_regex(self, operator: str, right: Node) -> str:
        """Return the regular expression for a pattern of another language."""
        text = self.read_text(right)
        if operator in WILDCARDS:
            expression = wildcards_to_expression(read_wildcards(text, *WILDCARDS[operator]))
            return self.check_regex("(?i)" * operator.endswith("ilike") + expression, right)
        return self.check_regex(f"(?s)^(?:{text})$" if operator == "rlike" else text, right)

    def read_text(self, node: Node) -> str:
        """Return a constant text, or the text of a constant number."""
        if (
            isinstance(node, Constant)
            and isinstance(node.value, str | int | float)
            and node.value != ""
        ):
            return spell(node.value)
        raise self.refuse("expected a text in quotes", node)

    def check_regex(self, written: str, node: Node) -> str:
        expression = escape_braces(unescape_slashes(written))
        fault = find_fault(expression)
        if fault is not None:
            raise self.refuse(f"bad regular expression {show(expression)}: {fault}", node)
        return expression


def take_arguments(lowering: Lowering, node: Invocation, least: int, most: int) -> tuple[Node, ...]:
    """Return the arguments of a call; raise InvalidQuery unless there are as many as expected."""
    if not least <= len(node.arguments) <= most:
        raise lowering.refuse(
            f"wrong number of arguments for {node.name}: {len(node.arguments)}", node
        )
    return node.arguments


def spell(value: str | int | float | bool) -> str:
    """Return a value as our filters write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def negate(operand: Expression) -> Expression:
    if isinstance(operand, Literal) and isinstance(operand.value, int | float):
        return Literal(-operand.value)
    return Negative(operand)


def as_time(value: Expression) -> Expression:
    """Return the time in a field, perhaps given as a text."""
    return Call("time", (value,)) if isinstance(value, Field) and value.name != TIME else value


def round_down(value: Expression, span: Span) -> Expression:
    """Return the start of the time span that contains a time; weeks start on Monday."""
    if span.length_ns == DURATIONS_NS["w"]:
        return Call("relative_time", (value, Literal("@w1")))
    return Call("bucket", (as_time(value), Literal(to_seconds(span))))


def is_dated(value: Expression) -> bool:
    """Return whether the name of a field says that it is a time."""
    return isinstance(value, Field) and DATED.search(value.name) is not None


def express_moment(moment: Moment) -> Expression:
    if not moment.text.startswith("now"):
        return Call("time", (Literal(moment.text),))
    now = Call("now", ())
    steps = moment.text.removeprefix("now")
    return Call("relative_time", (now, Literal(steps))) if steps else now


def get_member(field: str, path: str) -> Expression:
    """Return a member of a field that may be an object, whose members are fields, or its JSON text."""
    text = Call("json_get", (Field(field), Literal(path)))
    steps = [field, *path.split(".")]
    places = [step for step in steps if step.isdigit()]
    if len(places) > 1:
        return text
    member: Expression = Field(".".join(step for step in steps if step not in places))
    if places:
        member = Call("mvindex", (member, Literal(int(places[0]))))
    return Call("coalesce", (member, text))


def express_name(lowering: Lowering, node: Name) -> Expression:
    inside = lowering.find_json(node.text)
    if inside is not None:
        return get_member(*inside)
    return Field(lowering.resolve(node.text))


def express_opposite(lowering: Lowering, node: Opposite) -> Expression:
    """Return the negation, which is also true where the operand is null if the language has two truth values."""
    inside = lowering.express(node.operand)
    if lowering.language.is_two_valued:
        return Binary("==", Call("if", (inside, Literal(1), Literal(0))), Literal(0))
    return Inverse(inside)


def test_any_case(lowering: Lowering, value: Expression, right: Node) -> Expression:
    return Binary("==", value, lowering.express(right))


def test_differs(lowering: Lowering, value: Expression, right: Node) -> Expression:
    return Binary("!=", value, lowering.express(right))


def test_search(lowering: Lowering, value: Expression, right: Node) -> Expression:
    return Call("contains", (value, lowering.express(right)))


def test_list(lowering: Lowering, value: Expression, right: Node) -> Expression:
    if not isinstance(right, Sequence) or not right.members:
        raise lowering.refuse("expected a list of values", right)
    return Call("in", (value, *map(lowering.express, right.members)))


def test_range(lowering: Lowering, value: Expression, right: Node) -> Expression:
    assert isinstance(right, Sequence)
    low, high = map(lowering.express, right.members)
    return Binary("AND", Binary(">=", value, low), Binary("<=", value, high))


def test_words(joint: str, lowering: Lowering, value: Expression, right: Node) -> Expression:
    if not isinstance(right, Sequence) or not right.members:
        raise lowering.refuse("expected a list of texts", right)
    tests = [lowering.test_text("has", value, member) for member in right.members]
    return reduce(lambda one, other: Binary(joint, one, other), tests)


TESTS: Mapping[str, Callable[[Lowering, Expression, Node], Expression]] = {
    "=~": test_any_case,
    "!~": test_differs,
    "match": test_search,
    "in": test_list,
    "in~": test_list,
    "between": test_range,
    "has_any": partial(test_words, "OR"),
    "has_all": partial(test_words, "AND"),
}
"""Tests that are not operators of ours, beside the tests of texts and patterns."""
NODES: Mapping[type, Callable[[Lowering, Any], Expression]] = {
    Name: express_name,
    Constant: lambda _lowering, node: Literal(node.value),
    Span: lambda lowering, node: Literal(lowering.measure(node)),
    Minus: lambda lowering, node: negate(lowering.express(node.operand)),
    Opposite: express_opposite,
    Invocation: Lowering.call,
    Operation: Lowering.operate,
}


def build_is_empty(lowering: Lowering, node: Invocation) -> Expression:
    value = Call("coalesce", (lowering.express(node.arguments[0]), Literal("")))
    return Binary("==", value, Literal(""))


def build_is_in_network(lowering: Lowering, node: Invocation) -> Expression:
    address, *networks = map(lowering.express, node.arguments)
    tests: list[Expression] = [Call("cidrmatch", (network, address)) for network in networks]
    return reduce(lambda one, other: Binary("OR", one, other), tests)


COMMON: Mapping[str, str | Builder] = {
    "is null": "isnull",
    "is empty": build_is_empty,
    "is in network": build_is_in_network,
}
"""Tests that every language shares."""

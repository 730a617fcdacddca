"""Event queries, and sequences, which are translated for the suggestion only."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from logboom.lang.ast import (
    Binary,
    Compare,
    Everything,
    Exact,
    Expression,
    Filter,
    Limit,
    Quantity,
    Query,
    Tail,
    Transaction,
    Where,
)
from logboom.lang.dialects.conditions import make_filters
from logboom.lang.dialects.eql.tokens import TOKENS, decode_name, decode_text, read_condition
from logboom.lang.dialects.lowering import Builder, Language, Lowering
from logboom.lang.dialects.matching import join_and, join_or
from logboom.lang.dialects.pipeline import Pipeline
from logboom.lang.dialects.scanner import Scanner, Token, show
from logboom.lang.dialects.times import make_span, to_quantity
from logboom.lang.dialects.tree import Constant, Invocation
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query
from logboom.lang.tokens import decode_number

SEQUENCE = "sequences of EQL are not supported; transaction merges events with the same values"
CATEGORY = "event.category"
ANY = "any"
CATEGORIES = frozenset(
    (
        *("any", "api", "authentication", "configuration", "database", "dns", "driver", "email"),
        *("file", "host", "iam", "image_load", "info", "intrusion_detection", "library", "malware"),
        *("network", "package", "powershell", "process", "registry", "session", "threat"),
        *("vulnerability", "web"),
    )
)
"""Of the Elastic Common Schema; another word may be meant as a word."""


def compute(operator: str, lowering: Lowering, node: Invocation) -> Expression:
    if len(node.arguments) != 2:
        raise lowering.refuse(f"{node.name} takes two numbers", node)
    left, right = map(lowering.express, node.arguments)
    return Binary(operator, left, right)


FUNCTIONS: Mapping[str, str | Builder] = {
    "length": "len",
    "concat": "concat",
    "number": "tonumber",
    "string": "tostring",
    "add": partial(compute, "+"),
    "subtract": partial(compute, "-"),
    "multiply": partial(compute, "*"),
    "modulo": partial(compute, "%"),
}
LANGUAGE = Language("EQL", FUNCTIONS, frozenset(), drops_missing=False, is_two_valued=True)


class Step(NamedTuple):
    """One query of a sequence, the fields by which it belongs to the others, and how often it must match."""

    filter: Filter
    keys: tuple[str, ...]
    runs: int


def read(text: str) -> Query:
    """Parse a query of events; raise InvalidQuery for a sequence, which there is no query for."""
    reader = Reader(text)
    if reader.is_sequence:
        raise refuse_sequence(reader)
    query = reader.translate()
    if reader.unknown is not None:
        message = (
            f"{show(reader.unknown.text)} is no category of EQL such as process or any, expected a filter and pipes; "
            "to search for the text, put it in quotes"
        )
        suggestion = format_query(query)
        raise InvalidQuery(message, reader.unknown.start, reader.unknown.end, (), suggestion)
    return query


def refuse_sequence(reader: "Reader") -> InvalidQuery:
    text = reader.scanner.text
    start = len(text) - len(text.lstrip())
    try:
        suggestion = format_query(reader.translate())
    except InvalidQuery:
        suggestion = None
    return InvalidQuery(SEQUENCE, start, len(text.rstrip()), (), suggestion)


class Reader:
    """One query being translated."""

    def __init__(self, text: str) -> None:
        self.scanner = Scanner(text, TOKENS, "EQL")
        self.lowering = Lowering(LANGUAGE)
        self.pipeline = Pipeline()
        self.is_sequence = self.scanner.sees_word("sequence", "sample")
        self.unknown: Token | None = None

    def translate(self) -> Query:
        if self.is_sequence:
            first = self.scanner.take()
            self.read_sequence(is_ordered=first.text.lower() == "sequence")
        else:
            self.pipeline.narrow([self.read_event()])
        while self.scanner.take_sign("|"):
            self.read_pipe()
        if not self.scanner.at_end:
            raise self.scanner.unexpected("the end")
        return self.pipeline.finish()

    def read_event(self) -> Filter:
        """`category where condition`."""
        token = self.scanner.take()
        category = decode_text(token.text) if token.kind == "text" else token.text
        if token.kind != "text" and category.lower() not in CATEGORIES:
            self.unknown = token
        self.scanner.expect_word("where")
        condition = read_condition(self.scanner)
        is_all = isinstance(condition, Constant) and condition.value is True
        tests: list[Filter] = [] if category.lower() == ANY else [Exact(CATEGORY, category)]
        tests += [] if is_all else make_filters(self.lowering, condition)
        return join_and(tests) if tests else Everything()

    def read_sequence(self, *, is_ordered: bool) -> None:
        """Read the steps: with the same keys they become a transaction, otherwise only their events are found."""
        keys = self.read_keys()
        span = self.read_span()
        keys = keys or self.read_keys()
        steps = [self.read_step(keys)]
        while self.scanner.sees_sign("["):
            steps.append(self.read_step(keys))
        if self.scanner.take_word("until"):
            self.read_step(keys)
        self.pipeline.narrow([join_or(step.filter for step in steps)])
        shared = {step.keys for step in steps}
        if len(shared) > 1 or not steps[0].keys:
            return
        least = sum(step.runs for step in steps)
        ends = (steps[0].filter, steps[-1].filter)
        first, last = ends if is_ordered and least == len(steps) else (None, None)
        self.pipeline.add(Transaction(steps[0].keys, span, start=first, end=last))
        self.pipeline.add(Where(Compare("count", ">=", Quantity(least))))

    def read_step(self, shared: tuple[str, ...]) -> Step:
        self.scanner.expect_sign("[")
        found = self.read_event()
        self.scanner.expect_sign("]")
        keys = (*shared, *self.read_keys())
        return Step(found, keys, self.read_runs())

    def read_runs(self) -> int:
        """`with runs=5`."""
        if not self.scanner.take_word("with"):
            return 1
        self.scanner.expect_word("runs")
        self.scanner.expect_sign("=")
        number = self.scanner.take()
        if not number.text.isdigit():
            raise self.scanner.error("expected a number of runs", number.start, number.end)
        return int(number.text)

    def read_keys(self) -> tuple[str, ...]:
        if not self.scanner.take_word("by"):
            return ()
        names = [self.read_name()]
        while self.scanner.take_sign(","):
            names.append(self.read_name())
        return tuple(names)

    def read_name(self) -> str:
        token = self.scanner.take()
        if token.kind != "name":
            self.scanner.go_to(token.start)
            raise self.scanner.unexpected("a field")
        return self.lowering.resolve(decode_name(token.text))

    def read_span(self) -> Quantity | None:
        """`with maxspan=5m`."""
        if not self.scanner.take_word("with"):
            return None
        self.scanner.expect_word("maxspan")
        self.scanner.expect_sign("=")
        number, unit = self.scanner.take(), self.scanner.take()
        amount = decode_number(number.text) if number.kind == "number" else None
        span = amount and make_span(amount, unit.text, number.start, unit.end)
        if not span:
            raise self.scanner.error("expected a span such as 5m", number.start, unit.end)
        return to_quantity(span)

    def read_pipe(self) -> None:
        """Read `head` or `tail`, which swap: events of EQL come oldest first, ours newest first."""
        token = self.scanner.take()
        count = self.scanner.take()
        if token.text.lower() not in ("head", "tail") or not count.text.isdigit():
            raise self.scanner.error("expected head or tail with a number", token.start, count.end)
        wanted = int(count.text)
        self.pipeline.add(Tail(wanted) if token.text.lower() == "head" else Limit(wanted))

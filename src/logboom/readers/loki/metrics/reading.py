"""Reads metric queries."""

from typing import NamedTuple

from msgspec.structs import replace

from logboom.lang.ast import Expression, Quantity
from logboom.lang.dialects.logql.metrics.arithmetic import BINDING, LOOSEST, read_labels
from logboom.lang.dialects.logql.metrics.queries import read_percent, read_span
from logboom.lang.dialects.logql.pipeline import Pipeline
from logboom.lang.dialects.logql.quantities import read_duration, read_number
from logboom.lang.dialects.logql.selectors import read_selector
from logboom.lang.dialects.logql.stages import read_stages
from logboom.lang.dialects.logql.tokens import Token, TokenReader, show
from logboom.readers.loki.metrics.tree import (
    QUANTILE,
    RANGE_FUNCTIONS,
    RANKS,
    SORTS,
    TOTAL,
    VECTOR_FUNCTIONS,
    Aggregation,
    Constant,
    Grouping,
    Matching,
    Node,
    Number,
    Operation,
    Range,
    Relabelling,
    Sorted,
)
from logboom.readers.loki.selecting import Selection

MAX_RANKED = 1_000_000
LABEL_REPLACE_TEXTS = 4


def read_metric(text: str) -> Node:
    """Read a query; raise InvalidQuery with the position if it is wrong."""
    reader = TokenReader(text, has_variables=False)
    found = read_operation(reader)
    if not reader.sees_kind("end"):
        raise reader.unexpected(["an operator", "the end"])
    return found


def read_operation(reader: TokenReader, loosest: int = LOOSEST) -> Node:
    """Read operands joined by operators of at least this precedence; `^` is right-associative."""
    left = read_operand(reader)
    while (binding := BINDING.get(reader.next.text, 0)) >= loosest:
        token = reader.take()
        reader.count_operation(token)
        is_bool = reader.take_sign("bool")
        matching = read_matching(reader)
        right = read_operation(reader, binding if token.text == "^" else binding + 1)
        left = Operation(token.text, left, right, matching, is_bool)
    return left


def read_matching(reader: TokenReader) -> Matching:
    """`on (…)` or `ignoring (…)`, perhaps with `group_left (…)` or `group_right (…)`."""
    if not reader.sees("on", "ignoring"):
        return Matching()
    is_on = reader.take().text == "on"
    matching = Matching(read_labels(reader), is_on)
    if not reader.sees("group_left", "group_right"):
        return matching
    many = reader.take().text
    # After the labels comes the operand, which may be in parentheses too.
    included = read_labels(reader) if reader.sees("(") and sees_labels(reader) else ()
    return replace(matching, many="left" if many == "group_left" else "right", included=included)


def sees_labels(reader: TokenReader) -> bool:
    """Return whether the parentheses that follow have names only."""
    for token in reader.tokens[reader.place + 1 :]:
        if token.text == ")":
            return True
        if token.kind != "name" and token.text != ",":
            return False
    return False


def read_operand(reader: TokenReader) -> Node:
    if reader.sees_kind("number") or reader.sees("-", "+"):
        return Number(read_real(reader))
    if reader.take_sign("("):
        with reader.nested():
            inside = read_operation(reader)
        reader.expect(")")
        return inside
    token = reader.expect_kind("name", "a function")
    grouping = read_grouping(reader) if token.text in (*VECTOR_FUNCTIONS, *RANKS) else None
    reader.expect("(")
    with reader.nested():
        return read_call(reader, token, grouping)


def read_call(reader: TokenReader, token: Token, grouping: Grouping | None) -> Node:
    """Read a call, from what follows its name: labels that may come first, and the parenthesis."""
    name = token.text
    if name in RANGE_FUNCTIONS:
        return read_range_function(reader, token)
    if name in VECTOR_FUNCTIONS or name in RANKS:
        return read_aggregation(reader, token, grouping)
    if name in SORTS:
        inner = read_operation(reader)
        reader.expect(")")
        return Sorted(inner, SORTS[name])
    if name == "vector":
        number = read_real(reader)
        reader.expect(")")
        return Constant(number)
    if name == "label_replace":
        return read_relabelling(reader)
    raise reader.refuse(f"the function {show(name)} is not supported", token)


def read_real(reader: TokenReader) -> float:
    first = reader.next
    try:
        return float(read_number(reader))
    except OverflowError as error:
        raise reader.refuse("the number is too large", first, reader.last) from error


def read_aggregation(reader: TokenReader, token: Token, grouping: Grouping | None) -> Node:
    """`topk(5, …)`, `sum(…) by (a)`; the labels may have come before the parenthesis."""
    limit = 0
    if token.text in RANKS:
        first = reader.next
        limit = int(read_number(reader))
        if not 1 <= limit <= MAX_RANKED:
            message = f"{token.text} of {limit} series, expected 1 to {MAX_RANKED}"
            raise reader.refuse(message, first, reader.last)
        reader.expect(",")
    inner = read_operation(reader)
    reader.expect(")")
    grouping = grouping or read_grouping(reader) or TOTAL
    return Aggregation(token.text, inner, grouping, limit)


def read_grouping(reader: TokenReader) -> Grouping | None:
    if not reader.sees("by", "without"):
        return None
    is_without = reader.take().text == "without"
    return Grouping(read_labels(reader), is_without)


def read_relabelling(reader: TokenReader) -> Relabelling:
    """`label_replace(…, "target", "replacement", "source", "expression")`."""
    inner = read_operation(reader)
    texts: list[str] = []
    for _ in range(LABEL_REPLACE_TEXTS):
        reader.expect(",")
        texts.append(reader.take_text())
    reader.expect(")")
    target, replacement, source, expression = texts
    return Relabelling(inner, target, replacement, source, expression)


def read_range_function(reader: TokenReader, token: Token) -> Range:
    percent: float | None = None
    if token.text == QUANTILE:
        percent = read_percent(reader)
        reader.expect(",")
    ranged = read_ranged(reader)
    if ranged.range_ns is None:
        raise reader.unexpected(["a range such as [5m]"])
    reader.expect(")")
    function = RANGE_FUNCTIONS[token.text]
    if ranged.value is None and function.lines is None:
        raise reader.refuse(f"{token.text} needs a value, expected | unwrap and a label", token)
    if ranged.value is not None and function.values is None:
        raise reader.refuse(f"{token.text} takes whole lines, expected no unwrap", token)
    return Range(
        token.text,
        ranged.selection,
        ranged.value,
        ranged.range_ns,
        ranged.offset_ns,
        read_grouping(reader),
        percent,
    )


class Ranged(NamedTuple):
    """Lines, or their values, in a range before each step; without a range if it is still to come."""

    selection: Selection
    value: Expression | None
    range_ns: int | None
    offset_ns: int


def read_ranged(reader: TokenReader) -> Ranged:
    """Read a query and its range; parentheses may surround both, or the query alone."""
    if not reader.take_sign("("):
        return read_lines(reader)
    with reader.nested():
        ranged = read_ranged(reader)
    reader.expect(")")
    if ranged.range_ns is None and reader.sees("["):
        range_ns, offset_ns = read_times(reader)
        return ranged._replace(range_ns=range_ns, offset_ns=offset_ns)
    return ranged


def read_lines(reader: TokenReader) -> Ranged:
    """Read a log query with a range after it, or after its selector."""
    pipeline = Pipeline(as_streams=True)
    read_selector(reader, pipeline)
    range_ns, offset_ns = read_times(reader)
    read_stages(reader, pipeline)
    if range_ns is None:
        range_ns, offset_ns = read_times(reader)
    for label in reader.grouped:
        pipeline.name(label)
    selection = Selection(pipeline.finish(), tuple(pipeline.selected), tuple(pipeline.made))
    return Ranged(selection, pipeline.value, range_ns, offset_ns)


def read_times(reader: TokenReader) -> tuple[int | None, int]:
    """`[5m] offset 1h`, if present: the range, and how long before the step it ends."""
    if not reader.sees("["):
        return None, 0
    first = reader.next
    span = read_span(reader)
    if not isinstance(span, Quantity):
        message = "a variable has no length, expected a range such as [5m]"
        raise reader.refuse(message, first, reader.last)
    if not reader.take_sign("offset"):
        return round(span.scaled), 0
    sign = -1 if reader.take_sign("-") else 1
    offset = read_duration(reader.expect_kind("duration", "a duration such as 1h").text)
    return round(span.scaled), sign * round(offset.scaled)

"""One check of an alert: runs its query over the window before a time, and applies the condition.

Live checks and previews use the same code, so that they cannot differ.
"""

import math
import operator
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Invalid
from logboom.base.structs import InternalStruct
from logboom.control.saved.alert_states import Group, Number
from logboom.control.saved.alerts import Operator, Rule
from logboom.model.names import fold_name
from logboom.search.answers import Figures, Meter
from logboom.search.question import Question

MOST_ROWS = 1_000
MOST_GROUPS = 20
MOST_BY = 10
LONGEST_BY = 100
NAMED_COLUMNS = 20

Row = dict[str, object]

MEETS: dict[Operator, Callable[[Number, Number], bool]] = {
    "above": operator.gt,
    "at_least": operator.ge,
    "below": operator.lt,
    "at_most": operator.le,
}
FROM_ABOVE: frozenset[Operator] = frozenset({"above", "at_least"})
"""Operators for which the greatest value is the most extreme one; for the others it is the least."""


class Outcome(InternalStruct, frozen=True, kw_only=True):
    """The result of a check; `column` is the compared one.

    `error` says why nothing could be compared or, if the condition `is_met`, what is missing from the answer.
    """

    value: Number | None = None
    is_met: bool = False
    groups: tuple[Group, ...] = ()
    column: str = ""
    error: str = ""


def make_question(rule: Rule) -> Question:
    """Return the query, without a time range yet."""
    return Question(
        query=rule.query,
        filters=rule.filters,
        env=rule.env,
        index=rule.index,
        is_canonical=rule.is_canonical,
    )


def check(meter: Meter, rule: Rule, time_ns: int) -> Outcome:
    """Return the result of the query at that time; an incomplete answer is an error."""
    return judge(meter.measure(time_ns - rule.window_secs * NS_PER_S, time_ns, MOST_ROWS), rule)


def judge(figures: Figures, rule: Rule) -> Outcome:
    """Evaluate the figures of a check.

    If damaged blocks are missing, the figures are still compared: a condition that the rest meets is reported, but
    one that it does not meet counts as unknown.
    """
    outcome = compare(figures, rule)
    return (
        replace(outcome, error=describe_losses(figures.warnings)) if figures.warnings else outcome
    )


def describe_losses(warnings: Sequence[dict[str, object]]) -> str:
    """Return what is missing from the answer."""
    more = f" (and {len(warnings) - 1} more)" if len(warnings) > 1 else ""
    return f"the answer is incomplete: {warnings[0]['message']}{more}"


def compare(figures: Figures, rule: Rule) -> Outcome:
    rows = figures.rows
    column = choose_column(figures, rule.column)
    found = [(value, row) for row in rows if (value := to_number(row.get(column))) is not None]
    found.sort(key=lambda each: each[0], reverse=rule.operator in FROM_ABOVE)
    met = [(value, row) for value, row in found if MEETS[rule.operator](value, rule.threshold)]
    groups = [Group(describe_row(row, column), value) for value, row in met[:MOST_GROUPS]]
    return Outcome(
        value=found[0][0] if found else None,
        is_met=bool(met),
        groups=tuple(group for group in groups if group.by),
        column=column,
    )


def choose_column(figures: Figures, wanted: str) -> str:
    """Return the wanted column, else the last numeric one; empty if there is none."""
    columns = figures.columns
    if not wanted:
        return next((name for name in reversed(columns) if has_numbers(figures, name)), "")
    for name in columns:
        if fold_name(name) == fold_name(wanted):
            return name
    expected = ", ".join(columns[:NAMED_COLUMNS])
    raise Invalid(f"no column {wanted[:80]!r}, expected one of {expected}")


def has_numbers(figures: Figures, name: str) -> bool:
    """Return whether a column has a number, or would have one: without values it is what the query says."""
    values = [row[name] for row in figures.rows]
    if any(to_number(value) is not None for value in values):
        return True
    is_empty = bool(values) and all(value is None for value in values)
    return is_empty and name in figures.numeric


def to_number(value: object) -> Number | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


def describe_row(row: Row, column: str) -> Row:
    """Return the other columns of a row, truncated to fit into a state."""
    others = [name for name in row if name != column][:MOST_BY]
    return {name: shorten(row[name]) for name in others}


def shorten(value: object, longest: int = LONGEST_BY) -> object:
    match value:
        case str() if len(value) > longest:
            return f"{value[: longest - 1]}…"
        case list():
            return [shorten(each, longest) for each in value[:MOST_BY]]
        case _:
            return value

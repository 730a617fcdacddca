"""One check of an alert: its question asked of the time just before a moment, its condition on the answer.

Live checks and previews ask the same way, so that they cannot differ.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Invalid
from logboom.control.kept.alert_states import Group, Number
from logboom.control.kept.alerts import Operator, Rule
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
"""With these the greatest value is the most extreme one, else the least."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a check has found; `column` is the one that was compared.

    `error` says why nothing could be compared or, where the condition `is_met`, what is missing in the answer.
    """

    value: Number | None = None
    is_met: bool = False
    groups: tuple[Group, ...] = ()
    column: str = ""
    error: str = ""


def make_question(rule: Rule) -> Question:
    """What is asked, of no time yet."""
    return Question(
        query=rule.query,
        filters=rule.filters,
        env=rule.env,
        index=rule.index,
        is_canonical=rule.is_canonical,
    )


def check(meter: Meter, rule: Rule, time_ns: int) -> Outcome:
    """What the question finds at that time; an answer that is not complete is an error."""
    return judge(meter.measure(time_ns - rule.window_secs * NS_PER_S, time_ns, MOST_ROWS), rule)


def judge(figures: Figures, rule: Rule) -> Outcome:
    """What the figures of a check come to.

    When damaged blocks are missing they are compared all the same: a condition that is met by what is left is
    reported, one that is not met is not known to be unmet.
    """
    outcome = compare(figures, rule)
    return (
        replace(outcome, error=describe_losses(figures.warnings)) if figures.warnings else outcome
    )


def describe_losses(warnings: list[dict[str, object]]) -> str:
    """What the answer lacks."""
    more = f" (and {len(warnings) - 1} more)" if len(warnings) > 1 else ""
    return f"the answer is not complete: {warnings[0]['message']}{more}"


def compare(figures: Figures, rule: Rule) -> Outcome:
    rows = figures.rows
    column = choose_column(figures.columns, rows, rule.column)
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


def choose_column(columns: tuple[str, ...], rows: list[Row], wanted: str) -> str:
    """The wanted one, else the last that has numbers; empty if none has."""
    if wanted:
        for name in columns:
            if fold_name(name) == fold_name(wanted):
                return name
        expected = ", ".join(columns[:NAMED_COLUMNS])
        raise Invalid(f"no column {wanted[:80]!r}, expected one of {expected}")
    with_numbers = (
        name for name in reversed(columns) if any(to_number(row[name]) is not None for row in rows)
    )
    return next(with_numbers, "")


def to_number(value: object) -> Number | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


def describe_row(row: Row, column: str) -> Row:
    """The other columns of a row, as far as they fit into a state."""
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

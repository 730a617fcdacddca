"""Examples of what made an alert fire, for notifications."""

from logboom.alerts.check import Outcome, shorten
from logboom.base.clock import NS_PER_S, format_time
from logboom.base.errors import LogboomError
from logboom.control.access.principal import Principal
from logboom.control.saved.alerts import Rule
from logboom.search.question import Question
from logboom.search.service import SearchService

MOST_ROWS = 5
MOST_MEMBERS = 20
LONGEST_VALUE = 300

Row = dict[str, object]


def find_sample(
    search: SearchService, asker: Principal, rule: Rule, outcome: Outcome, time_ns: int
) -> tuple[Row, ...]:
    """Return a few of the groups that meet the condition, else the newest events or first rows of the window.

    Examples never delay a notification: if they cannot be found there are none.
    """
    if outcome.groups:
        rows = [{**group.by, outcome.column: group.value} for group in outcome.groups[:MOST_ROWS]]
        return tuple(map(cut, rows))
    question = Question(
        query=rule.query,
        filters=rule.filters,
        env=rule.env,
        index=rule.index,
        is_canonical=rule.is_canonical,
        from_=format_time(time_ns - rule.window_secs * NS_PER_S),
        to=format_time(time_ns),
        limit=MOST_ROWS,
    )
    try:
        found = search.search(asker, question).rows
    except LogboomError:
        return ()
    return tuple(map(cut, found[:MOST_ROWS]))


def cut(row: Row) -> Row:
    """Return a row truncated to fit into a message."""
    members = list(row.items())[:MOST_MEMBERS]
    return {name: shorten(value, LONGEST_VALUE) for name, value in members if value is not None}

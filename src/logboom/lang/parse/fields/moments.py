"""Fields compared with a time, as KQL, Lucene and Kusto do: `expires < now`, `seen:[now-1d TO now]`, `due > ago(1d)`."""

from logboom.base.patterns import compile_later
from logboom.lang import tokens
from logboom.lang.ast import Binary, Call, Comparison, Field, Truth
from logboom.lang.dialects.lowering import express_moment
from logboom.lang.dialects.times import write_date
from logboom.lang.dialects.tree import Moment
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.subject import Subject

CALLED_MOMENT = compile_later(
    r"(?:now\(\)(?:\s*+(?P<sign>[-+])\s*+(?P<length>[0-9]++[a-z]++))?|ago\(\s*+(?P<ago>[0-9]++[a-z]++)\s*+\)"
    r"|(?i:(?:to)?datetime)\(\s*+(?P<quote>[\"']?)(?P<date>[0-9][^\"'()|]*+)(?P=quote)\s*+\))"
    r"(?=[\s,)|]|\Z)"
)


def take_called_moment(cursor: Cursor) -> str | None:
    """Take `now() - 5m`, `ago(5m)` or `datetime(2026-09-01)`; return it as we write times."""
    start = cursor.position
    called = cursor.take_match(CALLED_MOMENT)
    if called is None:
        return None
    if called["ago"]:
        return f"now-{called['ago']}"
    if called["date"] is None:
        return f"now{called['sign']}{called['length']}" if called["length"] else "now"
    date = write_date(called["date"])
    if date is None:
        message = f"time {show(called['date'].strip())}, expected one such as 2026-09-01T08:00:00Z"
        raise cursor.error(message, start, cursor.position, ["a time"])
    return date


def take_moment_limit(cursor: Cursor) -> str | None:
    """`now-15m`, or a call that is a time, if it comes next; in quotes it is a text."""
    return take_called_moment(cursor) or cursor.take(tokens.RELATIVE_MOMENT)


def compare_moment(subject: Subject, operator: Comparison, moment: str) -> Truth:
    """Return a test of the value as a time; a value that is none does not match."""
    limit = Moment(moment.replace("()", ""), 0, 0)
    value = Call("time", (Field(subject.field),))
    return Truth(Binary(operator, value, express_moment(limit)))

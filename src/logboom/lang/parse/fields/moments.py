"""Fields compared with a time relative to now, as KQL and Lucene do: `expires < now`, `seen:[now-1d TO now]`."""

from logboom.lang import tokens
from logboom.lang.ast import Binary, Call, Comparison, Field, Truth
from logboom.lang.dialects.lowering import express_moment
from logboom.lang.dialects.tree import Moment
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.fields.subject import Subject


def take_moment_limit(cursor: Cursor) -> str | None:
    """`now-15m`, if it comes next; in quotes it is a text."""
    return cursor.take(tokens.RELATIVE_MOMENT)


def compare_moment(subject: Subject, operator: Comparison, moment: str) -> Truth:
    """Return a test of the value as a time; a value that is none does not match."""
    limit = Moment(moment.replace("()", ""), 0, 0)
    value = Call("time", (Field(subject.field),))
    return Truth(Binary(operator, value, express_moment(limit)))

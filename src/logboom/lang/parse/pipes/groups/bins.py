"""`bin`: a field rounded down, so that it can be grouped by."""

from logboom.lang.ast import Bin, Quantity
from logboom.lang.format.values import format_quantity
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.groups.aggregates import TIME_FIELDS, parse_bucket
from logboom.lang.parse.pipes.options import leave_out_options, take_options
from logboom.lang.parse.pipes.parts import ends_pipe, parse_count, parse_name

DEFAULT_BINS = 100
IGNORED = ("aligntime", "minspan", "start", "end")


def parse_bin(cursor: Cursor) -> Bin:
    """`bin field span=5m [as name]`, `bin field bins=10`; the options may come first."""
    start = cursor.position
    field, name = "", ""
    size: Quantity | None = None
    most = DEFAULT_BINS
    while not ends_pipe(cursor):
        if cursor.take(tokens.SPAN):
            size = parse_size(cursor, field)
        elif cursor.take(tokens.BINS):
            most = parse_count(cursor, least=1)
        elif options := take_options(cursor, IGNORED):
            leave_out_options(cursor, options)
        elif field and cursor.take(tokens.AS):
            name = parse_name(cursor, "a column name")
        elif field:
            break
        else:
            field = parse_name(cursor)
    if not field:
        raise cursor.unexpected(["a field name"])
    if size is None:
        return Bin(field, None, most, name or field)
    return Bin(field, check_size(cursor, start, field, size), None, name or field)


def parse_size(cursor: Cursor, field: str) -> Quantity:
    """Parse the size of the multiples; a snap of a time span is implied: `1h@h`."""
    size = parse_bucket(cursor, field)
    cursor.take(tokens.SNAP)
    cursor.skip_blanks()
    return size


def check_size(cursor: Cursor, start: int, field: str, size: Quantity) -> Quantity:
    """Return a duration for the time, even if the size was parsed before the field."""
    if field not in TIME_FIELDS or size.is_duration:
        return size
    message = f"{show(format_quantity(size))} is not a duration, expected one such as 30s, 5m or 1h"
    raise cursor.error(message, start, cursor.position, ["a duration such as 5m"])

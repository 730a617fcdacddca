"""Pipes that turn values into columns and back: `chart`, `xyseries`, `untable`, and `addtotals` over columns."""

from msgspec.structs import replace

from logboom.lang.ast import AddTotals, Chart, Key, Quantity, Stats, Untable, XySeries
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.groups.aggregates import (
    check_columns,
    parse_aggregates,
    parse_bucket,
    parse_key,
)
from logboom.lang.parse.pipes.groups.series import Series, read_series
from logboom.lang.parse.pipes.groups.stats import take_by
from logboom.lang.parse.pipes.options import leave_out_options, take_flag, take_options
from logboom.lang.parse.pipes.parts import (
    ends_pipe,
    goes_on,
    parse_name,
    parse_names,
)

TOTAL = "Total"
NAMES = 3


def parse_chart(cursor: Cursor) -> Chart | Stats:
    """`chart agg, … over a by b`, or `chart agg, … by a, b`; with one key the same as `stats`."""
    start = cursor.position
    series = read_series(cursor, Series(), parse_width)
    aggregates = parse_aggregates(cursor)
    series = read_series(cursor, series, parse_width)
    keys: list[Key] = []
    if cursor.take(tokens.OVER):
        keys.append(parse_chart_key(cursor))
    if take_by(cursor):
        keys.append(parse_chart_key(cursor))
        while goes_on(cursor, tokens.STATS_OPTION):
            keys.append(parse_chart_key(cursor))
    series = read_series(cursor, series, parse_width)
    if len(keys) > 2:
        message = (
            f"a chart by {len(keys)} fields, expected one for the rows and one for the columns"
        )
        raise cursor.error(message, start, cursor.position)
    if series.span is not None and keys:
        keys[0] = replace(keys[0], bucket=series.span)
    check_columns(cursor, start, tuple(keys), aggregates)
    if len(keys) < 2:
        return Stats(aggregates, tuple(keys))
    over, by = keys
    return Chart(aggregates, over, by, series.limit, series.has_other, series.has_null)


def parse_width(cursor: Cursor) -> Quantity:
    return parse_bucket(cursor, "")


def parse_chart_key(cursor: Cursor) -> Key:
    """Parse a key, with its `span=` just behind it."""
    key = parse_key(cursor)
    if key.bucket is None and cursor.sees(tokens.SPAN):
        series = read_series(cursor, Series(), parse_width)
        key = replace(key, bucket=series.span)
    return key


def parse_add_totals(cursor: Cursor) -> AddTotals:
    """`addtotals [fieldname=Total] [field, …]`."""
    start = cursor.position
    options = take_options(cursor, ("row", "col", "fieldname", "labelfield", "label"))
    name = options.pop("fieldname", TOTAL)
    has_rows = take_flag(cursor, options, "row", default=True)
    if take_flag(cursor, options, "col", default=False) or not has_rows:
        message = (
            "addtotals adds a column and no row, write union with stats for the sums of columns"
        )
        raise cursor.error(message, start, cursor.position)
    leave_out_options(cursor, options)
    return AddTotals(() if ends_pipe(cursor) else parse_names(cursor), name)


def parse_xy_series(cursor: Cursor) -> XySeries:
    return XySeries(*parse_three(cursor))


def parse_untable(cursor: Cursor) -> Untable:
    return Untable(*parse_three(cursor))


def parse_three(cursor: Cursor) -> tuple[str, str, str]:
    """Parse the field of the rows, that of the columns, and that of the values."""
    start = cursor.position
    names = [parse_name(cursor)]
    while goes_on(cursor):
        names.append(parse_name(cursor))
    if len(set(names)) != NAMES or len(names) != NAMES:
        found = f"{len(names)} fields" if len(names) != NAMES else "a field twice"
        message = f"{found}, expected three: of the rows, the columns and the values"
        raise cursor.error(message, start, cursor.position, ["a field name"])
    return names[0], names[1], names[2]

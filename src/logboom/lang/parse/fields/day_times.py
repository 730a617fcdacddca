"""Hours of the day and days of the week, in LogsQL's syntax: `_time:day_range[08:00, 18:00) offset 2h`."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.ast import Binary, Call, Expression, Field, Filter, Literal, Truth
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.quantities import measure, parse_duration

DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
DAY_TIMES = compile_later(
    r"(?P<kind>day_range|week_range)\s*+(?P<opening>[\[(])\s*+(?P<low>[\w:]++)\s*+,\s*+(?P<high>[\w:]++)\s*+(?P<closing>[\])])",
    re.IGNORECASE,
)
CLOCK = compile_later(r"(?P<hour>[01]?[0-9]|2[0-4]):(?P<minute>[0-5][0-9])")
OFFSET = compile_later(r"\s++offset\s++(?P<sign>-?)(?=[0-9])", re.IGNORECASE)
MINUTES = 60


def parse_day_times(cursor: Cursor) -> Filter | None:
    start = cursor.position
    found = cursor.take_match(DAY_TIMES)
    if found is None:
        return None
    moment = take_shifted_time(cursor)
    if found["kind"].lower() == "week_range":
        return match_days(cursor, start, found, moment)
    return match_clock(cursor, start, found, moment)


def take_shifted_time(cursor: Cursor) -> Expression:
    """Return the event's time, as shown by clocks that are ahead by the offset."""
    offset = cursor.take_match(OFFSET)
    if offset is None:
        return Field("_time")
    length = Literal(measure(parse_duration(cursor)))
    return Binary("-" if offset["sign"] else "+", Field("_time"), length)


def match_days(cursor: Cursor, start: int, found: re.Match[str], moment: Expression) -> Filter:
    """Return the test for days; weeks start on Sunday here, but `weekday` counts from Monday, 1, to Sunday, 7."""
    low, high = (read_day(cursor, start, found[name]) for name in ("low", "high"))
    first, last = low + (found["opening"] == "("), high - (found["closing"] == ")")
    if first > last:
        message = f"{show(found[0])} has no days, expected the first day before the last one"
        raise cursor.error(message, start, cursor.position)
    days = sorted((day or 7) for day in range(first, last + 1))
    return Truth(Call("in", (Call("weekday", (moment,)), *map(Literal, days))))


def read_day(cursor: Cursor, start: int, text: str) -> int:
    name = text.lower()[:3]
    if name not in DAYS:
        message = f"{show(text)} is not a day of the week, expected one such as Mon"
        raise cursor.error(message, start, cursor.position, ["Mon"])
    return DAYS.index(name)


def match_clock(cursor: Cursor, start: int, found: re.Match[str], moment: Expression) -> Filter:
    """Return the test for a time of day, by whole minutes, or by hours if no minutes are given."""
    low, high = (read_clock(cursor, start, found[name]) for name in ("low", "high"))
    upper = "<" if found["closing"] == ")" else "<="
    hour, minute = Call("hour", (moment,)), Call("minute", (moment,))
    if low % MINUTES or high % MINUTES or upper == "<=":
        clock: Expression = Binary("+", Binary("*", hour, Literal(MINUTES)), minute)
    else:
        clock, low, high = hour, low // MINUTES, high // MINUTES
    limits = Binary(">=", clock, Literal(low)), Binary(upper, clock, Literal(high))
    return Truth(Binary("AND", *limits))


def read_clock(cursor: Cursor, start: int, text: str) -> int:
    clock = CLOCK.fullmatch(text)
    if clock is None:
        message = f"{show(text)} is not a time of day, expected one such as 08:00"
        raise cursor.error(message, start, cursor.position, ["08:00"])
    return int(clock["hour"]) * MINUTES + int(clock["minute"])

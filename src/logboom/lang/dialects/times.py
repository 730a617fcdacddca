"""Times and durations of other languages in our notation."""

import re
from datetime import UTC, datetime, timedelta

from logboom.base.patterns import compile_later
from logboom.lang.ast import DURATIONS_NS, Quantity
from logboom.lang.dialects.tree import Constant, Invocation, Minus, Moment, Node, Operation, Span
from logboom.model.timestamps import parse_time

NS_PER_S = DURATIONS_NS["s"]
UNITS: dict[str, tuple[str, int, int]] = {
    **dict.fromkeys(("nanosecond", "nanoseconds"), ("ns", 1, 0)),
    **dict.fromkeys(("microsecond", "microseconds"), ("us", 1, 0)),
    **dict.fromkeys(("ms", "millisecond", "milliseconds", "milli", "millis"), ("ms", 1, 0)),
    **dict.fromkeys(("s", "sec", "second", "seconds"), ("s", 1, 0)),
    **dict.fromkeys(("m", "min", "minute", "minutes"), ("m", 1, 0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("h", 1, 0)),
    **dict.fromkeys(("d", "day", "days"), ("d", 1, 0)),
    **dict.fromkeys(("w", "week", "weeks"), ("w", 1, 0)),
    **dict.fromkeys(("mo", "month", "months"), ("", 0, 1)),
    **dict.fromkeys(("q", "quarter", "quarters"), ("", 0, 3)),
    **dict.fromkeys(("y", "yr", "year", "years"), ("", 0, 12)),
    "tick": ("ns", 100, 0),
    "ticks": ("ns", 100, 0),
}
"""Names of units: one of ours and a factor, and months for those without a fixed length."""
SNAPPED = {
    "startofday": "/d",
    "startofweek": "@w",
    "startofmonth": "/mon",
    "startofyear": "/y",
}
DATE = compile_later(r"\d{4}-\d{1,2}(?:-\d{1,2}(?:[T ].*)?)?|\d{4}", re.ASCII)
EPOCH_MS = compile_later(r"\d{12,14}")


def make_span(number: int | float, unit: str, start: int, end: int) -> Span | None:
    """Return a span, or None for an unknown unit."""
    found = UNITS.get(unit.lower())
    if found is None:
        return None
    name, factor, months = found
    if months:
        return Span(0, round(number * months), start, end)
    return Span(round(number * factor * DURATIONS_NS[name]), 0, start, end)


def read_clock(text: str) -> int | None:
    """Return the nanoseconds of `1.02:03:04.5`: days, hours, minutes, seconds."""
    match = re.fullmatch(r"(?:(\d+)\.)?(\d+):(\d+)(?::(\d+)(\.\d+)?)?", text.strip())
    if match is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[:4])
    whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return whole * NS_PER_S + round(float(match[5] or 0) * NS_PER_S)


def to_quantity(span: Span, largest: str = "d") -> Quantity:
    """Return a span with the largest unit that divides it; buckets of weeks start on Monday, those of 7 days do not."""
    units = ("w", "d", "h", "m", "s", "ms", "us", "ns")
    fitting = (
        unit for unit in units[units.index(largest) :] if span.length_ns % DURATIONS_NS[unit] == 0
    )
    unit = next(fitting)
    return Quantity(span.length_ns // DURATIONS_NS[unit], unit)


def to_seconds(span: Span) -> int | float:
    whole, rest = divmod(span.length_ns, NS_PER_S)
    return span.length_ns / NS_PER_S if rest else whole


def write_date(text: str) -> str | None:
    """Return a full date in our notation, in UTC unless it says otherwise; None if it is invalid."""
    written = text.strip()
    if EPOCH_MS.fullmatch(written):
        return written
    if not DATE.fullmatch(written):
        return None
    padded = (
        "-".join(part.zfill(2) for part in written[:10].split("-"))
        if len(written) < 10
        else written
    )
    padded += "-01" * (2 - padded[:10].count("-"))
    if len(padded) == 16:
        padded += ":00"
    parsed = parse_time(padded, quoted=True)
    if parsed is None:
        return None
    return write_moment(parsed.time_ns)


def write_moment(time_ns: int) -> str:
    seconds, rest = divmod(time_ns, NS_PER_S)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}Z"


def fold_moment(node: Node, *, takes_text: bool = False) -> Moment | None:
    """Return the fixed or relative time that an expression without fields stands for, if any."""
    match node:
        case Moment():
            return node
        case Constant(value=str(text)) if takes_text:
            date = write_date(text)
            return Moment(date, node.start, node.end) if date else None
        case Invocation():
            return fold_call(node)
        case Operation(operator="-" | "+" as sign, left=left, right=right):
            base = fold_moment(left)
            return base and shift(base, right, 1 if sign == "+" else -1)
        case _:
            return None


def fold_call(node: Invocation) -> Moment | None:
    """`now()`, `ago(1h)`, `startofday(…)`, and conversions of a text to a time."""
    now = Moment("now", node.start, node.end)
    match node.name, node.arguments:
        case (("now" | "utcnow"), ()):
            return now
        case (("now" | "ago"), (offset,)):
            return shift(now, offset, 1 if node.name == "now" else -1)
        case (("todatetime" | "to_datetime" | "datetime"), (inner,)):
            return fold_moment(inner, takes_text=True)
        case _, (inner,) if node.name in SNAPPED:
            return snap(fold_moment(inner), SNAPPED[node.name])
        case _:
            return None


def snap(moment: Moment | None, unit: str) -> Moment | None:
    """Return a time rounded down to a unit, or None: only times relative to now can say so."""
    if moment is None or not moment.text.startswith("now"):
        return None
    return Moment(moment.text + unit, moment.start, moment.end)


def fold_span(node: Node) -> Span | None:
    """Return the duration that a product or sum of constants stands for."""
    match node:
        case Span():
            return node
        case Minus(operand=operand):
            span = fold_span(operand)
            return span and Span(-span.length_ns, -span.months, node.start, node.end)
        case Operation(operator="*", left=Constant(value=int() | float() as times), right=right):
            return multiply(fold_span(right), times)
        case Operation(operator="*", left=left, right=Constant(value=int() | float() as times)):
            return multiply(fold_span(left), times)
        case Operation(operator="+" | "-" as sign, left=left, right=right):
            return add_spans(fold_span(left), fold_span(right), 1 if sign == "+" else -1)
        case _:
            return None


def add_spans(one: Span | None, other: Span | None, sign: int) -> Span | None:
    if one is None or other is None:
        return None
    length_ns = one.length_ns + sign * other.length_ns
    return Span(length_ns, one.months + sign * other.months, one.start, other.end)


def multiply(span: Span | None, times: int | float) -> Span | None:
    if span is None or isinstance(times, bool):
        return None
    return Span(round(span.length_ns * times), round(span.months * times), span.start, span.end)


def shift(moment: Moment, by: Node, sign: int) -> Moment | None:
    span = fold_span(by)
    if span is None:
        return None
    if moment.text.startswith("now"):
        return Moment(moment.text + write_offset(span, sign), moment.start, moment.end)
    parsed = parse_time(moment.text, quoted=True)
    if parsed is None or span.months:
        return None
    text = write_moment(parsed.time_ns + sign * span.length_ns)
    return Moment(text, moment.start, moment.end)


def write_offset(span: Span, sign: int) -> str:
    if span.months:
        signed = span.months * sign
        return f"{signed:+d}mon" if signed % 12 else f"{signed // 12:+d}y"
    signed_span = Span(span.length_ns * sign, 0, span.start, span.end)
    quantity = to_quantity(signed_span)
    return f"{quantity.number:+d}{quantity.unit}" if quantity.number else ""

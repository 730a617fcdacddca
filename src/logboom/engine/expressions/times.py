"""Functions of times, in the zone of the query."""

import re
from collections.abc import Callable

import polars as pl

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Invalid
from logboom.engine.expressions.arguments import Arguments, Builder, Constant
from logboom.engine.expressions.moments import as_local, name_zone, read_time
from logboom.engine.expressions.numeric import combine, read_numbers, unify_numbers, without
from logboom.engine.rows.division import floor_multiple
from logboom.engine.rows.values import MAX_INT, MIN_INT, Value
from logboom.engine.terms.spans import floor_times
from logboom.lang import ast
from logboom.lang.ast import DURATIONS_NS
from logboom.lang.calendars import to_local
from logboom.lang.times import RELATIVE, SPAN, SPAN_PART, UNITS, apply_steps, split_amount
from logboom.model.columns import Kind

DIRECTIVE = re.compile(r"%(?:[0-9])?[a-zA-Z%]")
FRACTIONS = {"%Q": "%3f", "%N": "%9f", "%3Q": "%3f", "%6Q": "%6f", "%9Q": "%9f"} | {
    f"%{digits}N": f"%{digits}f" for digits in (3, 6, 9)
}
"""How Splunk writes fractions of a second."""
YEARS = re.compile(r"%[YyGgCcDFsv+x]")
ZONES = re.compile(r"%(?:[zZ+]|:z|#z)")


def now(arguments: Arguments) -> Value:
    return Constant.of(arguments.conditions.now_ns, Kind.TIME)


def take_time(arguments: Arguments) -> Value:
    return Value({Kind.TIME: read_time(arguments, 0)}) if len(arguments) else now(arguments)


def read_format(arguments: Arguments) -> str:
    written = str(arguments.constant(1, "a format written in the query"))
    return DIRECTIVE.sub(lambda found: FRACTIONS.get(found[0], found[0]), written)


def write_time(arguments: Arguments) -> Value:
    format_ = read_format(arguments)
    check_format(arguments, format_, as_local(pl.lit(0), arguments).dt.strftime(format_))
    return Value({Kind.STR: as_local(read_time(arguments, 0), arguments).dt.strftime(format_)})


def check_format(arguments: Arguments, format_: str, sample: pl.Expr) -> None:
    try:
        pl.select(sample)
    except pl.exceptions.ComputeError as error:
        raise Invalid(
            f"{arguments.name}: format {format_!r}, expected one such as %Y-%m-%d %H:%M:%S"
        ) from error


def parse_time(arguments: Arguments) -> Value:
    """Parse a time; without a year it is in the current one, without a zone in the query's."""
    format_, text = read_format(arguments), arguments.text(0)
    if not YEARS.search(format_):
        conditions = arguments.conditions
        local_ns = to_local(conditions.now_ns, conditions.zone)
        year = pl.select(pl.lit(local_ns).cast(pl.Datetime("ns")).dt.year()).item()
        format_, text = f"%Y {format_}", pl.lit(f"{year} ") + text
    check_format(arguments, format_, parse_exactly(pl.lit(""), format_, "us"))
    # Years outside the range of nanoseconds give wrong results and must be left out.
    coarse = parse_exactly(text, format_, "us").cast(pl.Int64)
    fits = coarse.is_between(MIN_INT // 1000 + 1, MAX_INT // 1000 - 1)
    moment = parse_exactly(text, format_, "ns")
    if not ZONES.search(format_) and "%s" not in format_:
        moment = moment.dt.replace_time_zone(
            name_zone(arguments), ambiguous="earliest", non_existent="null"
        )
    return Value({Kind.TIME: pl.when(fits).then(moment.cast(pl.Int64))})


def parse_exactly(text: pl.Expr, format_: str, unit: str) -> pl.Expr:
    return text.str.strptime(pl.Datetime(unit), format_, strict=False)  # type: ignore[arg-type]


def bucket(arguments: Arguments) -> Value:
    """Round numbers down to a multiple, times down to the start of a span in the query's zone."""
    value = arguments.values[0].first()
    numbers = without(value, Kind.TIME)
    parts = round_down(arguments, numbers) if numbers.parts else {}
    time = value.parts.get(Kind.TIME)
    if time is not None:
        span = ast.Quantity(read_span(arguments), "ns")
        parts = {**parts, Kind.TIME: floor_times(time, span, arguments.conditions.zone)}
    return Value(parts)


def round_down(arguments: Arguments, value: Value) -> dict[Kind, pl.Expr]:
    size = arguments.numbers(1)
    numbers = arguments.settle(unify_numbers(read_numbers(value)))
    return dict(combine(numbers, size, floor_whole, floor_multiple).parts)


def floor_whole(number: pl.Expr, size: pl.Expr) -> pl.Expr:
    return number - number % size


def read_span(arguments: Arguments) -> int:
    """Return the nanoseconds of a span, given in seconds or as a text."""
    written = arguments.constant(1, "a span such as 5m")
    span_ns = 0
    if isinstance(written, str) and SPAN.fullmatch(written):
        parts = [split_amount(part) for part in SPAN_PART.findall(written)]
        span_ns = sum(amount * DURATIONS_NS.get(UNITS[unit], 0) for amount, unit in parts)
    elif isinstance(written, int | float) and written < MAX_INT / NS_PER_S:
        span_ns = round(written * NS_PER_S)
    if not 0 < span_ns <= MAX_INT:
        raise Invalid(f"{arguments.name}: span {written!r}, expected one such as 5m or 1d")
    return span_ns


def move(arguments: Arguments) -> Value:
    """Return a time moved and snapped, as in `-1d@d`."""
    zone = arguments.conditions.zone

    def step(time_ns: int, text: str) -> int | None:
        written = RELATIVE.fullmatch(text.strip())
        return apply_steps(written["steps"], time_ns, zone) if written else None

    return arguments.map(step, read_time(arguments, 0), arguments.text(1), kind=Kind.TIME)


def reads(read: Callable[[pl.Expr], pl.Expr]) -> Builder:
    """Return the builder of a function that returns a component of a date or time."""

    def build(arguments: Arguments) -> Value:
        local = as_local(read_time(arguments, 0), arguments)
        return Value({Kind.INT: read(local).cast(pl.Int64)})

    return build


TIMES: dict[str, Builder] = {
    "now": now,
    "strftime": write_time,
    "strptime": parse_time,
    "time": take_time,
    "bucket": bucket,
    "relative_time": move,
    "year": reads(lambda local: local.dt.year()),
    "month": reads(lambda local: local.dt.month()),
    "day": reads(lambda local: local.dt.day()),
    "hour": reads(lambda local: local.dt.hour()),
    "minute": reads(lambda local: local.dt.minute()),
    "second": reads(lambda local: local.dt.second()),
    "weekday": reads(lambda local: local.dt.weekday()),
}

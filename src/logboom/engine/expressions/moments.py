"""Times in values: how numbers and texts are interpreted as times."""

import polars as pl

from logboom.base.errors import Invalid
from logboom.base.texts import NUMBER
from logboom.engine.expressions.arguments import Arguments
from logboom.engine.expressions.numeric import narrow, read_numbers, widen
from logboom.engine.rows.values import Value
from logboom.lang.times import parse_moment
from logboom.model.columns import Kind
from logboom.model.timestamps import UNIT_NS

UNITS: tuple[tuple[float, str], ...] = ((1e11, "s"), (1e14, "m"), (1e17, "u"))
"""Numbers below the limit count in the unit; larger ones are nanoseconds."""


def read_moments(value: Value, other: Value, arguments: Arguments) -> Value:
    """Return the numbers of a value; if it is compared with times, also texts that are times."""
    numbers = read_numbers(value)
    text = value.first().parts.get(Kind.STR)
    if text is None or Kind.TIME not in other.first().parts:
        return numbers
    spelled = parse_texts(pl.when(~text.str.contains(NUMBER)).then(text), arguments)
    known = numbers.parts.get(Kind.TIME)
    time = spelled if known is None else pl.coalesce(known, spelled)
    return Value({**numbers.parts, Kind.TIME: time})


def read_time(arguments: Arguments, place: int) -> pl.Expr:
    """Return an argument as a time: a number in the unit that its size suggests, or a text."""
    value = arguments.values[place].first()
    found = [part for kind, part in value.parts.items() if kind is Kind.TIME]
    if Kind.INT in value.parts:
        found.append(count_units(value.parts[Kind.INT]))
    if Kind.FLOAT in value.parts:
        found.append(count_units(value.parts[Kind.FLOAT]))
    if Kind.STR in value.parts:
        found.append(parse_texts(value.parts[Kind.STR], arguments))
    return pl.coalesce(found) if found else pl.lit(None, pl.Int64)


def count_units(number: pl.Expr) -> pl.Expr:
    size = number.cast(pl.Float64).abs()
    time = narrow(number.cast(pl.Int128, strict=False))
    for limit, unit in reversed(UNITS):
        time = pl.when(size < limit).then(scale(number, UNIT_NS[unit])).otherwise(time)
    return time


def scale(number: pl.Expr, factor: int) -> pl.Expr:
    """Return epoch numbers as times: whole seconds and milliseconds without loss, fractions to the nanosecond."""
    whole = number.floor().cast(pl.Int128, strict=False)
    rest = ((number - number.floor()).cast(pl.Float64) * factor).round()
    return narrow(whole * factor + widen(rest))


def parse_texts(text: pl.Expr, arguments: Arguments) -> pl.Expr:
    """Return texts as times, null if they are not; the query's zone applies if they have none."""
    conditions = arguments.conditions

    def parse(written: str) -> int | None:
        try:
            return parse_moment(written, conditions.now_ns, conditions.zone)
        except Invalid:
            return None

    return arguments.map(parse, text, kind=Kind.TIME).parts[Kind.TIME]


def name_zone(arguments: Arguments) -> str:
    return getattr(arguments.conditions.zone, "key", "UTC")


def as_local(time: pl.Expr, arguments: Arguments) -> pl.Expr:
    """Return a time as local time of the query's zone."""
    moment = time.cast(pl.Datetime("ns", "UTC"))
    return moment.dt.convert_time_zone(name_zone(arguments))

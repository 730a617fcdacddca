"""Functions that test or convert the type of a value."""

import re
from collections.abc import Callable

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.expressions.arguments import Arguments, Builder
from logboom.engine.expressions.compare import UNKNOWN, is_equal
from logboom.engine.expressions.numeric import as_real, only, tidy, without
from logboom.engine.rows.distinct import fit
from logboom.engine.rows.values import BOOLEANS, NS_PER_S, Value
from logboom.engine.terms.measures import read_duration, read_size
from logboom.model.columns import Kind

NAMES = {
    Kind.STR: "string",
    Kind.INT: "number",
    Kind.FLOAT: "number",
    Kind.BOOL: "boolean",
    Kind.TIME: "time",
}
LIST, NULL = "list", "null"
CLOCK = re.compile(
    r"(?:(?P<days>[0-9]{1,9})\+)?(?:(?:(?P<hours>[0-9]{1,9}):)?(?P<minutes>[0-9]{1,9}):)?(?P<seconds>[0-9]{1,9}(?:\.[0-9]{0,9})?)"
)


def name_type(arguments: Arguments) -> Value:
    named = [
        pl.when(part.is_not_null()).then(pl.lit(NAMES.get(kind, LIST)))
        for kind, part in arguments.values[0].parts.items()
    ]
    return Value({Kind.STR: pl.coalesce([*named, pl.lit(NULL)])})


def read_number(arguments: Arguments) -> Value:
    if len(arguments) == 1:
        numbers = arguments.numbers(0)
        real = as_real(without(numbers, Kind.INT))
        return Value({**only(numbers, Kind.INT).parts, Kind.FLOAT: real})
    base = arguments.constant(1, "a base")
    if not isinstance(base, int) or not 2 <= base <= 36:
        raise Invalid(f"{arguments.name}: base {base!r}, expected 2 to 36")
    return arguments.map(lambda text: parse_digits(text, base), arguments.text(0), kind=None)


def parse_digits(text: str, base: int) -> int | float | None:
    """Return the number that digits spell in a base; there are few enough to parse at once."""
    try:
        return fit(int(text, base)) if len(text) <= 64 else None
    except ValueError:
        return None


def take_whole(arguments: Arguments) -> Value:
    numbers = arguments.numbers(0)
    real = as_real(without(numbers, Kind.INT))
    cut = tidy(pl.when(real < 0).then(real.ceil()).otherwise(real.floor()))
    whole = numbers.parts.get(Kind.INT, pl.lit(None, pl.Int64))
    return Value(
        {Kind.INT: pl.coalesce(whole, cut.parts[Kind.INT]), Kind.FLOAT: cut.parts[Kind.FLOAT]}
    )


def read_seconds(arguments: Arguments) -> Value:
    """Return a number as it is, a text such as `1h30m` in seconds."""
    return tidy(pl.coalesce(read_real(arguments), read_duration(arguments.text(0), NS_PER_S)))


def read_bytes(arguments: Arguments) -> Value:
    """Return a number as it is, a text such as `10KB` in bytes."""
    return tidy(pl.coalesce(read_real(arguments), read_size(arguments.text(0))))


def read_real(arguments: Arguments) -> pl.Expr:
    return as_real(arguments.numbers(0))


def write_text(arguments: Arguments) -> Value:
    """Return the value as a text, or a number in one of Splunk's forms."""
    if len(arguments) == 1:
        return Value({Kind.STR: arguments.text(0)})
    form = str(arguments.constant(1, "a form such as commas")).lower()
    if form not in FORMS:
        raise Invalid(f"{arguments.name}: form {form!r}, expected one of {', '.join(FORMS)}")
    numbers = arguments.numbers(0)
    parts = [*only(numbers, Kind.INT).parts.values(), as_real(without(numbers, Kind.INT))]
    written = [arguments.map(FORMS[form], part, kind=Kind.STR).text() for part in parts]
    return Value({Kind.STR: pl.coalesce(written)})


def write_commas(number: float) -> str:
    """Write a number with commas between thousands, and two digits of a fraction."""
    return f"{int(number):,}" if number == int(number) else f"{number:,.2f}"


def write_duration(seconds: float) -> str:
    """Write seconds as `[days+]hours:minutes:seconds`."""
    sign, whole = ("-" if seconds < 0 else ""), int(abs(seconds))
    days, rest = divmod(whole, 86_400)
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{sign}{days}+{clock}" if days else f"{sign}{clock}"


def write_hex(number: float) -> str:
    sign = "-" if number < 0 else ""
    return f"{sign}0x{int(abs(number)):X}"


FORMS: dict[str, Callable[[float], str]] = {
    "commas": write_commas,
    "duration": write_duration,
    "hex": write_hex,
}


def read_clock_duration(arguments: Arguments) -> Value:
    """Return the seconds of `[days+]hours:minutes:seconds`; numbers are seconds already."""
    return arguments.map(count_seconds, arguments.text(0), kind=Kind.FLOAT)


def count_seconds(text: str) -> float | None:
    found = CLOCK.fullmatch(text.strip())
    if found is None:
        return None
    days, hours, minutes = (float(found[name] or 0) for name in ("days", "hours", "minutes"))
    return days * 86_400 + hours * 3600 + minutes * 60 + float(found["seconds"])


def read_boolean(arguments: Arguments) -> Value:
    """Return a boolean: the texts true and false mean themselves, ignoring case, and numbers other than 0 are true."""
    value = arguments.values[0].first()
    found = [part for kind, part in value.parts.items() if kind is Kind.BOOL]
    text = value.parts.get(Kind.STR)
    if text is not None:
        folded = text.str.strip_chars().str.to_lowercase()
        found.append(folded.replace_strict(BOOLEANS, default=None, return_dtype=pl.Boolean))
    found.append(value.number() != 0)
    return Value({Kind.BOOL: pl.coalesce(found)})


def is_missing(arguments: Arguments) -> Value:
    return Value({Kind.BOOL: ~arguments.values[0].exists()})


def is_there(arguments: Arguments) -> Value:
    return Value({Kind.BOOL: arguments.values[0].exists()})


def is_number(arguments: Arguments) -> Value:
    """Return whether the value is a number or a text that spells one; times are not numbers."""
    numbers = without(arguments.numbers(0), Kind.TIME)
    return Value({Kind.BOOL: numbers.exists()})


def is_of(kind: Kind) -> Builder:
    def build(arguments: Arguments) -> Value:
        part = arguments.values[0].first().parts.get(kind, UNKNOWN)
        return Value({Kind.BOOL: part.is_not_null()})

    return build


def is_one_of(arguments: Arguments) -> Value:
    """Return whether the first argument equals one of the others; null if it is missing."""
    wanted, *members = arguments.values
    found = [is_equal(wanted, member, arguments).fill_null(value=False) for member in members]
    return Value({Kind.BOOL: pl.when(wanted.exists()).then(pl.any_horizontal(found))})


TYPES: dict[str, Builder] = {
    "typeof": name_type,
    "tonumber": read_number,
    "toint": take_whole,
    "duration": read_seconds,
    "bytes": read_bytes,
    "tostring": write_text,
    "dur2sec": read_clock_duration,
    "tobool": read_boolean,
    "isnull": is_missing,
    "isnotnull": is_there,
    "isnum": is_number,
    "isstr": is_of(Kind.STR),
    "isbool": is_of(Kind.BOOL),
    "in": is_one_of,
}

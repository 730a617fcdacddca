"""Converts date formats of Java and .NET; parts of dates by name."""

from logboom.base.patterns import compile_later
from logboom.lang.ast import Binary, Call, Expression, Literal

DATE_SIGNS = {
    "yyyy": "%Y", "uuuu": "%Y", "yy": "%y", "y": "%Y",
    "MMMM": "%B", "MMM": "%b", "MM": "%m",
    "dd": "%d", "HH": "%H", "hh": "%I", "mm": "%M", "ss": "%S",
    "EEEE": "%A", "EEE": "%a", "E": "%a", "dddd": "%A", "ddd": "%a",
    "a": "%p", "tt": "%p",
    "SSS": "%3f", "fff": "%3f", "SSSSSS": "%6f", "ffffff": "%6f",
}  # fmt: skip
SIGN = compile_later(r"'(?P<literal>[^']*)'|(?P<letters>([A-Za-z])\3*)|(?P<other>[^A-Za-z']+)")
SECONDS = {
    "second": 1, "seconds": 1, "ss": 1, "s": 1,
    "minute": 60, "minutes": 60, "mi": 60, "n": 60,
    "hour": 3600, "hours": 3600, "hh": 3600,
    "day": 86_400, "days": 86_400, "dd": 86_400, "d": 86_400,
    "week": 604_800, "weeks": 604_800, "wk": 604_800, "ww": 604_800,
    "millisecond": 0.001, "milliseconds": 0.001, "ms": 0.001,
    "microsecond": 1e-6, "microseconds": 1e-6, "nanosecond": 1e-9, "nanoseconds": 1e-9,
}  # fmt: skip


def write_format(pattern: str) -> str | None:
    """`yyyy-MM-dd` as `%Y-%m-%d`; None if a sign has no counterpart."""
    written = ""
    for found in SIGN.finditer(pattern):
        if found["letters"]:
            sign = DATE_SIGNS.get(found["letters"])
            if sign is None and found["letters"] not in ("T", "Z"):
                return None
            written += sign or found["letters"]
        else:
            written += (found["literal"] or found["other"] or "").replace("%", "%%")
    return written


def subtract(later: Expression, earlier: Expression, seconds: int | float) -> Expression:
    """Return an expression for the whole units between two times."""
    difference = Binary("-", later, earlier)
    if seconds == 1:
        return Call("toint", (difference,))
    if seconds < 1:
        return Call("toint", (Binary("*", difference, Literal(round(1 / seconds))),))
    return Call("toint", (Binary("/", difference, Literal(seconds)),))

"""Numbers with units, such as durations and sizes, in pipes and expressions."""

from logboom.base.patterns import compile_later
from logboom.lang.ast import UNITS, Quantity
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.tokens import decode_number

QUANTITY = compile_later(
    r"(?P<number>(?:[0-9]++(?:_[0-9]++)*+(?:\.[0-9]++)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?)(?P<unit>[A-Za-z\u00b5\u03bc]*+)"
)
UNIT_ALIASES: dict[str, str] = {
    **{name.lower(): name for name in UNITS if name not in ("m", "M")},
    "\u00b5s": "us",
    "\u03bcs": "us",
    "sec": "s", "secs": "s", "second": "s", "seconds": "s",
    "min": "m", "mins": "m", "minute": "m", "minutes": "m",
    "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
    "day": "d", "days": "d", "week": "w", "weeks": "w",
}  # fmt: skip
NS_PER_S = UNITS["s"]
LARGEST = 1e308


def parse_quantity(cursor: Cursor, expected: str = "a number") -> Quantity:
    """Parse a number that may have a unit."""
    start = cursor.position
    match = cursor.take_match(QUANTITY)
    if match is None:
        raise cursor.unexpected([expected])
    written = match["unit"]
    unit = written if written in UNITS else UNIT_ALIASES.get(written.lower())
    if unit is None:
        message = f"unknown unit {show(written)}, expected one such as ms, s, m, h, d, KB or MiB"
        raise cursor.error(message, match.start("unit"), match.end("unit"), [expected])
    number = decode_number(match["number"].replace("_", ""))
    if number is None or number * UNITS[unit] > LARGEST:
        message = f"the number {show(match[0])} is too large, expected at most {LARGEST:.0e}"
        raise cursor.error(message, start, match.end(), [expected])
    return Quantity(number, unit)


def read_quantity(text: str) -> Quantity | None:
    """Return the number with a unit that a whole text spells; a plain number, or one of bytes alone, does not count."""
    match = QUANTITY.fullmatch(text.lstrip("-"))
    if match is None or match["unit"] in ("", "b", "B"):
        return None
    unit = match["unit"] if match["unit"] in UNITS else UNIT_ALIASES.get(match["unit"].lower())
    number = decode_number(match["number"].replace("_", ""))
    if unit is None or number is None or number * UNITS[unit] > LARGEST:
        return None
    return Quantity(-number if text.startswith("-") else number, unit)


def parse_duration(cursor: Cursor) -> Quantity:
    """Parse a duration greater than zero, with its unit."""
    start = cursor.position
    quantity = parse_quantity(cursor, "a duration such as 5m")
    if not quantity.is_duration or quantity.number <= 0:
        written = cursor.text[start : cursor.position]
        message = f"{show(written)} is not a duration, expected one such as 30s, 5m or 1h"
        raise cursor.error(message, start, cursor.position, ["a duration such as 5m"])
    return quantity


def measure(quantity: Quantity) -> int | float:
    """Return a quantity as a plain number: durations in seconds, sizes in bytes."""
    scaled = quantity.scaled
    if not quantity.is_duration:
        return scaled
    is_whole = isinstance(scaled, int) and scaled % NS_PER_S == 0
    return scaled // NS_PER_S if is_whole else scaled / NS_PER_S

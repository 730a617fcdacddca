"""Numbers, durations and sizes as LogQL writes them."""

from logboom.base.patterns import compile_later
from logboom.lang.ast import DURATIONS_NS, SIZES, Quantity
from logboom.lang.dialects.logql.tokens import (
    DURATION_UNIT,
    Token,
    TokenReader,
    decode_string,
    show,
)
from logboom.lang.errors import InvalidQuery
from logboom.lang.tokens import NUMBER, decode_number

DURATION_PART = compile_later(rf"([0-9.]+)({DURATION_UNIT})")
SIZE = compile_later(r"([0-9.]+)([A-Za-z]+)")
UNITS_NS = {**DURATIONS_NS, "\u00b5s": 10**3, "\u03bcs": 10**3, "y": 365 * DURATIONS_NS["d"]}
SHORT_UNITS = {"\u00b5s": "us", "\u03bcs": "us"}
SIZE_UNITS = {name.lower(): name for name in SIZES}


def read_duration(text: str) -> Quantity:
    """`5m` as it is, `1h30m` in the largest unit that makes it a whole number."""
    parts = DURATION_PART.findall(text)
    number, unit = parts[0]
    unit = SHORT_UNITS.get(unit, unit)
    if len(parts) == 1 and unit in DURATIONS_NS:
        return Quantity(read_plain(number), unit)
    return spell_duration(round(sum(float(each) * UNITS_NS[unit] for each, unit in parts)))


def spell_duration(total_ns: int) -> Quantity:
    units = [unit for unit, size_ns in DURATIONS_NS.items() if total_ns % size_ns == 0]
    return Quantity(total_ns // DURATIONS_NS[units[-1]], units[-1])


def read_size(text: str) -> Quantity:
    match = SIZE.fullmatch(text)
    assert match is not None, "a token of bytes has a number and a unit"
    return Quantity(read_plain(match[1]), SIZE_UNITS[match[2].lower()])


def read_plain(text: str) -> int | float:
    return int(text) if text.isdigit() else float(text)


def read_number(reader: TokenReader) -> int | float:
    """Read a number, perhaps with a sign."""
    first = reader.next
    is_negative = reader.take_sign("-") or (reader.take_sign("+") and False)
    token = reader.expect_kind("number", "a number")
    is_hexadecimal = token.text[:2] in ("0x", "0X")
    number = int(token.text, 16) if is_hexadecimal else decode_number(token.text)
    if number is None:
        raise reader.refuse(f"the number {show(token.text)} is too large", first, token)
    return -number if is_negative else number


def read_quantity(reader: TokenReader) -> Quantity:
    """Read a number, a duration or a size; a number may be in quotes."""
    if reader.sees_kind("string"):
        written = decode_number_text(reader.next.text)
        if written is not None:
            reader.take()
            return Quantity(written)
    if reader.sees_kind("duration"):
        return read_duration(reader.take().text)
    if reader.sees_kind("bytes"):
        return read_size(reader.take().text)
    if reader.sees_kind("variable"):
        raise refuse_variable(reader, reader.next)
    return Quantity(read_number(reader))


def decode_number_text(quoted: str) -> int | float | None:
    text = decode_string(quoted).strip()
    return decode_number(text) if NUMBER.fullmatch(text) else None


def refuse_variable(reader: TokenReader, token: Token) -> InvalidQuery:
    return reader.refuse(f"{show(token.text)} is a variable, write a number instead", token)

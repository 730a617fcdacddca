"""Pipes that keep some rows, whatever they contain: `limit`, `tail`, `offset` and `sample`."""

from fractions import Fraction

from logboom.lang.ast import Fields, Limit, Offset, Pipe, Sample, Tail
from logboom.lang.format.pipes import DEFAULT_COUNT
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import ends_pipe, parse_count, parse_names


def parse_limit(cursor: Cursor) -> Limit:
    """`limit [10]`."""
    return Limit(parse_optional_count(cursor))


def parse_tail(cursor: Cursor) -> Tail:
    return Tail(parse_optional_count(cursor))


def parse_offset(cursor: Cursor) -> Offset:
    """`offset 10`."""
    return Offset(parse_count(cursor))


def parse_optional_count(cursor: Cursor) -> int:
    if ends_pipe(cursor):
        return DEFAULT_COUNT
    if cursor.sees(tokens.COUNT):
        return parse_count(cursor)
    cursor.take(tokens.LIMIT)
    start = cursor.position
    flag = cursor.take(tokens.COUNT_FLAG)
    count = parse_count(cursor)
    if flag:
        cursor.read_as_meant(start, str(count))
    return count


def parse_return(cursor: Cursor) -> tuple[Pipe, ...]:
    """`return [10] field, …` at the end of an inner query: its first rows, by default one."""
    count = parse_count(cursor, least=1) if cursor.sees(tokens.NUMBER_START) else 1
    if cursor.sees_any("$"):
        message = "a value without its field, expected the name of the field"
        raise cursor.error(message, cursor.position, expected=["a field name"])
    return (Limit(count), Fields(parse_names(cursor)))


def parse_sample(cursor: Cursor) -> Sample:
    """`sample 100` is one in a hundred, and so is `sample 1%`; `sample 100 part 1` is another hundredth."""
    one_in = parse_share(cursor)
    if not cursor.take(tokens.PART):
        return Sample(one_in)
    return Sample(one_in, parse_count(cursor, most=one_in - 1))


def parse_share(cursor: Cursor) -> int:
    start = cursor.position
    percent = cursor.take_match(tokens.PERCENT)
    if percent is None:
        return parse_count(cursor, least=1)
    share = Fraction(percent["number"])
    one_in = 100 / share if share else Fraction(0)
    if one_in < 1 or one_in.denominator != 1:
        message = f"{show(percent[0])} is not one in a whole number, expected such as 1% or 12.5%"
        raise cursor.error(message, start, cursor.position, ["a percentage"])
    cursor.skip_blanks()
    return int(one_in)

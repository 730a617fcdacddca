"""Random filters: their text, and the rows that match according to the documentation."""

import re
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from tests.engine.reference.values import Row, every, first, number, text

FIELDS = ("n", "f", "s", "m", "flag", "tags", "sizes", "http.status", "nope", "made", "out0")
WORDS = ("a", "B", "ab", "Ab", "1", "2.5", "true", "error", "x y", "7")
NUMBERS = ("0", "1", "2", "-3", "2.5", "7", "500", "9007199254740993", "1e3")
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
}
Test = Callable[[Row], bool]


class Written(NamedTuple):
    """A filter as text, and whether a row passes."""

    text: str
    passes: Test


def equals(value: Any, wanted: str) -> bool:
    """Return whether values are equal: texts ignoring case, numbers in every spelling."""
    if isinstance(value, str):
        return value.lower() == wanted.lower()
    if isinstance(value, bool):
        return text(value) == wanted.lower()
    known = number(wanted)
    return known is not None and known == value


def is_like(value: Any, pattern: str) -> bool:
    expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(expression, text(value), re.IGNORECASE | re.DOTALL) is not None


def has_word(row: Row, word: str) -> bool:
    """Return whether the message contains it, or any text of an event without a message."""
    searched = every(row.get("message"))
    if not searched:
        searched = [
            each for value in row.values() for each in every(value) if isinstance(each, str)
        ]
    return any(word.lower() in text(each).lower() for each in searched)


def write_filter(random: Random, depth: int = 2) -> Written:
    shape = random.random()
    if depth and shape < 0.2:
        inner = write_filter(random, depth - 1)
        return Written(f"NOT ({inner.text})", lambda row: not inner.passes(row))
    if depth and shape < 0.6:
        one, other = write_filter(random, depth - 1), write_filter(random, depth - 1)
        if shape < 0.4:
            joint = random.choice((" ", " AND "))
            return Written(
                f"({one.text}){joint}({other.text})",
                lambda row: one.passes(row) and other.passes(row),
            )
        return Written(
            f"({one.text}) OR ({other.text})", lambda row: one.passes(row) or other.passes(row)
        )
    return random.choice(WRITERS)(random, random.choice(FIELDS))


def write_everything(_random: Random, _field: str) -> Written:
    return Written("*", lambda _row: True)


def write_word(random: Random, _field: str) -> Written:
    word = random.choice(WORDS)
    return Written(f'"{word}"', lambda row: has_word(row, word))


def write_equal(random: Random, field: str) -> Written:
    wanted, sign = random.choice(WORDS), random.choice((":", "="))
    return Written(
        f'{field}{sign}"{wanted}"',
        lambda row: any(equals(e, wanted) for e in every(row.get(field))),
    )


def write_differs(random: Random, field: str) -> Written:
    wanted = random.choice(WORDS)
    return Written(
        f'{field}!="{wanted}"',
        lambda row: not any(equals(e, wanted) for e in every(row.get(field))),
    )


def write_wild(random: Random, field: str) -> Written:
    pattern = random.choice(("a*", "*b", "?", "*r*", "5?0", "*.*", "1*"))
    return Written(
        f"{field}:{pattern}", lambda row: any(is_like(e, pattern) for e in every(row.get(field)))
    )


def write_exact(random: Random, field: str) -> Written:
    wanted = random.choice(WORDS)

    def is_exact(value: Any) -> bool:
        return value == wanted if isinstance(value, str) else equals(value, wanted)

    return Written(
        f'{field}:="{wanted}"', lambda row: any(is_exact(e) for e in every(row.get(field)))
    )


def write_exists(_random: Random, field: str) -> Written:
    return Written(f"{field}:*", lambda row: row.get(field) is not None)


def write_empty(_random: Random, field: str) -> Written:
    return Written(f'{field}:""', lambda row: row.get(field) is None or "" in every(row.get(field)))


def write_compare(random: Random, field: str) -> Written:
    sign, limit = random.choice(list(COMPARISONS)), random.choice(NUMBERS)

    def passes(row: Row) -> bool:
        known = number(row.get(field))
        return known is not None and COMPARISONS[sign](known, number(limit))

    return Written(f"{field}{random.choice(('', ':'))}{sign}{limit}", passes)


def write_text_compare(random: Random, field: str) -> Written:
    sign, limit = random.choice(list(COMPARISONS)), random.choice(("a", "M", "error"))

    def passes(row: Row) -> bool:
        value = first(row.get(field))
        return isinstance(value, str) and COMPARISONS[sign](value.lower(), limit.lower())

    return Written(f'{field}{sign}"{limit}"', passes)


def write_range(random: Random, field: str) -> Written:
    low, high = sorted(random.sample(NUMBERS, 2), key=lambda each: number(each) or 0)
    opening, closing = random.choice("[{"), random.choice("]}")

    def passes(row: Row) -> bool:
        known = number(row.get(field))
        if known is None:
            return False
        above = COMPARISONS[">=" if opening == "[" else ">"](known, number(low))
        return above and COMPARISONS["<=" if closing == "]" else "<"](known, number(high))

    return Written(f"{field}:{opening}{low} TO {high}{closing}", passes)


def write_list(random: Random, field: str) -> Written:
    wanted, negation = random.sample(WORDS, 3), random.choice(("", "NOT "))
    listed = ", ".join(f'"{each}"' for each in wanted)

    def passes(row: Row) -> bool:
        found = any(equals(value, each) for value in every(row.get(field)) for each in wanted)
        return found != bool(negation)

    return Written(f"{field} {negation}IN ({listed})", passes)


def write_part(random: Random, field: str) -> Written:
    name, pattern = random.choice(
        (("contains", "*{}*"), ("startswith", "{}*"), ("endswith", "*{}"))
    )
    part = random.choice(("a", "B", "5", "rr"))
    like = pattern.format(part)
    return Written(
        f'{field} {name} "{part}"', lambda row: any(is_like(e, like) for e in every(row.get(field)))
    )


def write_regex(random: Random, field: str) -> Written:
    expression = random.choice(("^a", "b$", "[0-9]+", "rr|x", "^$", "B"))
    return Written(
        f'{field}=~"{expression}"',
        lambda row: any(re.search(expression, text(e)) for e in every(row.get(field))),
    )


def write_any_field(random: Random, _field: str) -> Written:
    part = random.choice(("a", "5", "true", "err"))

    def passes(row: Row) -> bool:
        values = [text(each) for value in row.values() for each in every(value)]
        return any(part in value.lower() for value in values)

    return Written(f"*:{part}", passes)


WRITERS: tuple[Callable[[Random, str], Written], ...] = (
    write_everything,
    write_word,
    write_equal,
    write_differs,
    write_wild,
    write_exact,
    write_exists,
    write_empty,
    write_compare,
    write_compare,
    write_text_compare,
    write_range,
    write_list,
    write_part,
    write_regex,
    write_any_field,
)

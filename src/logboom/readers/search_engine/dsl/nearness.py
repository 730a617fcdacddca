"""Words near each other: phrases with `slop`, and `intervals`, as regular expressions."""

from collections.abc import Callable, Iterable, Iterator
from itertools import permutations, product

from logboom.lang import ast
from logboom.lang.regex import MAX_EXPRESSION_LENGTH
from logboom.readers.search_engine.dsl.context import (
    ANY_FIELD,
    Context,
    is_message,
    join_any,
    unsupported,
)

MOST_ORDERS = 300
MOST_GAP = 1000
"""Words between two others at most, as the engine counts no further."""
BETWEEN = r"[\x00-/:-@\[-^`{-\x7f]"
LETTER = r"[^\x00-/:-@\[-^`{-\x7f]"
"""What is between words, and what they are made of; `\\w` is far slower, because it knows the letters of all scripts."""
INSIDE = (r"\b(?:", r")\b")
WHOLE = ("^(?:", ")$")

Cost = Callable[[tuple[int, ...], tuple[int, ...]], int]
"""What an order of words costs, with so many other words after each but the last."""


def match_any_regex(field: str, written: Iterable[str], context: Context) -> ast.Filter:
    """Match any of some expressions with words of the message, or with the whole value of another field."""
    is_inside = is_message(field) or field == ANY_FIELD
    begin, end = INSIDE if is_inside else WHOLE
    name = ast.MESSAGE if is_inside else field
    parts = list(pack(written, MAX_EXPRESSION_LENGTH - len(begin) - len(end)))
    context.allowance.spend(len(parts))
    return join_any([ast.Regex(name, begin + part + end, is_inside) for part in parts])


def pack(written: Iterable[str], most: int) -> Iterator[str]:
    """Yield the alternatives, as many together as there is room for."""
    packed = ""
    for each in written:
        if len(each) > most:
            raise unsupported(f"words with {len(each)} characters, expected at most {most}")
        if packed and len(packed) + len(each) + 1 > most:
            yield packed
            packed = ""
        packed = f"{packed}|{each}" if packed else each
    if packed:
        yield packed


def count_moves(order: tuple[int, ...], gaps: tuple[int, ...]) -> int:
    """Return by how much words are out of their places, as `slop` counts it."""
    places, place = {}, 0
    for number, gap in zip(order, (*gaps, 0), strict=True):
        places[number] = place - number
        place += 1 + gap
    return max(places.values()) - min(places.values())


def count_gaps(_order: tuple[int, ...], gaps: tuple[int, ...]) -> int:
    return sum(gaps)


def write_near(words: list[str], most: int, cost: Cost, *, in_order: bool) -> list[str]:
    """Return an expression for each order of words, given as expressions, whose cost is at most `most`."""
    if len(words) == 1:
        return words
    most = min(most, MOST_GAP)
    orders = [tuple(range(len(words)))] if in_order else list(permutations(range(len(words))))
    inner = len(words) - 2
    if len(words) > 5 or len(orders) * (most + 1) ** inner > MOST_ORDERS:
        raise unsupported(
            f"{len(words)} words with {most} others between them, expected fewer words or a smaller number"
        )
    return [
        join_words([words[number] for number in order], (*gaps, range(last + 1)))
        for order in orders
        for gaps in product(range(most + 1), repeat=inner)
        if (last := find_last(order, gaps, most, cost)) >= 0
    ]


def find_last(order: tuple[int, ...], gaps: tuple[int, ...], most: int, cost: Cost) -> int:
    """Return how many words there may be before the last one; -1 if the others cost too much."""
    return max((last for last in range(most + 1) if cost(order, (*gaps, last)) <= most), default=-1)


def join_words(words: list[str], gaps: tuple[int | range, ...]) -> str:
    written = words[0]
    for word, gap in zip(words[1:], gaps, strict=True):
        low, high = (gap, gap) if isinstance(gap, int) else (gap.start, gap.stop - 1)
        others = f"(?:{LETTER}+{BETWEEN}+){{{low},{high}}}" if high else ""
        written += f"{BETWEEN}+{others}{word}"
    return written

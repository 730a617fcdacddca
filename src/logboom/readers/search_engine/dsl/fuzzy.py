"""Words with a few other characters: `fuzzy`, `fuzziness` and Lucene's `word~1`.

An edit inserts, removes or changes a character, or swaps two neighbours.
"""

from collections.abc import Iterator

import re2

from logboom.lang import ast
from logboom.readers.search_engine.dsl.context import (
    ANY_FIELD,
    Context,
    is_message,
    join_any,
    unsupported,
)
from logboom.readers.search_engine.dsl.members import Members, Scalar, show, write_scalar
from logboom.readers.search_engine.dsl.nearness import match_any_regex
from logboom.readers.search_engine.dsl.values import match_value

ANY = None
"""Stands for any character in a word."""
Word = tuple[str | None, ...]
AUTO = "AUTO"
LETTER = "[^ -/:-@]"
"""A character of a word, nearly: `\\w` knows the letters of all scripts, and takes minutes where it is repeated often."""
LONGEST_WORDS = {1: 60, 2: 16}
"""How long a word may be with so many edits."""


def match_fuzzy(
    field: str, value: Scalar, options: Members, context: Context, *, prefix: int = 0
) -> ast.Filter:
    """Match a word with at most as many edits as the options allow; the first `prefix` characters are as written."""
    text = write_scalar(value)
    edits = read_fuzziness(options.get("fuzziness", AUTO), len(text))
    exact = match_value(field, value, context)
    if not edits:
        return exact
    if len(text) > LONGEST_WORDS[edits]:
        raise unsupported(
            f"fuzziness {edits} of a text with {len(text)} characters, expected at most {LONGEST_WORDS[edits]}"
        )
    is_inside = is_message(field) or field == ANY_FIELD
    kept, rest = text[:prefix], text[prefix:]
    words = sorted(edit(tuple(rest), edits), key=lambda word: (len(word), str(word)))
    written = [re2.escape(kept) + write(word, LETTER if is_inside else ".") for word in words]
    return join_any([exact, match_any_regex(field, written, context)])


def read_fuzziness(written: object, length: int) -> int:
    """Return how many edits a word of some length may have: a number, `AUTO`, or `AUTO:3,6`."""
    text = str(written).upper()
    name, _, limits = text.partition(":")
    if name == AUTO:
        low, _, high = (limits or "3,6").partition(",")
        if low.isdecimal() and high.isdecimal():
            return (length >= int(low)) + (length >= int(high))
    elif text.removesuffix(".0") in ("0", "1", "2"):
        return int(text[0])
    raise unsupported(f"[fuzziness] is {show(written)}, expected 0, 1, 2 or AUTO")


def edit(word: Word, edits: int) -> set[Word]:
    """Return patterns for all words that are at most so many edits away."""
    found = {word}
    for _ in range(edits):
        found |= {each for known in found for each in edit_once(known)}
    return drop_covered(found)


def edit_once(word: Word) -> Iterator[Word]:
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        yield (*before, ANY, *after)
        if after:
            yield (*before, *after[1:])
            yield (*before, ANY, *after[1:])
        if len(after) > 1:
            yield (*before, after[1], after[0], *after[2:])


def drop_covered(words: set[Word]) -> set[Word]:
    """Return the patterns without those that another one covers, with any character in one more place."""
    return {
        word
        for word in words
        if not any(
            (*word[:place], ANY, *word[place + 1 :]) in words
            for place, character in enumerate(word)
            if character is not ANY
        )
    }


def write(word: Word, any_character: str) -> str:
    return "".join(any_character if each is ANY else re2.escape(each) for each in word)

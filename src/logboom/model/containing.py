"""Finds texts that contain a word, ignoring case: in C if compiled code is available, else with Polars.

Only words of ASCII characters are searched here. In Unicode, k also matches the Kelvin sign and s the long s.
"""

import re
from collections.abc import Callable
from functools import lru_cache

import polars as pl

from logboom.base.compiled import find_compiled
from logboom.model.shredder import NATIVE, is_compiled

Finder = Callable[[pl.Series], pl.Series]
"""Tells for each text whether it contains what is searched; null does not."""
MOST_FINDERS = 256
BEYOND_ASCII = frozenset("kKsS")
"""ASCII letters that have a third form in Unicode."""


@lru_cache(maxsize=MOST_FINDERS)
def make_finder(words: tuple[str, ...]) -> Finder:
    """Return a function that finds the texts that contain one of some non-empty words."""
    return compile_finder(words) if is_compiled() else define_finder(words)


def define_finder(words: tuple[str, ...]) -> Finder:
    """Return the finder in Python; for most letters Unicode's rules are the plain ones, which are faster."""
    flags = "i-u" if all(BEYOND_ASCII.isdisjoint(word) for word in words) else "i"
    expression = f"(?{flags}){'|'.join(map(re.escape, words))}"
    return lambda texts: texts.str.contains(expression).fill_null(value=False)


def compile_finder(words: tuple[str, ...]) -> Finder:
    native = find_compiled(NATIVE)
    ready = native.Words([word.lower().encode() for word in words])

    def find(texts: pl.Series) -> pl.Series:
        found = native.find_texts(texts, ready)
        return define_finder(words)(texts) if found is None else pl.Series(texts.name, found)

    return find

"""Which texts contain a word, in any case: in C where a compiler was present, else by Polars.

Only words of ASCII characters are looked for here. A k is also the Kelvin sign and an s the long s, as Unicode has it.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module

import polars as pl

from logboom.model.shredder import is_compiled

Finder = Callable[[pl.Series], pl.Series]
"""Says of each text whether it contains what is looked for; a missing one does not."""
MOST_FINDERS = 256
BEYOND_ASCII = frozenset("kKsS")
"""ASCII letters that have a third form in Unicode."""


@lru_cache(maxsize=MOST_FINDERS)
def make_finder(words: tuple[str, ...]) -> Finder:
    """Finds the texts that contain one of some words, none of which is empty."""
    return compile_finder(words) if is_compiled() else define_finder(words)


def define_finder(words: tuple[str, ...]) -> Finder:
    """The definition: for most letters Unicode's rules are the plain ones, which are faster."""
    flags = "i-u" if all(BEYOND_ASCII.isdisjoint(word) for word in words) else "i"
    expression = f"(?{flags}){'|'.join(map(re.escape, words))}"
    return lambda texts: texts.str.contains(expression).fill_null(value=False)


def compile_finder(words: tuple[str, ...]) -> Finder:
    native = import_module("logboom.model._native")
    ready = native.Words([word.lower().encode() for word in words])

    def find(texts: pl.Series) -> pl.Series:
        found = native.find_texts(texts, ready)
        return define_finder(words)(texts) if found is None else pl.Series(texts.name, found)

    return find

"""Trigram sets: whether some text of a column may contain a given text, ignoring case.

Only ASCII counts: a set contains every three consecutive ASCII characters of its texts, in lower case. This is the
definition of its bits; the compiled shredder sets the same ones.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase

HASH_BITS = 18
MIX = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1

LARGEST_BYTES = (1 << HASH_BITS) // 8
SMALLEST_BYTES = 64
MAX_HASHES = (1 << HASH_BITS) // 2
"""A fuller set excludes too little to be worth keeping."""
MAX_WANTED_LENGTH = 256
"""Of a longer search text only the beginning is used."""

ASCII_RUN = re.compile(r"[\x00-\x7f]+")
LETTERS = {"\u212a": "k", "\u017f": "s", "\u0130": "i\u0307"}
"""Non-ASCII letters that match an ASCII one by Unicode's simple case folding or in lower case."""
FOLDING = str.maketrans(dict(zip(ascii_uppercase, ascii_lowercase, strict=True)) | LETTERS)


def fold_text(text: str) -> str:
    """Return a text with its ASCII letters in lower case; other letters stay."""
    return text.lower() if text.isascii() else text.translate(FOLDING)


def list_runs(text: str) -> list[str]:
    """Return the folded runs of ASCII characters in a text; they include those of every part of it."""
    return ASCII_RUN.findall(fold_text(text))


def list_hashes(text: str) -> set[int]:
    trigrams = {run[at : at + 3] for run in list_runs(text) for at in range(len(run) - 2)}
    return {hash_trigram(trigram) for trigram in trigrams}


def hash_trigram(trigram: str) -> int:
    return (int.from_bytes(trigram.encode(), "little") * MIX & MASK) >> (64 - HASH_BITS)


def make_trigrams(texts: Iterable[str]) -> bytes | None:
    """Return the set of some texts, with a byte or more for each hash in it, or None if there are too many."""
    hashes: set[int] = set()
    for text in texts:
        hashes |= list_hashes(text)
    if len(hashes) > MAX_HASHES:
        return None
    size_bytes = SMALLEST_BYTES
    while size_bytes < min(len(hashes), LARGEST_BYTES):
        size_bytes *= 2
    bits = bytearray(size_bytes)
    for hash in hashes:
        bit = hash % (size_bytes * 8)
        bits[bit >> 3] |= 1 << (bit & 7)
    return bytes(bits)


def may_contain(trigrams: bytes, text: str) -> bool:
    """Return False only if no text of the set contains `text`, ignoring case."""
    size_bits = len(trigrams) * 8
    bits = (hash % size_bits for hash in list_wanted(text[:MAX_WANTED_LENGTH]))
    return all(trigrams[bit >> 3] >> (bit & 7) & 1 for bit in bits)


@lru_cache(maxsize=256)
def list_wanted(text: str) -> tuple[int, ...]:
    """Return the hashes of a text to search in many sets."""
    return tuple(list_hashes(text))

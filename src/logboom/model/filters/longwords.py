"""Filters for long words, such as ids: whether some text of a column may contain one. Trigrams cannot tell this.

A word is a run of ASCII letters, digits, `_` and `-`, in lower case. Of every sixteen consecutive characters of a
word, the piece of eight with the lowest hash goes into a filter. Any search text that contains sixteen characters of
the word yields the same pieces. This is the definition of the filter's bits; the compiled shredder sets the same
ones.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from logboom.model.filters.bloom import has_bits, set_bits
from logboom.model.filters.trigrams import MAX_WANTED_LENGTH, list_runs

WINDOW, PIECE = 16, 8
LONG_WORD = re.compile(rf"[a-z0-9_-]{{{WINDOW},}}")
BITS_PER_PIECE = 6
LONG_WORD_PROBES = 4
MAX_PIECES_PER_TEXT = 10
"""With more pieces on average, the filter would take eight bytes per text."""
SMALLEST_FILTER_BYTES = 8

FIRST_MIX, SECOND_MIX = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
MASK = (1 << 64) - 1


def list_pieces(text: str) -> set[int]:
    """Return the hashes of a text's pieces."""
    words = (word for run in list_runs(text) for word in LONG_WORD.findall(run))
    return {lowest for word in words for lowest in find_lowest(word)}


def find_lowest(word: str) -> Iterator[int]:
    """Yield the lowest hash of each window of a long word."""
    hashes = [hash_piece(word[at : at + PIECE]) for at in range(len(word) - PIECE + 1)]
    width = WINDOW - PIECE + 1
    for at in range(len(hashes) - width + 1):
        yield min(hashes[at : at + width])


def hash_piece(piece: str) -> int:
    number = int.from_bytes(piece.encode(), "little") * FIRST_MIX & MASK
    number = (number ^ number >> 32) * SECOND_MIX & MASK
    return number ^ number >> 32


def spread(piece: int) -> int:
    """Return the hash of a piece for the filter: the lowest of several hashes has many leading zeros."""
    return piece * FIRST_MIX & MASK


def make_long_words(texts: Iterable[str]) -> bytes | None:
    """Return the filter of some texts, or None if they have too many pieces, and empty if they have none."""
    pieces: set[int] = set()
    count = 0
    for text in texts:
        pieces |= list_pieces(text)
        count += 1
    if len(pieces) > MAX_PIECES_PER_TEXT * count:
        return None
    if not pieces:
        return b""
    size_bytes = -(-len(pieces) * BITS_PER_PIECE // 8)
    bloom = bytearray(max(SMALLEST_FILTER_BYTES, size_bytes))
    for piece in pieces:
        set_bits(bloom, spread(piece), LONG_WORD_PROBES)
    return bytes(bloom)


def may_contain_words(long_words: bytes, text: str) -> bool:
    """Return False only if no text of the filter contains the long words of `text`, ignoring case."""
    wanted = list_wanted(text[:MAX_WANTED_LENGTH])
    if not long_words:
        return not wanted
    return all(has_bits(long_words, hash, LONG_WORD_PROBES) for hash in wanted)


@lru_cache(maxsize=256)
def list_wanted(text: str) -> tuple[int, ...]:
    """Return the hashes to look up in filters for a search text."""
    return tuple(map(spread, list_pieces(text)))

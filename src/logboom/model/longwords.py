"""Long words: whether some text of a column may contain a word like an id, which trigrams cannot tell.

A word is a run of ASCII letters, digits, `_` and `-`, in lower case. Of every sixteen neighbouring characters of a
word, the piece of eight that has the lowest hash goes into a filter. Whoever looks for a word, or for a part of one,
that has sixteen characters finds the same pieces in it. This is the definition of the filter's bits; the compiled
shredder sets the same ones.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from logboom.model.bloom import has_bits, set_bits
from logboom.model.trigrams import MAX_WANTED_LENGTH, list_runs

WINDOW, PIECE = 16, 8
LONG_WORD = re.compile(rf"[a-z0-9_-]{{{WINDOW},}}")
BITS_PER_PIECE = 6
LONG_WORD_PROBES = 4
MAX_PIECES_PER_TEXT = 10
"""With more of them on average, the filter would take eight bytes for each text."""
SMALLEST_FILTER_BYTES = 8

FIRST_MIX, SECOND_MIX = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
MASK = (1 << 64) - 1


def list_pieces(text: str) -> set[int]:
    """The hashes of a text's pieces."""
    words = (word for run in list_runs(text) for word in LONG_WORD.findall(run))
    return {lowest for word in words for lowest in find_lowest(word)}


def find_lowest(word: str) -> Iterator[int]:
    """The lowest hash of each window of a long word."""
    hashes = [hash_piece(word[at : at + PIECE]) for at in range(len(word) - PIECE + 1)]
    width = WINDOW - PIECE + 1
    for at in range(len(hashes) - width + 1):
        yield min(hashes[at : at + width])


def hash_piece(piece: str) -> int:
    number = int.from_bytes(piece.encode(), "little") * FIRST_MIX & MASK
    number = (number ^ number >> 32) * SECOND_MIX & MASK
    return number ^ number >> 32


def spread(piece: int) -> int:
    """The hash of a piece for the filter: the lowest of several hashes has many zeros in front."""
    return piece * FIRST_MIX & MASK


def make_long_words(texts: Iterable[str]) -> bytes | None:
    """The filter of some texts; None when they have too many pieces, and empty when they have none."""
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
    """False only when no text of the filter contains the long words of `text`, in whatever case."""
    wanted = list_wanted(text[:MAX_WANTED_LENGTH])
    if not long_words:
        return not wanted
    return all(has_bits(long_words, hash, LONG_WORD_PROBES) for hash in wanted)


@lru_cache(maxsize=256)
def list_wanted(text: str) -> tuple[int, ...]:
    """What the filters are asked for that may have a text."""
    return tuple(map(spread, list_pieces(text)))

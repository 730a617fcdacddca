"""Bloom filters: whether a 64-bit hash is certainly not in a filter, or may be.

The filters of values consist of parts of equal size, unless they are small. All bits of a hash are in one part, so
that a lookup reads only this part.
"""

from functools import lru_cache

from logboom.model.filters.bits import Bits

PART_BYTES = 512
LARGEST_SINGLE_BYTES = PART_BYTES * 3 // 2
"""Smaller filters have a single part."""
SMALLEST_BYTES = 8


class WholeBloom(bytes):
    """A filter in an index of version 1: it has one part, whatever its size."""


def fit_parts(size_bytes: int) -> int:
    """Return the size of a filter that should have about `size_bytes`."""
    if size_bytes < LARGEST_SINGLE_BYTES:
        return max(SMALLEST_BYTES, size_bytes)
    return (size_bytes + PART_BYTES // 2) // PART_BYTES * PART_BYTES


def count_parts(size_bytes: int) -> int:
    return 1 if size_bytes < LARGEST_SINGLE_BYTES else size_bytes // PART_BYTES


def choose_part(parts: int, hash: int) -> int:
    """Return the part that has the bits of a hash."""
    return (hash >> 32) * parts >> 32


def read_part(bloom: Bits, hash: int) -> bytes:
    """Return the part of a filter that has the bits of a hash."""
    size_bytes = len(bloom)
    parts = 1 if isinstance(bloom, WholeBloom) else count_parts(size_bytes)
    part_bytes = size_bytes // parts
    start = choose_part(parts, hash) * part_bytes
    return bloom[start : start + part_bytes]


def list_bits(hash: int, size_bits: int, probes: int) -> tuple[int, ...]:
    """Return the bits of a hash."""
    first, step = hash & 0xFFFFFFFF, hash >> 32 | 1
    return tuple((first + probe * step) % size_bits for probe in range(probes))


recall_bits = lru_cache(maxsize=256)(list_bits)
"""The bits of a hash that is searched for, in one filter after the other, most of which have the same size."""


def set_bits(bloom: bytearray, hash: int, probes: int) -> None:
    for bit in list_bits(hash, len(bloom) * 8, probes):
        bloom[bit >> 3] |= 1 << (bit & 7)


def has_bits(bloom: bytes, hash: int, probes: int) -> bool:
    # One generator less than with all().
    for bit in recall_bits(hash, len(bloom) * 8, probes):
        if not bloom[bit >> 3] >> (bit & 7) & 1:
            return False
    return True

"""Identifiers: sortable by time, unique without coordination."""

import os
from hashlib import blake2b

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ULID_LENGTH = 26


def make_ulid(time_ns: int) -> str:
    """Return a new id of 26 characters: 48 bits of milliseconds, then 80 random bits."""
    return write_ulid((time_ns // 1_000_000 << 80) | int.from_bytes(os.urandom(10)))


def derive_ulid(text: str) -> str:
    """Return an id of 26 characters derived from a text: the same text always gives the same id."""
    return write_ulid(int.from_bytes(blake2b(text.encode(), digest_size=16).digest()))


def write_ulid(number: int) -> str:
    return "".join(ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def read_ulid_time(text: str) -> int | None:
    """Return when a ULID was made, in nanoseconds, or None if the text is not a ULID."""
    if len(text) != ULID_LENGTH or not set(text) <= set(ALPHABET):
        return None
    number = 0
    for character in text:
        number = number << 5 | ALPHABET.index(character)
    return (number >> 80) * 1_000_000

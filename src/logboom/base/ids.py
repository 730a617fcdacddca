"""Names for new things: sortable by time, unique without asking anybody."""

import os

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def make_ulid(time_ns: int) -> str:
    """26 characters: 48 bits of milliseconds, then 80 random bits."""
    number = (time_ns // 1_000_000 << 80) | int.from_bytes(os.urandom(10))
    return "".join(ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))

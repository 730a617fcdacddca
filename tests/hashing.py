"""Fast password hashes: a real one takes longer than most tests."""

from logboom.control.access.passwords import hashes

REAL_PASSES, REAL_MEMORY_KIB = hashes.PASSES, hashes.MEMORY_KIB


def hash_quickly() -> None:
    """Make all further hashes of this process, and of those forked from it, as cheap as argon2 allows."""
    hashes.PASSES, hashes.MEMORY_KIB = 1, 8

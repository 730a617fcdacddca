"""How the allocators of the process behave, and when they give memory back."""

import ctypes
import os
from contextlib import suppress

JEMALLOC = "_RJEM_MALLOC_CONF"
"""The variable from which the allocator of Polars takes its options; those that are there already win."""
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
"""Options of mallopt(3)."""
ARENAS = 4
LARGE_BYTES = 1 << 20
"""Pieces of this size go back to the system when they are freed. Left to itself, the C library raises the limit to
32 MB after the first large piece, and bodies, buffers and columns then stay in its arenas: 300 MB after an hour of ingest."""


def tune_allocators() -> None:
    """Give freed memory back whole, so that a limit of the address space is not used up by what is long free."""
    os.environ.setdefault(JEMALLOC, "retain:false")
    with suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None)
        libc.mallopt(M_ARENA_MAX, ARENAS)
        libc.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)


def trim_allocator() -> None:
    """Give free memory of the C library's arenas back to the system."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)

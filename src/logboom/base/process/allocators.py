"""Tunes the allocators of the process, and makes them return memory."""

import ctypes
import os
from contextlib import suppress

JEMALLOC = "_RJEM_MALLOC_CONF"
"""The environment variable for the options of Polars' allocator; options that are already set win."""
JEMALLOC_OPTIONS = "retain:false,narenas:{cores},dirty_decay_ms:1000,muzzy_decay_ms:0"
"""By default there are four arenas per core, each of which keeps freed pages for ten seconds."""
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
"""Options of mallopt(3)."""
ARENAS = 4
LARGE_BYTES = 1 << 20
"""Allocations from this size on go back to the system when they are freed.

By default the C library raises the limit to 32 MB after the first large one, and bodies, buffers and columns then
stay in its arenas: 300 MB after an hour of ingest.
"""
SPARE_BYTES = 8 << 20
"""How much free memory an arena may keep at its end: pages that come and go with each body take a tenth of the time."""


def tune_allocators() -> None:
    """Return freed memory at once, so that it does not count against a limit of the address space."""
    os.environ.setdefault(JEMALLOC, JEMALLOC_OPTIONS.format(cores=os.cpu_count() or 1))
    with suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None)
        libc.mallopt(M_ARENA_MAX, ARENAS)
        libc.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
        libc.mallopt(M_TRIM_THRESHOLD, SPARE_BYTES)


def trim_allocator() -> None:
    """Return free memory of the C library's arenas to the system."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)

"""The way into the command line: allocators are told how to behave before anything is loaded that uses them."""

import ctypes
import os
from contextlib import suppress

JEMALLOC = "_RJEM_MALLOC_CONF"
"""The variable from which the allocator of Polars takes its options; those that are there already win."""
M_ARENA_MAX = -8
ARENAS = 4


def main() -> None:
    tune_allocators()
    # Not at the top: by then the allocators have read their options.
    from logboom.cli import main as run  # noqa: PLC0415

    run()


def tune_allocators() -> None:
    """Give freed memory back whole, so that a limit of the address space is not used up by what is long free."""
    os.environ.setdefault(JEMALLOC, "retain:false")
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)

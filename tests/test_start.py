"""What a process does at its start: tell the allocators to give memory back, and load no more than it needs."""

import subprocess
import sys

PIECE_BYTES = 4 << 20
PIECES = 40
PROGRAM = f"""
import ctypes
from pathlib import Path
from logboom.base.allocators import tune_allocators

def count_resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

tune_allocators()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]

def allocate(size):
    place = libc.malloc(ctypes.c_size_t(size))
    ctypes.memset(place, 1, size)
    return place

# The first large piece that is freed raises the limit of a C library that was not told otherwise.
libc.free(allocate(5 * {PIECE_BYTES}))
before_bytes = count_resident_bytes()
large = []
for _ in range({PIECES}):
    large.append(allocate({PIECE_BYTES}))
    allocate(100_000)  # stays, and keeps the arena from shrinking
for place in large:
    libc.free(place)
print(count_resident_bytes() - before_bytes)
"""


def test_freed_buffers_go_back_to_the_system() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert int(run.stdout) < PIECES * PIECE_BYTES / 10


def test_the_command_line_loads_no_engine_to_ask_a_server() -> None:
    program = "import sys, logboom.cli.table; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(run.stdout.split())
    assert "logboom.cli.query" in loaded
    assert loaded.isdisjoint(
        {"polars", "logboom.engine.execution", "logboom.lang", "logboom.server"}
    )

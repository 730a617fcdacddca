"""What a process does at its start: tell the allocators to give memory back, and load no more than it needs."""

import subprocess
import sys
from pathlib import Path

PIECE_BYTES = 4 << 20
PIECES = 40
PROGRAM = f"""
import ctypes
from pathlib import Path
from logboom.base.process.allocators import tune_allocators

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


SERVER = """
import sys
from pathlib import Path
import logboom.cli
from logboom.config import load_settings
from logboom.server import Service
Service(load_settings({"data_dir": Path(sys.argv[1]), "port": "0"}))
print(*sys.modules, flush=True)
"""


def test_a_server_starts_without_what_few_need(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", SERVER, str(tmp_path)], capture_output=True, text=True, check=True
    )
    loaded = set(run.stdout.split())
    assert {"logboom.server", "polars"} <= loaded
    assert loaded.isdisjoint(
        {
            *(
                "attr",
                "cryptography.x509",
                "distributed",
                "httpx",
                "jwt",
                "litestar",
                "lxml",
                "mcp",
                "obstore",
                "pydantic",
                "pygments",
                "google.protobuf",
            ),
            *(
                "rich",
                "signxml",
                "typer",
                "logboom.cli.query",
                "logboom.cli.table",
                "logboom.saml.response",
            ),
            *("logboom.lang.dialects.kusto.query", "logboom.lang.dialects.logql.query"),
        }
    )


def test_a_server_starts_without_compiling_patterns_of_languages(tmp_path: Path) -> None:
    program = SERVER + (
        "from logboom.base.patterns import LatePattern\n"
        "found = [each for name in list(sys.modules) if name.startswith('logboom.')\n"
        "         for each in vars(sys.modules[name]).values() if isinstance(each, LatePattern)]\n"
        "print(len(found), sum('compiled' in vars(each) for each in found))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    known, compiled = map(int, run.stdout.splitlines()[-1].split())
    assert known > 300
    assert compiled < 20


def test_a_server_starts_without_defining_many_dataclasses(tmp_path: Path) -> None:
    """Each takes thirty times as long to define as a struct."""
    program = SERVER + (
        "import inspect\n"
        "found = {each for name in list(sys.modules) if name.startswith('logboom.')\n"
        "         for each in vars(sys.modules[name]).values()\n"
        "         if inspect.isclass(each) and '__dataclass_fields__' in vars(each)\n"
        "         and each.__module__.startswith('logboom.')}\n"
        "print(len(found))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert int(run.stdout.splitlines()[-1]) < 10

"""The compiled shredder when memory runs out: MemoryError, or the right rows, and nothing in between."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.model.twins import open_native

HERE = Path(__file__).parent
FEWEST_FAILURES = 150

open_native()


@pytest.fixture
def failing_allocations(tmp_path: Path) -> Path:
    """The library that lets allocations fail."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not Path("/proc/self/maps").exists():
        pytest.skip("no C compiler to build the library with, or no Linux")
    library = tmp_path / "allocations.so"
    options = ["-shared", "-fPIC", "-O1", "-fno-builtin"]
    subprocess.run([compiler, *options, "-o", library, HERE / "allocations.c"], check=True)
    return library


def test_any_allocation_may_fail(failing_allocations: Path) -> None:
    environment = os.environ | {"LD_PRELOAD": str(failing_allocations)}
    command = [sys.executable, "-m", "tests.model.scarcity"]
    found = subprocess.run(
        command, env=environment, cwd=HERE.parents[1], capture_output=True, text=True, timeout=50
    )
    assert found.returncode == 0, found.stderr
    assert int(found.stdout) > FEWEST_FAILURES

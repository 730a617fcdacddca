"""How much memory the process may use: of the machine, its control groups, and its address space."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from logboom.base.process.memory import UNUSED_ADDRESSES, find_memory_bytes

MACHINE_BYTES = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
UNLIMITED = str(2**63 - 4096)
"""What the first version says of a group without a limit."""


def find(root: Path, membership: str, limits: dict[str, str]) -> int:
    """Return the memory with these control groups."""
    (root / "cgroup").write_text(membership)
    for name, text in limits.items():
        (root / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "groups" / name).write_text(text)
    return find_memory_bytes(root / "cgroup", root / "groups")


@pytest.mark.parametrize(
    ("membership", "limits", "expected_bytes"),
    [
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": "5000000\n"}, 5_000_000),
        ("0::/a/b\n", {"a/b/memory.max": "4000000\n", "a/memory.max": "5000000\n"}, 4_000_000),
        ("0::/\n", {"memory.max": "3000000\n"}, 3_000_000),
        ("0::/not/here\n", {"memory.max": "3000000\n"}, 3_000_000),
        ("0::/../../x\n", {}, MACHINE_BYTES),
        ("0::/a\n", {"a/memory.max": "max\n"}, MACHINE_BYTES),
        (
            "5:cpu,memory:/a\n0::/\n",
            {
                "memory/a/memory.limit_in_bytes": "6000000\n",
                "memory/memory.limit_in_bytes": UNLIMITED,
            },
            6_000_000,
        ),
        ("5:memory:/a\n", {"memory/a/memory.limit_in_bytes": UNLIMITED}, MACHINE_BYTES),
        ("4:cpu:/a\n", {"memory/a/memory.limit_in_bytes": "6000000\n"}, MACHINE_BYTES),
    ],
)
def test_the_smallest_limit_of_the_control_groups_counts(
    tmp_path: Path, membership: str, limits: dict[str, str], expected_bytes: int
) -> None:
    assert find(tmp_path, membership, limits) == expected_bytes


def test_without_control_groups_it_is_the_memory_of_the_machine(tmp_path: Path) -> None:
    assert find_memory_bytes(tmp_path / "none", tmp_path) == MACHINE_BYTES


def test_a_limit_of_the_address_space_counts() -> None:
    limit_bytes = UNUSED_ADDRESSES + (300 << 20)
    code = (
        "import resource\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({limit_bytes}, {limit_bytes}))\n"
        "from logboom.base.process.memory import find_memory_bytes\n"
        "print(find_memory_bytes())"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(found.stdout) == 300 << 20

"""Finds how much memory the process may use."""

import os
import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MEMBERSHIP = Path("/proc/self/cgroup")
GROUPS = Path("/sys/fs/cgroup")
UNUSED_ADDRESSES = 832 << 20
"""How much of the address space libraries, stacks of threads and arenas reserve without using most of it."""


def find_memory_bytes(membership: Path = MEMBERSHIP, groups: Path = GROUPS) -> int:
    """Return the memory of the machine, or less if the container or the address space is limited."""
    limits = [
        os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        *list_group_limits(membership, groups),
    ]
    addresses = resource.getrlimit(resource.RLIMIT_AS)[0]
    if addresses != resource.RLIM_INFINITY:
        limits.append(max(0, addresses - UNUSED_ADDRESSES))
    return min(limits)


def list_group_limits(membership: Path, groups: Path) -> Iterator[int]:
    """Yield the memory limits of the control groups that the process belongs to, of either version."""
    with suppress(OSError):
        for line in membership.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if not controllers:
                yield from read_limits(groups, path, "memory.max")
            elif "memory" in controllers.split(","):
                yield from read_limits(groups / "memory", path, "memory.limit_in_bytes")


def read_limits(root: Path, path: str, name: str) -> Iterator[int]:
    """Yield the limit of a group and of those around it; inside of a container only the root may be there."""
    group = root / path.lstrip("/")
    for each in (group, *group.parents):
        if not each.is_relative_to(root):
            return
        # A group without a limit has the text `max`, or no file.
        with suppress(OSError, ValueError):
            yield int((each / name).read_text())

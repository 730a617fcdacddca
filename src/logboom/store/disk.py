"""The free space of a disk."""

import os
import time
from pathlib import Path

LOOK_S = 0.05
"""How long a result is cached. Every request asks, and far less than the reserve is written in this time."""


class Disk:
    """The state of the disk of a directory. Thread-safe."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._seen = os.statvfs(directory)
        self._seen_s = time.monotonic()

    def look(self) -> os.statvfs_result:
        """Return the state of the file system now, or a moment ago."""
        now_s = time.monotonic()
        if now_s - self._seen_s >= LOOK_S:
            self._seen, self._seen_s = os.statvfs(self._directory), now_s
        return self._seen

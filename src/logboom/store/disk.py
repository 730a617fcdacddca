"""How full a disk is."""

import os
import time
from pathlib import Path

LOOK_S = 0.05
"""How long a look counts. Every request asks, and far less than the floor is written in this time."""


class Disk:
    """What the system says of the disk of a directory. May be used by any thread."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._seen = os.statvfs(directory)
        self._seen_s = time.monotonic()

    def look(self) -> os.statvfs_result:
        """Its state now, or a moment ago."""
        now_s = time.monotonic()
        if now_s - self._seen_s >= LOOK_S:
            self._seen, self._seen_s = os.statvfs(self._directory), now_s
        return self._seen

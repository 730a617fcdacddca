"""What the catalog stores about a block."""

from pathlib import PurePosixPath
from typing import NamedTuple

from logboom.base.versions import BLOCK, FIRST, Version


class BlockInfo(NamedTuple):
    """One block: all of its events belong to one environment and one day.

    `level` is 0 for what a flush or a bulk load wrote, and grows each time blocks are merged. The checksums are
    CRC32C of the Parquet file and of the index; blocks of the first release have none. `through` is set for merged
    blocks: the name of the newest first-level block whose events they hold. `more` is what a newer
    build has noted about the block.
    """

    path: str
    env: str
    day: int
    rows: int
    size_bytes: int
    first_ns: int
    last_ns: int
    last_seq: int
    node: str
    level: int = 0
    checksum: int | None = None
    index_checksum: int | None = None
    through: str | None = None
    version: Version = BLOCK
    more: tuple[tuple[str, str | None], ...] = ()

    @property
    def newest(self) -> str:
        """The name of the newest first-level block in it, which is its own unless it was merged."""
        return self.through or read_name(self.path)

    @property
    def is_timed(self) -> bool:
        """Whether its file has the times as timestamps."""
        return self.version.major > FIRST.major


def read_name(path: str) -> str:
    """Return the last part of a block's path; it sorts blocks by the time they were created."""
    return PurePosixPath(path).stem

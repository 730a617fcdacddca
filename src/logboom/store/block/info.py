"""What the catalog keeps of a block."""

from typing import NamedTuple


class BlockInfo(NamedTuple):
    """One block: all of its events belong to one environment and one day.

    `level` is 0 for what a flush or a bulk load wrote, and grows each time blocks are merged. The checksums are
    CRC32C of the Parquet file and of the index; blocks of the first release have none.
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

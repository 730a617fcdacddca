"""What the catalog keeps of a block."""

from typing import NamedTuple


class BlockInfo(NamedTuple):
    """One block: all of its events belong to one environment and one day."""

    path: str
    env: str
    day: int
    rows: int
    size_bytes: int
    first_ns: int
    last_ns: int
    last_seq: int
    node: str

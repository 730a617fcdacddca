"""How to find the scheduler of a cluster, and to be let in."""

from pathlib import Path
from typing import NamedTuple


class ClusterAccess(NamedTuple):
    """Where the scheduler is, and how to prove that one belongs to the cluster."""

    address: str
    secret_path: Path | None
    files: tuple[Path, Path, Path] | None
    """Authority, certificate and key."""

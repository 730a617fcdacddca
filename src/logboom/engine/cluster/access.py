"""How to find the scheduler of a cluster, and to be let in."""

from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from logboom.base.errors import Unavailable


class ClusterAccess(NamedTuple):
    """Where the scheduler is, and how to prove that one belongs to the cluster."""

    address: str
    secret_path: Path | None
    files: tuple[Path, Path, Path] | None
    """Authority, certificate and key."""


def check_extra() -> None:
    """Unavailable without Dask."""
    if find_spec("distributed") is None:
        raise Unavailable("a cluster takes the extra: pip install 'logboom[dask]'")

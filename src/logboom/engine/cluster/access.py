"""The address of a cluster and the credentials for it."""

from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from logboom.base.errors import Unavailable


class ClusterAccess(NamedTuple):
    """The address of the scheduler, and the credentials that it and the workers expect."""

    address: str
    secret_path: Path | None
    files: tuple[Path, Path, Path] | None
    """Authority, certificate and key."""


def check_extra() -> None:
    """Raise Unavailable if Dask is not installed."""
    if find_spec("distributed") is None:
        raise Unavailable("a cluster takes the extra: pip install 'logboom[dask]'")

"""The golden directories beside this file."""

import tarfile
from pathlib import Path

HERE = Path(__file__).parent
NAMES = sorted(path.name.removesuffix(".tar.xz") for path in HERE.glob("*.tar.xz"))


def unpack(name: str, folder: Path) -> Path:
    """A copy of a golden directory in a folder."""
    with tarfile.open(HERE / f"{name}.tar.xz") as tar:
        tar.extractall(folder, filter="data")
    return folder / "data"

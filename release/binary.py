"""`make binary`: one file that runs where there is no Python.

    python -m release.binary BUNDLE FILE

A small script (launcher.sh) with the bundle as an archive behind it. Only the first start unpacks it.
"""

import gzip
import hashlib
import io
import sys
import tarfile
from pathlib import Path

from release.wheel import find_epoch

LAUNCHER = Path(__file__).with_name("launcher.sh")
PLACE = "ARCHIVE_FROM"
COMPRESSION_LEVEL = 6


def make_binary(bundle: Path, target: Path) -> None:
    archive = pack(bundle, find_epoch())
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(make_head(hashlib.sha256(archive).hexdigest()) + archive)
    target.chmod(0o755)


def make_head(checksum: str) -> bytes:
    """Return the script; it says at which byte of the file, counted from one, the archive starts."""
    script = LAUNCHER.read_text().replace("CHECKSUM", checksum)
    # With leading zeros, so that the number does not change its own offset.
    number = f"{len(script.encode()) + 1:0{len(PLACE)}d}"
    return script.replace(PLACE, number).encode()


def pack(bundle: Path, epoch: int) -> bytes:
    """Return the same bytes for the same content, whenever and wherever it is built."""

    def settle(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.mtime = epoch
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return entry

    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(bundle.rglob("*")):
            tar.add(path, str(path.relative_to(bundle)), recursive=False, filter=settle)
    return gzip.compress(plain.getvalue(), COMPRESSION_LEVEL, mtime=epoch)


if __name__ == "__main__":
    make_binary(Path(sys.argv[1]), Path(sys.argv[2]))
    print(sys.argv[2])

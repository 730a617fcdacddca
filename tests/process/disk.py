"""A small real ext4 disk in a file, whose power can be cut. Root only."""

import fcntl
import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

SYSTEM_PATH = "/usr/sbin:/sbin:/usr/bin:/bin"
# _IOR('X', 125, __u32), the same number for ext4 and xfs; 2 throws the journal's unwritten part away.
SHUTDOWN_IOCTL = 2 << 30 | 4 << 16 | ord("X") << 8 | 125
NO_LOG_FLUSH = 2


def run_tool(*command: str) -> None:
    """Run a system tool; CalledProcessError with its stderr when it fails."""
    subprocess.run(
        command, check=True, capture_output=True, text=True, env={"PATH": SYSTEM_PATH}, timeout=60
    )


class LoopDisk:
    """An ext4 file system in an image file, mounted at `path`."""

    def __init__(self, folder: Path, size_mib: int) -> None:
        self._image = folder / "disk.img"
        self.path = folder / "disk"
        self.path.mkdir()
        with self._image.open("wb") as image:
            image.truncate(size_mib << 20)
        run_tool("mkfs.ext4", "-q", "-F", "-m", "0", str(self._image))
        self.mount()

    def mount(self) -> None:
        run_tool("mount", "-o", "loop", str(self._image), str(self.path))

    def unmount(self) -> None:
        if self.path.is_mount():
            run_tool("umount", str(self.path))

    def cut_power(self) -> None:
        """Cut the power: from now on nothing reaches the disk, and what was not flushed is lost."""
        handle = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.ioctl(handle, SHUTDOWN_IOCTL, struct.pack("I", NO_LOG_FLUSH))
        finally:
            os.close(handle)


def make_disk(folder: Path, size_mib: int) -> LoopDisk:
    """Return a mounted disk, or a skip that says why this machine cannot have one."""
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a disk image")
    if not shutil.which("mkfs.ext4", path=SYSTEM_PATH):
        pytest.skip("needs mkfs.ext4")
    try:
        return LoopDisk(folder, size_mib)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"cannot mount a disk image here: {error.stderr.strip()}")

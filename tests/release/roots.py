"""Empty Debian systems in folders, and a service that runs inside one."""

import os
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path

from tests.golden.questions import SETTINGS
from tests.process.service import Service, build_arguments

ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
}


class Root:
    """A minimal Debian: no Python, no compiler, no Node, no service manager."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *command: str, status: int = 0, **environment: str) -> str:
        """Run a command inside and return its output; it must exit with this status."""
        done = subprocess.run(
            ["chroot", str(self.folder), *command],
            env=ENVIRONMENT | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout
        return done.stdout

    def mount(self) -> None:
        """Mount /proc, through which programs find their libraries."""
        subprocess.run(["mount", "-t", "proc", "proc", str(self.folder / "proc")], check=True)

    def delete(self) -> None:
        subprocess.run(["umount", str(self.folder / "proc")], check=True)
        shutil.rmtree(self.folder)

    def has(self, path: str) -> bool:
        return (self.folder / path.lstrip("/")).exists()

    def bring(self, file: Path) -> str:
        """Copy a file into the root's /tmp, and return its path there."""
        shutil.copy(file, self.folder / "tmp")
        return f"/tmp/{file.name}"


def make_root(suite: str, archives: Path, folder: Path) -> Root:
    """Return a fresh copy of a suite's minimal system, which is fetched once."""
    archive = archives / f"{suite}.tar"
    if not archive.exists():
        archives.mkdir(parents=True, exist_ok=True)
        made = archives / suite
        command = ["debootstrap", "--variant=minbase", suite, str(made)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(archive, "w") as tar:
            tar.add(made, ".")
        shutil.rmtree(made)
    folder.mkdir()
    with tarfile.open(archive) as tar:
        # Python 3.11 has filters from 3.11.4 on.
        tar.extraction_filter = getattr(tarfile, "fully_trusted_filter", None)
        tar.extractall(folder, numeric_owner=True)
    root = Root(folder)
    root.mount()
    assert not any(root.has(f"/usr/bin/{tool}") for tool in ("python3", "gcc", "node"))
    return root


class CommandService(Service):
    """The service as a command starts it; `inside` is the data directory as the command sees it."""

    def __init__(self, command: Sequence[str], data: Path, inside: Path, log: Path) -> None:
        super().__init__(data, log, SETTINGS)
        self._command = list(command)
        self._inside = inside

    def spawn(self, prefix: Sequence[str] = ()) -> None:
        assert not prefix
        self._connect()
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                [*self._command, *build_arguments(self._inside, self.port)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                env=ENVIRONMENT | self.settings,
            )


class InstalledService(CommandService):
    """The service as it was installed in a root, on the network of this machine."""

    def __init__(self, root: Root, program: Sequence[str], data: str, log: Path) -> None:
        command = ["chroot", str(root.folder), *program]
        super().__init__(command, root.folder / data.lstrip("/"), Path(data), log)


def give_to(path: Path, user_id: int, group_id: int) -> None:
    """Make a user the owner of a folder and everything in it."""
    for each in (path, *path.rglob("*")):
        os.chown(each, user_id, group_id)

"""`make deb`: a Debian package of the bundle, with a user, a hardened unit and a file of settings.

python -m release.deb BUNDLE FOLDER
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from logboom.base.version import __version__
from release.bundle import ROOT
from release.wheel import find_epoch

DEPLOY = ROOT / "deploy"
SCRIPTS = ("postinst", "prerm", "postrm")
CONTROL = """Package: logboom
Version: {version}
Architecture: {architecture}
Maintainer: The Logboom authors <logboom@localhost>
Installed-Size: {size_kib}
Depends: libc6 (>= {libc}), debconf (>= 0.5) | debconf-2.0, passwd
Recommends: ca-certificates, systemd
Section: admin
Priority: optional
Description: log ingestion and search
 Takes in logs from any shipper, keeps them as plain Parquet, and finds them
 again: one program with its own web pages, on port 7300.
"""


def make_deb(bundle: Path, folder: Path) -> Path:
    architecture = ask("dpkg", "--print-architecture")
    target = folder / f"logboom_{__version__}_{architecture}.deb"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch)
        tree.chmod(0o755)
        lay_out(bundle, tree)
        write_control(tree, architecture)
        command = ["dpkg-deb", "--root-owner-group", "-Zzstd", "--build", scratch, str(target)]
        environment = os.environ | {"SOURCE_DATE_EPOCH": str(find_epoch())}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return target


def lay_out(bundle: Path, tree: Path) -> None:
    shutil.copytree(bundle, tree / "usr/lib/logboom", symlinks=True)
    put(DEPLOY / "logboom.service", tree / "usr/lib/systemd/system/logboom.service")
    put(DEPLOY / "deb/logboom.env", tree / "etc/logboom/logboom.env")
    put(ROOT / "NOTICE", tree / "usr/share/doc/logboom/copyright")
    put(ROOT / "CHANGELOG.md", tree / "usr/share/doc/logboom/CHANGELOG.md")
    program = tree / "usr/bin/logboom"
    program.parent.mkdir()
    program.symlink_to("../lib/logboom/bin/logboom")


def write_control(tree: Path, architecture: str) -> None:
    size_kib = sum(path.lstat().st_size for path in tree.rglob("*")) // 1024
    libc = ask("getconf", "GNU_LIBC_VERSION").split()[-1]
    text = CONTROL.format(
        version=__version__, architecture=architecture, size_kib=size_kib, libc=libc
    )
    control = tree / "DEBIAN"
    control.mkdir()
    (control / "control").write_text(text)
    (control / "conffiles").write_text("/etc/logboom/logboom.env\n")
    put(DEPLOY / "deb/templates", control / "templates")
    for script in SCRIPTS:
        put(DEPLOY / "deb" / script, control / script, 0o755)


def put(source: Path, target: Path, mode: int = 0o644) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)
    target.chmod(mode)


def ask(*command: str) -> str:
    return subprocess.check_output(command, text=True).strip()


if __name__ == "__main__":
    print(make_deb(Path(sys.argv[1]), Path(sys.argv[2])))

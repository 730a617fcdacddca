"""The wheel and the source package: whole, the same each time, refused when something is missing."""

import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from release.bundle import ROOT
from release.wheel import make_packages
from tests.golden.directories import LAST_RELEASE, unpack
from tests.process.service import build_environment
from tests.release.roots import CommandService
from tests.release.using import use

MOST_BYTES, MOST_DIRECT = 350_000_000, 15
pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]


def copy_sources(folder: Path) -> Path:
    """What git knows of the project, and no pages."""
    clone = folder / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    return clone


def build(source: Path, settings: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "build", "-n", "--wheel", str(source)]
    environment = build_environment(settings)
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_two_builds_are_equal_and_hold_pages_and_compiled_modules(tmp_path: Path) -> None:
    first, second = (make_packages(tmp_path / name) for name in ("first", "second"))
    for one, other in zip(first, second, strict=True):
        assert one.name == other.name
        assert one.read_bytes() == other.read_bytes(), one.name
    names = zipfile.ZipFile(first[1]).namelist()
    held = ("ui/pages/index.html", "ui/pages/licences.txt", "ui/site/index.html")
    assert {f"logboom/{name}" for name in held} <= set(names)
    assert sum(name.endswith(".so") for name in names) == 3
    assert not [name for name in names if name.endswith((".pyx", ".pxi", ".c"))]


def test_without_pages_or_documentation_there_is_no_wheel(tmp_path: Path) -> None:
    source = copy_sources(tmp_path)
    done = build(source, {})
    assert done.returncode != 0
    assert "the pages are not built" in done.stdout + done.stderr
    (source / "src/logboom/ui/pages").mkdir()
    (source / "src/logboom/ui/pages/index.html").write_text("<!doctype html>")
    done = build(source, {})
    assert done.returncode != 0
    assert "the docs are not built" in done.stdout + done.stderr


def test_without_a_compiler_there_is_no_wheel_unless_asked_for(tmp_path: Path) -> None:
    source = copy_sources(tmp_path)
    for name in ("pages", "site"):
        (source / "src/logboom/ui" / name).mkdir()
        (source / "src/logboom/ui" / name / "index.html").write_text("<!doctype html>")
    done = build(source, {"CC": "/nowhere/cc"})
    assert done.returncode != 0
    assert "set LOGBOOM_PURE_PYTHON=1 for a slow build" in done.stdout + done.stderr
    done = build(source, {"CC": "/nowhere/cc", "LOGBOOM_PURE_PYTHON": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    [wheel] = (source / "dist").iterdir()
    assert wheel.name.endswith("-py3-none-any.whl")


def test_a_plain_install_is_small_and_serves(tmp_path: Path) -> None:
    _, wheel = make_packages(tmp_path / "dist")
    home = tmp_path / "installed"
    venv.create(home, with_pip=True)
    before = measure_bytes(home)
    command = [str(home / "bin/pip"), "-q", "--disable-pip-version-check", "install", str(wheel)]
    subprocess.run(command, check=True)
    assert measure_bytes(home) - before <= MOST_BYTES
    assert len(list_direct(home)) <= MOST_DIRECT
    data = unpack(LAST_RELEASE, tmp_path)
    use(CommandService([str(home / "bin/logboom")], data, data, tmp_path / "log"))


def measure_bytes(folder: Path) -> int:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files)


def list_direct(home: Path) -> list[str]:
    """What the installed package asks for without any extra."""
    [metadata] = home.glob("lib/python3*/site-packages/logboom-*.dist-info/METADATA")
    needs = re.findall(r"^Requires-Dist: (.+)$", metadata.read_text(), re.MULTILINE)
    return [need for need in needs if "extra ==" not in need]

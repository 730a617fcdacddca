"""The wheel and the source package: whole, the same each time, refused when something is missing."""

import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from release.bundle import ROOT
from release.wheel import make_packages
from tests.process.service import build_environment

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

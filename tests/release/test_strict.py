"""Where `LOGBOOM_STRICT` is set, what cannot be fetched is a failure; elsewhere it is a warning."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from release.bundle import ROOT
from tests.together import together

SCRIPTS = {
    "scripts/node-packages": "the tests with Node clients are SKIPPED",
    "scripts/ui lint": "lint of the web pages is SKIPPED",
}


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """The scripts without anything that was installed, and a path with a shell and no Node."""
    for name in ("scripts", "ui/package.json", "tests/clients/node/package-lock.json"):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        source = ROOT / name
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "dirname", "cmp", "cat"):
        (tmp_path / "bin" / tool).symlink_to(str(shutil.which(tool)))
    return tmp_path


def run(bare: Path, script: str, strict: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["sh", *script.split()],
        cwd=bare,
        env={"PATH": str(bare / "bin"), "LOGBOOM_STRICT": strict, "HOME": os.devnull},
        capture_output=True,
        text=True,
        check=False,
    )


@together("script", SCRIPTS)
def test_what_is_missing_fails_only_in_strict_mode(bare: Path, script: str) -> None:
    for strict, status in (("", 0), ("0", 0), ("1", 1)):
        done = run(bare, script, strict)
        assert done.returncode == status, done.stderr
        assert SCRIPTS[script] in done.stderr


def test_public_checks_are_strict() -> None:
    assert 'LOGBOOM_STRICT: "1"' in (ROOT / ".github/workflows/ci.yml").read_text()

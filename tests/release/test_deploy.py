"""The examples in `deploy/`: they name only commands, settings and keys that exist."""

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from logboom.cli.choice import choose_app
from logboom.config.table import SETTINGS

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE = DEPLOY / "cluster/compose.yaml"
MANIFEST = DEPLOY / "kubernetes/logboom.yaml"
UNITS = sorted(DEPLOY.glob("*.service"))


def read_compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())
    return found


def list_containers() -> list[dict[str, Any]]:
    pods = [
        document["spec"]["template"]["spec"]
        for document in yaml.safe_load_all(MANIFEST.read_text())
        if "template" in document.get("spec", {})
    ]
    return [container for pod in pods for container in pod["containers"]]


def test_every_setting_that_is_named_exists() -> None:
    known = {setting.variable for setting in SETTINGS.values()}
    for path in DEPLOY.rglob("*"):
        if path.is_file() and "secrets" not in path.parts:
            assert set(re.findall(r"SERVICE_[A-Z_]+", path.read_text())) <= known, path


def list_commands() -> list[list[str]]:
    services = [each for each in read_compose()["services"].values() if "logboom" in each["image"]]
    commands = [each.get("command", ["serve"]) for each in services]
    commands += [each.get("args", ["serve"]) for each in list_containers()]
    for unit in UNITS:
        (line,) = re.findall(r"^ExecStart=/usr/bin/logboom (.*)$", unit.read_text(), re.MULTILINE)
        commands.append(line.split())
    return commands


@cache
def read_help(command: str) -> str:
    return subprocess.run(
        [Path(sys.executable).with_name("logboom"), command, "--help"],
        check=True,
        capture_output=True,
        text=True,
        env={"COLUMNS": "200", "PATH": "/usr/bin:/bin", "NO_COLOR": "1"},
    ).stdout


def test_every_command_and_option_that_is_named_exists() -> None:
    for name, *arguments in list_commands():
        assert name in {each.name for each in choose_app([name]).registered_commands}
        for option in arguments:
            assert not option.startswith("--") or option in read_help(name)


def test_the_parts_of_the_compose_file_know_each_other() -> None:
    compose = read_compose()
    services = compose["services"]
    assert set(services) == {
        *("balancer", "bucket", "scheduler"),
        *("node-1", "node-2", "worker-1", "worker-2"),
    }
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
        assert set(service.get("secrets", ())) <= set(compose["secrets"])
        named = {volume.split(":")[0] for volume in service.get("volumes", ())}
        assert {name for name in named if not name.startswith(".")} <= set(compose["volumes"])
    balanced = re.findall(r"server (\S+):7300 ", (DEPLOY / "cluster/nginx.conf").read_text())
    assert balanced == ["node-1", "node-2"]


def test_nodes_and_workers_share_store_keys_and_scheduler() -> None:
    services = read_compose()["services"]
    shared = ("SERVICE_STORE_URL", "SERVICE_DASK_SCHEDULER", "SERVICE_DASK_SECRET_PATH")
    settings = [
        services[name]["environment"] for name in ("node-1", "node-2", "worker-1", "worker-2")
    ]
    for name in shared:
        assert len({each[name] for each in settings}) == 1


def test_keys_are_made_for_their_owner_only_and_kept(tmp_path: Path) -> None:
    shutil.copy(DEPLOY / "cluster/make-secrets", tmp_path)
    command = [tmp_path / "make-secrets"]
    subprocess.run(command, check=True, capture_output=True)
    made = {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()}
    assert set(made) == set(read_compose()["secrets"])
    assert all(re.fullmatch("[0-9a-f]{64}", each) for each in made.values())
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "secrets").iterdir()} == {0o400}
    subprocess.run(command, check=True, capture_output=True)
    assert made == {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_units_allow_no_more_than_they_need(unit: Path) -> None:
    text = unit.read_text()
    for line in ("NoNewPrivileges=yes", "ProtectSystem=strict", "User=logboom", "UMask=0077"):
        assert line in text.splitlines()

"""Two processes that edit the same documents at the same time: every edit is kept."""

import subprocess
import sys
from pathlib import Path

import pytest

from logboom.base.clock import system_clock
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import Bucket
from logboom.control.control import Control

EDITOR = """
import sys
from pathlib import Path
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import parse_place
from logboom.base.clock import system_clock
from logboom.base.errors import Conflict
from logboom.control.control import Control

place, name, count = parse_place(sys.argv[1]), sys.argv[2], int(sys.argv[3])
objects = open_objects(place, Path("unused"), 1)
control = Control.open(objects, bytes(32), bytes(32), system_clock)
print("ready", flush=True)
sys.stdin.readline()
for number in range(count):
    while True:
        try:
            control.environments.create(f"{name}-{number}")
            break
        except Conflict as error:
            assert "too often" in error.message, error.message
"""


def start_editor(place: Path | Bucket, name: str, count: int) -> subprocess.Popen[str]:
    url = place.as_uri() if isinstance(place, Path) else place.url
    command = [sys.executable, "-c", EDITOR, url, name, str(count)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    "count",
    [100, pytest.param(1000, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])],
)
def test_racing_edits_of_two_processes_lose_nothing(
    store_place: Path | Bucket, tmp_path: Path, count: int
) -> None:
    editors = [start_editor(store_place, name, count) for name in ("one", "two")]
    try:
        for editor in editors:
            assert editor.stdout
            assert editor.stdout.readline() == "ready\n"
        for editor in editors:
            assert editor.stdin
            editor.stdin.write("\n")
            editor.stdin.flush()
        assert [editor.wait() for editor in editors] == [0, 0]
    finally:
        for editor in editors:
            editor.kill()
            editor.communicate()
    objects = open_objects(store_place, tmp_path / "cache", 1)
    control = Control.open(objects, bytes(32), bytes(32), system_clock)
    expected = {f"{name}-{number}" for name in ("one", "two") for number in range(count)}
    assert {each.name for each in control.environments.list()} == expected | {"default"}
    assert control.environments.generation == 2 * count

"""A process killed while it writes control documents: each is the old one or the new one, whole."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.process.tracing import (
    inject,
    read_highest_counts,
    require_strace,
    was_killed,
    watch,
)

from logboom.base.clock import system_clock
from logboom.base.stores.local import LocalObjects
from logboom.control.access.users import Role, Users
from logboom.control.documents.cipher import AesCipher
from logboom.control.documents.store import KEPT_GENERATIONS, Documents
from logboom.control.registry.settings import LiveSettings

pytestmark = pytest.mark.crash

WRITER = """
import sys
from pathlib import Path
from logboom.base.clock import system_clock
from logboom.base.stores.local import LocalObjects
from logboom.control.documents.cipher import AesCipher
from logboom.control.documents.store import Documents
from logboom.control.registry.settings import LiveSettings
from logboom.control.access.users import Users

documents = Documents(LocalObjects(Path(sys.argv[1])), AesCipher(bytes(32)))
users, settings = Users(documents, lambda: 0), LiveSettings(documents, {})
rows = settings.stored.storage.block_flush_rows
for number in range(rows + 1, rows + 1 + int(sys.argv[2])):
    settings.patch({"storage": {"block_flush_rows": number}})
    users.update(users.list()[1].id, {"indexes": [f"i{number}"]})
    print(number, flush=True)
"""

ENDLESS = 1_000_000
TRACER = ["strace", "-f"]
"""Without its seccomp filter, below which no injected signal arrives."""


class Store:
    """A directory with two documents, whose values a writer raises together."""

    def __init__(self, root: Path) -> None:
        self.root = root
        users, settings = self.open()
        users.setup("admin", "correct horse")
        viewer = users.create("viewer", "correct horse", Role.VIEWER)
        for number in range(1, 1 + KEPT_GENERATIONS):
            settings.patch({"storage": {"block_flush_rows": number}})
            users.update(viewer.id, {"indexes": [f"i{number}"]})

    def open(self) -> tuple[Users, LiveSettings]:
        documents = Documents(LocalObjects(self.root), AesCipher(bytes(32)))
        return Users(documents, system_clock), LiveSettings(documents, {})

    def read(self) -> tuple[int, int]:
        """The values of both documents; raises when either is missing or damaged."""
        users, settings = self.open()
        _, viewer = users.list()
        return settings.stored.storage.block_flush_rows, int(viewer.indexes[0][1:])

    def write(self, rounds: int, prefix: list[str]) -> subprocess.CompletedProcess[str]:
        command = [*prefix, sys.executable, "-c", WRITER, str(self.root), str(rounds)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def write_until_killed(self, rounds: int, delay_s: float) -> int:
        """The last value the writer said it had stored."""
        command = [sys.executable, "-c", WRITER, str(self.root), str(ENDLESS)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout
            said = [int(writer.stdout.readline()) for _ in range(rounds)]
            time.sleep(delay_s)
            writer.kill()
            said += [int(line) for line in writer.stdout.read().split("\n")[:-1]]
        return said[-1]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.mark.parametrize(
    "kills", [5, pytest.param(500, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])]
)
def test_a_kill_at_any_moment_leaves_the_old_or_the_new_document(store: Store, kills: int) -> None:
    for kill in range(kills):
        said = store.write_until_killed(1 + kill % 5, delay_s=kill % 7 * 0.0007)
        rows, index = store.read()
        assert (rows, index) in ((said, said), (said + 1, said), (said + 1, said + 1))


def test_a_kill_at_every_durable_call_leaves_the_old_or_the_new_document(
    store: Store, tmp_path: Path
) -> None:
    require_strace()
    trace = tmp_path / "trace"
    assert store.write(1, [*TRACER, *watch(trace)]).returncode == 0
    points = read_highest_counts(trace)
    # There is no `unlink` on ARM.
    assert "fsync" in points
    assert {"unlink", "unlinkat"} & points.keys()
    for call, highest in points.items():
        for number in range(1, highest + 1):
            before = store.read()
            effect = f"signal=SIGKILL:when={number}"
            store.write(1, [*TRACER, *inject(trace, call, effect)])
            assert was_killed(trace), f"{call} {number}"
            rows, index = store.read()
            assert rows in (before[0], before[0] + 1)
            assert index in (before[1], before[0] + 1)

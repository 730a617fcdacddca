"""`logboom admin rotate-key`: a new key for the control documents of a stopped service."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Logboom
from tests.process.service import PASSWORD, USERNAME, Service

from logboom.base.clock import system_clock
from logboom.base.errors import Corrupt
from logboom.base.stores.local import LocalObjects
from logboom.control.control import Control
from logboom.control.documents.cipher import AesCipher
from logboom.control.documents.rotate import rotate
from logboom.control.documents.secrets import read_or_create_secret, read_secret

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of a service that was set up and stopped."""
    folder = tmp_path_factory.mktemp("used")
    service = Service(folder / "data", folder / "log", {})
    service.start()
    try:
        assert service.stop() == 0
    finally:
        service.close()
    return folder / "data"


@pytest.fixture
def data(used: Path, tmp_path: Path) -> Path:
    """A copy whose key may be changed, with three documents at several generations."""
    copy = Path(shutil.copytree(used, tmp_path / "data"))
    control = open_control(copy)
    for name in ("one", "two", "three"):
        control.environments.create(name)
    control.lookups.put("owners", "service,owner\nshop,ann\n")
    return copy


def open_control(data: Path) -> Control:
    """What a service finds that starts here with the key that is in force."""
    key, secret = read_secret(data / "secrets" / "control"), read_secret(data / "secrets" / "jwt")
    return Control.open(LocalObjects(data / "store"), key, secret, system_clock)


def check_whole(data: Path) -> None:
    control = open_control(data)
    assert {each.name for each in control.environments.list()} == {
        *("default", "one", "two", "three")
    }
    assert "owners" in control.lookups.tables
    control.login(USERNAME, PASSWORD)


class InterruptedRotation(Exception):
    """Stands for the end of the process."""


class FailingObjects(LocalObjects):
    """Objects of which only so many more can be written."""

    def __init__(self, root: Path, writes: int) -> None:
        super().__init__(root)
        self._writes = writes

    def put_new(self, name: str, data: bytes) -> None:
        if self._writes == 0:
            raise InterruptedRotation
        self._writes -= 1
        super().put_new(name, data)


def test_documents_have_a_new_key_and_the_old_one_is_kept(logboom: Logboom, data: Path) -> None:
    old_key = read_secret(data / "secrets" / "control")
    outcome = logboom("admin", "rotate-key", "--data", data)
    assert outcome.status == 0
    assert read_secret(data / "secrets" / "control") != old_key
    assert read_secret(data / "secrets" / "control.old") == old_key
    assert "control.old" in outcome.errors
    assert sorted(path.name for path in (data / "secrets").iterdir()) == [
        *("control", "control.old", "jwt")
    ]
    check_whole(data)


def test_the_old_key_opens_nothing_any_more(logboom: Logboom, data: Path) -> None:
    logboom("admin", "rotate-key", "--data", data)
    sealed = [path for path in (data / "store" / "control").rglob("*") if path.is_file()]
    cipher = AesCipher(read_secret(data / "secrets" / "control.old"))
    assert sealed
    for path in sealed:
        name = path.relative_to(data / "store").as_posix()
        with pytest.raises(Corrupt):
            cipher.unseal(name, path.read_bytes())


def test_it_can_be_done_again_and_again(logboom: Logboom, data: Path) -> None:
    keys = set()
    for _ in range(3):
        assert logboom("admin", "rotate-key", "--data", data).status == 0
        keys.add(read_secret(data / "secrets" / "control"))
        check_whole(data)
    assert len(keys) == 3


def test_a_service_starts_with_the_new_key(logboom: Logboom, data: Path, tmp_path: Path) -> None:
    logboom("admin", "rotate-key", "--data", data)
    service = Service(data, tmp_path / "log", {})
    try:
        service.start()
    finally:
        service.close()


def start_in_vain(data: Path) -> str:
    """What a service says that cannot start."""
    command = [sys.executable, "-m", "logboom", "serve", "--data", str(data), "--port", "0"]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert refused.returncode == 1
    return refused.stderr


@pytest.mark.parametrize("writes", range(3))
def test_what_was_interrupted_is_finished_by_doing_it_again(
    logboom: Logboom, data: Path, writes: int
) -> None:
    secrets = data / "secrets"
    new_key = read_or_create_secret(secrets / "control.new")
    with pytest.raises(InterruptedRotation):
        rotate(FailingObjects(data / "store", writes), read_secret(secrets / "control"), new_key)
    assert logboom("doctor", "--data", data).status == 1
    if writes:
        assert "run logboom admin rotate-key" in start_in_vain(data)
    assert logboom("admin", "rotate-key", "--data", data).status == 0
    assert read_secret(secrets / "control") == new_key
    check_whole(data)
    assert logboom("doctor", "--data", data).status == 0


@pytest.mark.parametrize("is_kept", [True, False])
def test_an_interruption_before_the_new_key_takes_its_place_is_finished(
    logboom: Logboom, data: Path, is_kept: bool
) -> None:
    """Every document has the new key already; the copy of the old one is there, or not yet."""
    secrets = data / "secrets"
    logboom("admin", "rotate-key", "--data", data)
    new_key = read_secret(secrets / "control")
    (secrets / "control").rename(secrets / "control.new")
    shutil.copy2(secrets / "control.old", secrets / "control")
    if not is_kept:
        (secrets / "control.old").unlink()
    assert logboom("admin", "rotate-key", "--data", data).status == 0
    assert read_secret(secrets / "control") == new_key
    check_whole(data)


def test_a_damaged_document_stops_it_before_the_keys_change(logboom: Logboom, data: Path) -> None:
    newest = max((data / "store" / "control" / "users").iterdir())
    newest.write_bytes(newest.read_bytes()[:-1])
    old_key = read_secret(data / "secrets" / "control")
    outcome = logboom("admin", "rotate-key", "--data", data)
    assert outcome.status == 1
    assert "control/users/" in outcome.errors
    assert read_secret(data / "secrets" / "control") == old_key


def test_a_running_service_keeps_its_key(logboom: Logboom, data: Path, tmp_path: Path) -> None:
    service = Service(data, tmp_path / "log", {})
    before = (data / "secrets" / "control").read_bytes()
    service.start()
    try:
        outcome = logboom("admin", "rotate-key", "--data", data)
    finally:
        service.close()
    assert outcome.status == 1
    assert "in use by another process" in outcome.errors
    assert (data / "secrets" / "control").read_bytes() == before
    assert not (data / "secrets" / "control.new").exists()


def test_a_key_that_is_not_there_is_not_made_up(logboom: Logboom, data: Path) -> None:
    (data / "secrets" / "control").unlink()
    outcome = logboom("admin", "rotate-key", "--data", data)
    assert outcome.status == 1
    assert "No such file" in outcome.errors
    assert [path.name for path in (data / "secrets").iterdir()] == ["jwt"]


def test_a_key_elsewhere_is_rotated_there(
    logboom: Logboom, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "keys" / "control"
    path.parent.mkdir()
    (data / "secrets" / "control").rename(path)
    monkeypatch.setenv("SERVICE_CONTROL_KEY_PATH", str(path))
    assert logboom("admin", "rotate-key", "--data", data).status == 0
    path.rename(data / "secrets" / "control")
    check_whole(data)


def test_no_data_is_made_up(logboom: Logboom, tmp_path: Path) -> None:
    outcome = logboom("admin", "rotate-key", "--data", tmp_path / "none")
    assert outcome.status == 1
    assert "expected the data of a service" in outcome.errors
    assert list(tmp_path.iterdir()) == []


def test_plain_documents_have_no_key(
    logboom: Logboom, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_CONTROL_ENCRYPTION", "off")
    outcome = logboom("admin", "rotate-key", "--data", data)
    assert outcome.status == 1
    assert "SERVICE_CONTROL_ENCRYPTION is off" in outcome.errors

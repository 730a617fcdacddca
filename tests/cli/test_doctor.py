"""`logboom doctor`: what is whole, what is broken and in which way, and that nothing is written."""

import os
import re
import resource
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Logboom, Outcome
from tests.process.service import Service

from logboom.base.clock import system_clock
from logboom.cli.maintenance.checkup import CHECKS, Installation, check_clock
from logboom.config import load_settings

pytestmark = pytest.mark.process

ENOUGH_FILES = 8192


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of a service that took events in and was stopped."""
    folder = tmp_path_factory.mktemp("used")
    service = Service(folder / "data", folder / "log", {})
    service.start()
    try:
        for number in range(2):
            assert service.ingest(b'{"message": "hello", "n": %d}' % number).status_code == 200
            service.flush()
        assert service.stop() == 0
    finally:
        service.close()
    return folder / "data"


@pytest.fixture
def data(used: Path, tmp_path: Path) -> Path:
    """A copy to be broken."""
    return Path(shutil.copytree(used, tmp_path / "data"))


@pytest.fixture(autouse=True)
def enough_files() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(ENOUGH_FILES, before[1]), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def read_lines(outcome: Outcome) -> dict[str, tuple[str, str]]:
    """The status and the text of every check."""
    lines = outcome.output.splitlines()
    return {line[5:23].rstrip(): (line[:5].rstrip(), line[24:]) for line in lines}


def list_files(directory: Path) -> dict[Path, tuple[int, int, int]]:
    stats = {path: path.stat() for path in [directory, *directory.rglob("*")]}
    return {path: (each.st_mtime_ns, each.st_size, each.st_mode) for path, each in stats.items()}


def find_one(data: Path, pattern: str) -> Path:
    return min((data / "store").glob(pattern))


def test_a_service_that_is_well_has_nothing_to_fail(logboom: Logboom, data: Path) -> None:
    outcome = logboom("doctor", "--data", data)
    lines = read_lines(outcome)
    assert (outcome.status, outcome.errors) == (0, "")
    assert list(lines) == list(CHECKS)
    assert {name for name, (status, _) in lines.items() if status != "ok"} <= {
        *("program", "free disk", "open files")
    }
    assert "all there" in lines["catalog"][1]
    assert "users" in lines["control documents"][1]


def test_nothing_is_written(logboom: Logboom, data: Path) -> None:
    before = list_files(data)
    logboom("doctor", "--data", data)
    assert list_files(data) == before


def test_a_running_service_is_checked_too(logboom: Logboom, data: Path, tmp_path: Path) -> None:
    service = Service(data, tmp_path / "log", {})
    service.start()
    try:
        outcome = logboom("doctor", "--data", data)
        service.flush()
    finally:
        service.close()
    assert outcome.status == 0
    assert "FAIL" not in outcome.output


def remove(pattern: str) -> Callable[[Path], None]:
    def damage(data: Path) -> None:
        find_one(data, pattern).unlink()

    return damage


def cut(pattern: str) -> Callable[[Path], None]:
    def damage(data: Path) -> None:
        path = find_one(data, pattern)
        path.write_bytes(path.read_bytes()[:-1])

    return damage


def alter_users(data: Path) -> None:
    newest = max((data / "store" / "control" / "users").iterdir())
    content = bytearray(newest.read_bytes())
    content[-1] ^= 1
    newest.write_bytes(content)


def remove_log(data: Path) -> None:
    shutil.rmtree(data / "store" / "_delta_log")


def open_to_others(name: str) -> Callable[[Path], None]:
    return lambda data: (data / "secrets" / name).chmod(0o644)


def shorten(name: str) -> Callable[[Path], None]:
    def damage(data: Path) -> None:
        (data / "secrets" / name).write_bytes(b"short")

    return damage


def remove_key(data: Path) -> None:
    (data / "secrets" / "control").unlink()


def change_key(data: Path) -> None:
    (data / "secrets" / "control").write_bytes(b"x" * 32)


def interrupt_rotation(data: Path) -> None:
    shutil.copy(data / "secrets" / "control", data / "secrets" / "control.new")


def postdate(data: Path) -> None:
    in_an_hour_s = system_clock() // 10**9 + 3600
    os.utime(find_one(data, "_delta_log/*.json"), (in_an_hour_s, in_an_hour_s))


@pytest.mark.parametrize(
    ("damage", "check", "said"),
    [
        (remove("blocks/*/*.parquet"), "catalog", "1 of "),
        (remove("blocks/*/*.parquet"), "catalog", "is missing"),
        (cut("blocks/*/*.parquet"), "catalog", " bytes, expected "),
        (remove("blocks/*/*.index"), "catalog", "its index is missing"),
        (remove("_delta_log/*1.json"), "catalog", "missing, but the log goes on"),
        (cut("_delta_log/*1.json"), "catalog", "not a commit"),
        (remove_log, "catalog", "no store at"),
        (remove_key, "control key", "restore it from a backup"),
        (remove_key, "control documents", "cannot be read without the control key"),
        (change_key, "control documents", "sealed with another control key"),
        (alter_users, "control documents", "control/users/"),
        (open_to_others("control"), "control key", "mode 0644, expected 0600"),
        (open_to_others("jwt"), "session secret", "mode 0644, expected 0600"),
        (shorten("control"), "control key", "holds 5 bytes, expected at least 32"),
        (shorten("jwt"), "session secret", "holds 5 bytes, expected at least 32"),
        (interrupt_rotation, "control key", "run logboom admin rotate-key again"),
        (postdate, "clock", "a file of the store is"),
    ],
)
def test_what_is_broken_fails_its_check(
    logboom: Logboom, data: Path, damage: Callable[[Path], None], check: str, said: str
) -> None:
    damage(data)
    before = list_files(data)
    outcome = logboom("doctor", "--data", data)
    status, text = read_lines(outcome)[check]
    assert (outcome.status, status) == (1, "FAIL")
    assert said in text
    assert list_files(data) == before


@pytest.mark.parametrize(
    ("free_share", "status", "exit_status"), [(0.001, "FAIL", 1), (0.05, "warn", 0), (0.5, "ok", 0)]
)
def test_a_disk_that_fills_up_is_told(
    logboom: Logboom,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    free_share: float,
    status: str,
    exit_status: int,
) -> None:
    blocks = 1_000_000
    free = int(blocks * free_share)
    disk = os.statvfs_result((4096, 4096, blocks, free, free, 1000, 900, 900, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda _: disk)
    outcome = logboom("doctor", "--data", data)
    assert read_lines(outcome)["free disk"][0] == status
    assert outcome.status == exit_status


@pytest.mark.parametrize(("folder", "check"), [("store", "store"), ("wal", "data directory")])
def test_a_directory_that_cannot_be_written_fails(
    logboom: Logboom, data: Path, monkeypatch: pytest.MonkeyPatch, folder: str, check: str
) -> None:
    monkeypatch.setattr(os, "access", lambda path, _: path != data / folder)
    outcome = logboom("doctor", "--data", data)
    assert outcome.status == 1
    status, text = read_lines(outcome)[check]
    assert status == "FAIL"
    assert f"{data / folder} is not readable and writable" in text


def test_a_directory_open_to_others_is_a_warning(logboom: Logboom, data: Path) -> None:
    data.chmod(0o755)
    outcome = logboom("doctor", "--data", data)
    assert read_lines(outcome)["data directory"] == (
        "warn",
        f"{data} has mode 0755; chmod 0700 {data}",
    )
    assert outcome.status == 0


def test_few_open_files_are_a_warning(logboom: Logboom, data: Path) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, most))
    outcome = logboom("doctor", "--data", data)
    assert read_lines(outcome)["open files"][0] == "warn"
    assert outcome.status == 0


def test_a_lost_session_secret_is_a_warning(logboom: Logboom, data: Path) -> None:
    (data / "secrets" / "jwt").unlink()
    outcome = logboom("doctor", "--data", data)
    status, text = read_lines(outcome)["session secret"]
    assert (outcome.status, status) == (0, "warn")
    assert "all sessions have ended" in text


def test_a_new_directory_only_waits_for_its_service(logboom: Logboom, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    outcome = logboom("doctor", "--data", tmp_path)
    assert outcome.status == 0
    assert {name for name, (status, _) in read_lines(outcome).items() if status == "warn"} >= {
        *("store", "catalog", "session secret", "control key", "control documents")
    }
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_is_not_there_fails(logboom: Logboom, tmp_path: Path) -> None:
    outcome = logboom("doctor", "--data", tmp_path / "none")
    assert outcome.status == 1
    assert read_lines(outcome)["data directory"][0] == "FAIL"
    assert list(tmp_path.iterdir()) == []


def test_a_clock_before_the_program_was_written_fails(data: Path) -> None:
    finding = check_clock(Installation(load_settings({"data_dir": data}, {}), now_ns=0))
    assert finding.describe() == "it is 1970-01-01T00:00:00Z by this clock; set the clock"


def test_plain_documents_are_a_warning(
    logboom: Logboom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_CONTROL_ENCRYPTION", "off")
    service = Service(tmp_path / "data", tmp_path / "log", {"SERVICE_CONTROL_ENCRYPTION": "off"})
    service.start()
    try:
        outcome = logboom("doctor", "--data", tmp_path / "data")
    finally:
        service.close()
    lines = read_lines(outcome)
    assert outcome.status == 0
    assert lines["control key"][0] == "warn"
    assert lines["control documents"][0] == "ok"


def test_the_log_of_a_running_service_is_read(logboom: Logboom, tmp_path: Path) -> None:
    settings = {"SERVICE_BLOCK_FLUSH_SECS": "3600"}
    service = Service(tmp_path / "data", tmp_path / "log", settings)
    service.start()
    try:
        assert service.ingest(b'{"n":1}\n{"n":2}').status_code == 200
        status, text = read_lines(logboom("doctor", "--data", service.data))["write-ahead log"]
        waiting = re.search(r"(\d+) events not yet in blocks", text)
        assert status == "ok"
        assert waiting
        assert int(waiting[1]) >= 2, "those, and what the service says of itself"
        service.kill9()
        (segment,) = (service.data / "wal").glob("*.wal")
        with segment.open("r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"!")
        outcome = logboom("doctor", "--data", service.data)
        status, text = read_lines(outcome)["write-ahead log"]
        assert (outcome.status, status, segment.name in text) == (1, "FAIL", True)
    finally:
        service.close()

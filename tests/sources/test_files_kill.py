"""kill -9 of a real server again and again, while a log that it reads is written and rotated."""

import gzip
import os
import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import httpx
import pytest
from tests.process.service import PASSWORD, USERNAME, Service

pytestmark = [pytest.mark.process, pytest.mark.crash]

CYCLES = 8
LONGEST_RUN_S = 1.0
POLLS_AT_END = 3
SETTLED_S = 2.5


class Writer(threading.Thread):
    """Appends numbered lines to a log, and rotates it in every way there is."""

    def __init__(self, folder: Path, seed: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._path = folder / "app.log"
        self._random = Random(seed)
        self._rotations = 0
        self._stopping = threading.Event()

    def run(self) -> None:
        while not self._stopping.wait(self._random.uniform(0, 0.02)):
            self._append(self._random.randrange(1, 50))
            if self._random.random() < 0.1:
                self._random.choice([self._rename, self._copy, self._pack])()

    def _append(self, count: int) -> None:
        padding = "x" * self._random.randrange(200)
        lines = [f"line {len(self.lines) + at} {padding}" for at in range(count)]
        data = "".join(f"{line}\n" for line in lines).encode()
        middle = self._random.randrange(len(data))
        for part in (data[:middle], data[middle:]):
            with self._path.open("ab") as file:
                file.write(part)
        self.lines += lines

    def _choose_name(self) -> Path:
        self._rotations += 1
        return self._path.with_name(f"app.log.{self._rotations}")

    def _rename(self) -> None:
        self._path.rename(self._choose_name())

    def _copy(self) -> None:
        shutil.copy(self._path, self._choose_name())
        os.truncate(self._path, 0)

    def _pack(self) -> None:
        rotated = self._choose_name()
        self._path.rename(rotated)
        packed = rotated.with_name(f"{rotated.name}.gz")
        packed.write_bytes(gzip.compress(rotated.read_bytes()))
        shutil.copystat(rotated, packed)
        rotated.unlink()

    def stop(self) -> None:
        self._stopping.set()
        self.join()


class Admin:
    """Whoever has the source polled."""

    def __init__(self, service: Service) -> None:
        self._client = httpx.Client(
            base_url=f"http://127.0.0.1:{service.port}", timeout=30, verify=False
        )
        credentials = {"username": USERNAME, "password": PASSWORD}
        token = self._client.post("/api/auth/login", json=credentials).raise_for_status().json()
        self._client.headers["Authorization"] = f"Bearer {token['token']}"

    def close(self) -> None:
        self._client.close()

    def create(self, path: str) -> str:
        source = {"name": "log", "path": path, "format": "text", "poll_interval_secs": 5}
        answer = self._client.post("/api/sources", json=source)
        return str(answer.raise_for_status().json()["id"])

    def poll(self, source_id: str) -> None:
        answer = self._client.post(f"/api/sources/{source_id}/run").raise_for_status().json()
        assert answer["status"]["last_status"] == "ok", answer

    def poll_until_it_dies(self, source_id: str) -> None:
        with suppress(httpx.TransportError):
            while True:
                self.poll(source_id)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    settings = {"SERVICE_BLOCK_FLUSH_SECS": "1", "SERVICE_CHECKPOINT_COMMITS": "5"}
    service = Service(tmp_path / "data", tmp_path / "server.log", settings)
    yield service
    service.close()


@pytest.fixture
def admin(service: Service) -> Iterator[Admin]:
    service.start()
    admin = Admin(service)
    yield admin
    admin.close()


def die_again_and_again(service: Service, admin: Admin, source_id: str, random: Random) -> None:
    for _ in range(CYCLES):
        polling = threading.Thread(target=admin.poll_until_it_dies, args=(source_id,))
        polling.start()
        # The moment of death is what is random here; there is nothing to wait for.
        time.sleep(random.uniform(0, LONGEST_RUN_S))
        service.kill9()
        polling.join()
        service.start()


def test_each_line_is_stored_once_however_often_the_server_dies(
    tmp_path: Path, service: Service, admin: Admin
) -> None:
    seed = os.environ.get("LOGBOOM_TEST_SEED", os.urandom(6).hex())
    logs = tmp_path / "logs"
    logs.mkdir()
    source_id = admin.create(f"{logs}/app.log*")
    writer = Writer(logs, seed)
    writer.start()
    try:
        die_again_and_again(service, admin, source_id, Random(seed))
    finally:
        writer.stop()
    for _ in range(POLLS_AT_END):
        admin.poll(source_id)
        # A copy is taken for what it is only when it has been left alone for a while.
        time.sleep(SETTLED_S)
    service.flush()
    stored = Counter(str(event["message"]) for event in service.export("index:default"))
    missing = [line for line in writer.lines if line not in stored]
    repeated = [line for line, count in stored.items() if count > 1]
    assert not missing, f"seed {seed}: {len(missing)} lines lost, as {missing[:3]}"
    assert not repeated, f"seed {seed}: {len(repeated)} lines stored again, as {repeated[:3]}"
    assert len(stored) == len(writer.lines)
    assert service.stop() == 0

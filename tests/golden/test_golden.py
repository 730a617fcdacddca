"""Data directories that earlier builds wrote open, answer as they did, and take more."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.golden.directories import HERE, NAMES, unpack
from tests.golden.events import DAYS, encode, make_requests
from tests.golden.questions import SETTINGS, ask_all, list_events, read_expected
from tests.process.service import Service
from tests.running import RunningService
from tests.store.stores import HandClock, make_store, opened

MOST_BYTES = 75_000
MORE = encode(make_requests(DAYS[0], 10, 500))


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


@pytest.fixture
def data(name: str, tmp_path: Path) -> Path:
    return unpack(name, tmp_path)


@pytest.fixture
def expected(name: str) -> dict[str, Any]:
    return read_expected(HERE / f"{name}.json.xz")


@pytest.fixture
def service(data: Path, tmp_path: Path) -> Iterator[Service]:
    # Nothing is at the path of the pull source any more; it is not enabled.
    settings = SETTINGS | {"SERVICE_SOURCE_ROOTS": str(tmp_path)}
    service = Service(data, tmp_path / "log", settings)
    try:
        yield service
    finally:
        service.close()


def test_it_answers_as_the_build_that_wrote_it_and_takes_more(
    service: Service, expected: dict[str, Any]
) -> None:
    service.start()
    found = ask_all(service)
    for part, answers in found.items():
        assert keep_known(answers, expected[part]) == expected[part], part
    before = expected["events"]["default"]
    assert service.ingest(MORE).json()["ingested"] == 10
    service.flush()
    renamed = expected["documents"]["/api/queries"][0]["id"]
    service.call("PATCH", f"/api/queries/{renamed}", json={"name": "renamed"}).raise_for_status()
    assert service.stop() == 0
    service.start()
    after = list_events(service, "default")
    assert [row for row in after if row in before] == before
    assert len(after) == len(before) + 10
    assert service.call("GET", "/api/queries").json()[0]["name"] == "renamed"
    assert ask_all(service)["raw"]["staging"] == expected["raw"]["staging"]


def keep_known(found: Any, expected: Any) -> Any:
    """Without the members of objects that the build which wrote the directory did not know."""
    if isinstance(found, dict) and isinstance(expected, dict):
        return {
            name: keep_known(found[name], each) for name, each in expected.items() if name in found
        }
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        return [keep_known(*each) for each in zip(found, expected, strict=True)]
    return found


def test_a_request_that_was_answered_before_is_known(data: Path, expected: dict[str, Any]) -> None:
    shutil.rmtree(data / "store" / "control")
    service = RunningService(data, clock=HandClock(find_newest_ns(data)))
    service.start()
    try:
        total = service.count(**{"from": "1677-10-01", "to": "2262-04-01"})
        for key, answer in expected["answers"].items():
            again = service.ingest(MORE, headers={"Idempotency-Key": key})
            assert again.json() == answer, key
        service.flush()
        assert service.count(**{"from": "1677-10-01", "to": "2262-04-01"}) == total
    finally:
        service.stop()


def test_what_was_read_of_files_is_known(data: Path) -> None:
    with opened(make_store(data)) as store:
        marks = {name.rpartition("/")[2]: mark.value for name, mark in store.list_marks("").items()}
    assert marks.pop("total") == 5
    assert marks.pop("turn") >= 1
    assert len(marks) == 2, "one by the file's name, one by what it begins with"


def test_golden_directories_stay_small() -> None:
    assert NAMES
    for name in NAMES:
        files = (HERE / f"{name}.tar.xz", HERE / f"{name}.json.xz")
        assert sum(file.stat().st_size for file in files) < MOST_BYTES, name


def find_newest_ns(data: Path) -> int:
    """Return the time of the last commit."""
    newest = max((data / "store" / "_delta_log").glob("*.json"))
    line = json.loads(newest.read_text().splitlines()[0])
    return int(line["commitInfo"]["timestamp"]) * 1_000_000

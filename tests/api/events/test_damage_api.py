"""Damaged blocks over HTTP: answers say what is missing, status and metrics name it, alerts do not pass it over."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.api.signing_in import open_session
from tests.running import RunningService, encode_lines
from tests.store.integrity.damaging import flip

import logboom
from logboom.control.access.users import Role
from logboom.store.block.info import BlockInfo

NOW_S = int(time.time())


@dataclass(frozen=True)
class Damaged:
    """A service with three blocks of two events; the second is damaged."""

    service: RunningService
    first: BlockInfo
    damaged: BlockInfo

    @property
    def warning(self) -> dict[str, object]:
        message = f"2 events of {self.damaged.path} cannot be read, the block is damaged: its checksum is wrong"
        block = self.damaged.path
        return {"code": "damaged_block", "block": block, "events": 2, "message": message}

    def get(self, path: str, **params: str) -> httpx.Response:
        answer = self.service.client.get(path, params=params)
        assert answer.status_code == 200, answer.text
        return answer


def keep(service: RunningService, number: int) -> BlockInfo:
    events = [{"timestamp": NOW_S - 60 + number, "n": number, "even": n} for n in range(2)]
    service.keep(encode_lines(events), {"index": "web"})
    blocks = service.store.snapshot().list_blocks("default")
    return max(blocks, key=lambda info: info.first_ns)


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Damaged]:
    with RunningService(tmp_path_factory.mktemp("damaged")) as service:
        first, second, _ = (keep(service, number) for number in range(3))
        flip(Path(service.store.objects.locate(second.path)), 50)
        yield Damaged(service, first, second)


def test_a_search_is_not_complete(damaged: Damaged) -> None:
    answer = damaged.service.search("even:0 n:*")
    assert [row["n"] for row in answer["rows"]] == [2, 0]
    assert answer["complete"] is False
    assert answer["warnings"] == [damaged.warning]


def test_a_histogram_is_not_complete(damaged: Damaged) -> None:
    answer = damaged.service.client.post("/api/histogram", json={"query": "even<5"}).json()
    assert sum(bucket["count"] for bucket in answer["buckets"]) == 4
    assert answer["complete"] is False
    assert answer["warnings"] == [damaged.warning]


def test_a_difference_is_not_complete(damaged: Damaged) -> None:
    wanted = {"query": "even<5", "filter": "n:2"}
    answer = damaged.service.client.post("/api/difference", json=wanted).json()
    assert answer["complete"] is False
    assert answer["warnings"] == [damaged.warning]


@pytest.mark.parametrize("path", ["/api/fields", "/api/fields/n/values"])
def test_lists_say_so_in_their_headers(damaged: Damaged, path: str) -> None:
    answer = damaged.get(path, query="even<5")
    assert answer.headers["X-Complete"] == "false"
    assert json.loads(answer.headers["X-Warnings"]) == [damaged.warning]
    whole = damaged.get(path, query="n:2")
    assert "X-Complete" not in whole.headers
    assert "X-Warnings" not in whole.headers


def test_context_is_not_complete(damaged: Damaged) -> None:
    row, *_ = damaged.service.search("n:2")["rows"]
    answer = damaged.get("/api/context", id=row["_id"]).json()
    assert answer["complete"] is False
    assert answer["warnings"] == [damaged.warning]
    assert len(answer["rows"]) == 4


def test_an_export_ends_with_the_error(damaged: Damaged) -> None:
    *rows, last = damaged.get("/api/export", query="even<5").text.splitlines()
    assert [json.loads(row)["n"] for row in rows] == [2, 2, 0, 0]
    error = json.loads(last)["error"]
    assert (error["code"], error["warnings"]) == ("unavailable", [damaged.warning])


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_other_exports_break_off_after_the_last_row(damaged: Damaged, format: str) -> None:
    params = {"query": "even<5", "format": format, "columns": "n"}
    received = bytearray()
    with (
        damaged.service.client.stream("GET", "/api/export", params=params) as answer,
        pytest.raises(httpx.RemoteProtocolError),
    ):
        received.extend(b"".join(collect(answer, received)))
    end = b"2\r\n2\r\n0\r\n0\r\n" if format == "csv" else b"PAR1"
    assert received.endswith(end)


def collect(answer: httpx.Response, received: bytearray) -> Iterator[bytes]:
    for piece in answer.iter_bytes():
        received += piece
        yield b""


def test_a_tail_warns_and_goes_on(damaged: Damaged) -> None:
    messages: list[dict[str, Any]] = []
    params = {"query": "even<5", "after": Path(damaged.first.path).stem}
    with damaged.service.client.stream("GET", "/api/tail", params=params) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: "):
                messages.append(json.loads(line.removeprefix("data: ")))
            elif line == "event: warning":
                messages.append({"event": "warning"})
            if len(messages) == 4:
                break
    events = [message["n"] for message in messages if "n" in message]
    assert events == [2, 2]
    assert {"event": "warning"} in messages
    assert damaged.warning in messages


def test_status_and_metrics_name_it(damaged: Damaged) -> None:
    damaged.service.search("even<5")
    (found,) = damaged.get("/api/admin/status").json()["store"]["damaged"]
    assert found.pop("found")
    assert found == {
        "block": damaged.damaged.path,
        "env": "default",
        "events": 2,
        "bytes": damaged.damaged.size_bytes,
        "reason": "its checksum is wrong",
    }
    assert "logboom_damaged_blocks 1.0" in damaged.service.client.get("/metrics").text
    set_aside = damaged.get("/api/admin/status").json()["set_aside"]
    assert (set_aside["batches"], set_aside["events"]) == (0, 0)


def test_whoever_sees_no_such_index_learns_nothing(damaged: Damaged) -> None:
    headers = open_session(damaged.service, Role.VIEWER, indexes=("app",))
    answer = damaged.service.client.post("/api/search", json={"query": "even<5"}, headers=headers)
    assert (answer.json()["complete"], answer.json()["warnings"]) == (True, [])
    assert damaged.damaged.path not in answer.text


def make_alert(damaged: Damaged, threshold: int) -> str:
    body = {
        "name": f"more than {threshold}",
        "query": "even<5",
        "operator": "above",
        "threshold": threshold,
        "window_secs": 86_400,
    }
    answer = damaged.service.client.post("/api/alerts", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def test_an_alert_says_that_its_answer_is_not_complete(damaged: Damaged) -> None:
    met, unmet = make_alert(damaged, 3), make_alert(damaged, 5)
    damaged.service.check_alerts()
    states = {each["id"]: each for each in damaged.get("/api/alerts").json()}
    assert states[met]["state"]["status"] == "firing"
    assert states[met]["state"]["value"] == 4
    assert states[unmet]["state"]["status"] == "error"
    for alert in (met, unmet):
        assert damaged.damaged.path in states[alert]["state"]["error"]


def test_the_python_api_says_so(damaged: Damaged) -> None:
    with logboom.open(damaged.service.root) as logs:
        results = logs.search("even<5")
        assert not results.complete
        assert results.warnings == [damaged.warning]
        assert len(results) == 4

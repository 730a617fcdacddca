"""`/api/export`: everything found, as a file."""

import csv
import io
import json
import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest
from tests.running import RunningService, encode_lines
from tests.waiting import poll_until

EVENTS = [
    {"timestamp": 1_700_000_000 + n, "n": n, "level": "a" if n % 2 else "b"} for n in range(9)
]


@pytest.fixture(scope="module")
def filled(service: RunningService) -> str:
    name = "export-api"
    service.control.environments.create(name)
    service.keep(encode_lines(EVENTS), {"env": name})
    return name


def export(service: RunningService, **params: Any) -> httpx.Response:
    answer = service.client.get("/api/export", params=params)
    assert answer.status_code == 200, answer.text
    return answer


def test_ndjson_is_the_default(service: RunningService, filled: str) -> None:
    answer = export(service, env=filled, query="level:a")
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="logboom.ndjson"'
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert rows == service.search("level:a", env=filled)["rows"]


def test_csv_has_a_header(service: RunningService, filled: str) -> None:
    answer = export(service, env=filled, format="csv", columns="n, level", query="n<2")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.text == "n,level\r\n1,a\r\n0,b\r\n"
    everything = export(service, env=filled, format="csv")
    assert len(list(csv.reader(io.StringIO(everything.text)))) == len(EVENTS) + 1


def test_parquet_can_be_read(service: RunningService, filled: str) -> None:
    answer = export(service, env=filled, format="parquet")
    assert answer.headers["Content-Type"] == "application/vnd.apache.parquet"
    frame = pl.read_parquet(io.BytesIO(answer.content))
    assert frame["n:int"].to_list() == [event["n"] for event in reversed(EVENTS)]


def test_raw_events_can_be_had_back(service: RunningService, filled: str) -> None:
    answer = export(service, env=filled, query="n:3", raw="true")
    assert json.loads(json.loads(answer.text)["_raw"]) == EVENTS[3]


def test_a_table_is_exported_as_one(service: RunningService, filled: str) -> None:
    answer = export(service, env=filled, format="csv", query="* | stats count by level")
    assert answer.text == "level,count\r\nb,5\r\na,4\r\n"


@pytest.fixture
def damaged(start_service: Callable[..., RunningService]) -> RunningService:
    """Two blocks, the older of which is gone, though what finds its event is still in memory."""
    service = start_service()
    many = [{"timestamp": 1_700_000_000 + n, "n": n} for n in range(3000)]
    service.keep(encode_lines([{"timestamp": 1_600_000_000, "n": -1}]))
    service.keep(encode_lines(many))
    # Events that are exported as they came in are not remembered.
    first = service.client.get("/api/export", params={"query": "n:-1", "raw": "true"})
    assert json.loads(first.text)["n"] == -1
    shutil.rmtree(service.root / "store" / "blocks" / "2020-09-13")
    return service


def test_an_error_on_the_way_is_the_last_line(damaged: RunningService) -> None:
    with damaged.client.stream("GET", "/api/export", params={"query": "n:*"}) as answer:
        lines = list(answer.iter_lines())
    assert answer.status_code == 200
    assert len(lines) == 3000 + 1
    assert json.loads(lines[-2])["n"] == 0
    assert json.loads(lines[-1])["error"]["code"] == "unavailable"


def test_an_error_on_the_way_breaks_other_formats_off(damaged: RunningService) -> None:
    params = {"query": "n:*", "format": "csv", "columns": "n"}
    with damaged.client.stream("GET", "/api/export", params=params) as answer:
        assert answer.status_code == 200
        with pytest.raises(httpx.RemoteProtocolError):
            answer.read()


def test_nothing_is_left_behind_when_the_client_goes(
    service: RunningService, env: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    noise = [random.Random(seed).randbytes(100_000).hex() for seed in range(100)]
    service.keep(encode_lines({"noise": text} for text in noise), {"env": env})
    params = {"env": env, "format": "parquet"}
    with service.client.stream("GET", "/api/export", params=params) as answer:
        next(answer.iter_raw(100))
        assert list(tmp_path.iterdir()), "more than fits on the way is still to be sent"
    poll_until(lambda: not list(tmp_path.iterdir()), "temporary files to go")

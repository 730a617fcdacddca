"""`/api/histogram`: the contract of the request and of the answer."""

from typing import Any

import pytest
from tests.running import RunningService, encode_lines
from tests.together import together

EVENTS = [
    {"timestamp": f"2024-05-01T10:0{minute}:00Z", "level": level}
    for minute, level in [(0, "info"), (0, "error"), (2, "info"), (3, None)]
]


@pytest.fixture(scope="module")
def filled(service: RunningService) -> str:
    name = "histogram-api"
    service.control.environments.create(name)
    service.keep(encode_lines(EVENTS), {"env": name})
    return name


def ask(service: RunningService, env: str, **options: object) -> dict[str, Any]:
    answer = service.client.post("/api/histogram", json={"env": env, **options})
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


def test_an_answer_has_the_documented_members(service: RunningService, filled: str) -> None:
    answer = ask(service, filled, interval="1m", by="level")
    assert list(answer) == ["interval", "buckets", "complete", "warnings"]
    assert answer == {
        "interval": "1m",
        "buckets": [
            {"time": "2024-05-01T10:00:00Z", "count": 2, "by": {"info": 1, "error": 1}},
            {"time": "2024-05-01T10:01:00Z", "count": 0, "by": {}},
            {"time": "2024-05-01T10:02:00Z", "count": 1, "by": {"info": 1}},
            {"time": "2024-05-01T10:03:00Z", "count": 1, "by": {"null": 1}},
        ],
        "complete": True,
        "warnings": [],
    }


def test_without_a_field_there_is_no_split(service: RunningService, filled: str) -> None:
    answer = ask(service, filled, buckets=2, query="level:info")
    assert answer["interval"] == "5m"
    assert answer["buckets"] == [{"time": "2024-05-01T10:00:00Z", "count": 2}]


def test_an_address_asks_the_same(service: RunningService, filled: str) -> None:
    params: dict[str, Any] = {
        "env": filled,
        "query": "level:*",
        "from": "2024-05-01T10:00:00Z",
        "to": "2024-05-01T10:02:00Z",
        "buckets": "60",
    }
    answer = service.client.get("/api/histogram", params=params)
    assert answer.json() == ask(service, **{**params, "buckets": 60})
    assert answer.json()["interval"] == "5s"
    assert len(answer.json()["buckets"]) == 24


def test_what_the_query_met_is_told(service: RunningService, filled: str) -> None:
    answer = ask(service, filled, query="levle:error")
    assert [warning["code"] for warning in answer["warnings"]] == ["unknown_field"]


@together("interval", ["", "1", "m", "0s", "-1m", "1m 1s", "5KB", "0.1ns", "1y"])
def test_an_interval_that_is_none_is_refused(
    service: RunningService, filled: str, interval: str
) -> None:
    answer = service.client.post("/api/histogram", json={"env": filled, "interval": interval})
    assert answer.status_code == 400
    assert "expected one such as 30s, 5m or 1h" in answer.json()["error"]["message"]


def test_days_follow_the_time_zone(service: RunningService, filled: str) -> None:
    answer = ask(service, filled, interval="1d", timezone="Asia/Kathmandu")
    assert [bucket["time"] for bucket in answer["buckets"]] == ["2024-04-30T18:15:00Z"]

"""The filter beside the query."""

import pytest
from tests.running import RunningService, encode_lines
from tests.together import together

from logboom.lang.format import format_query
from logboom.lang.parse import parse
from logboom.lang.reading import read_query

EVENTS = [
    {"message": "paid", "level": "info", "service": "pay"},
    {"message": "refused", "level": "error", "service": "pay"},
    {"message": "refused", "level": "error", "service": "cart"},
]


def know_nothing(_: str) -> bool:
    return False


@pytest.fixture
def filled(service: RunningService, env: str) -> str:
    service.ingest(encode_lines(EVENTS), {"env": env})
    service.flush()
    return env


@together(
    ("query", "filter_", "joined"),
    [
        ("", "level:error", "level:error"),
        ("a OR b", "", "a OR b"),
        ("a OR b", "(x:1) AND (NOT y:2)", "x:1 NOT y:2 (a OR b)"),
        ("a | stats count", "b OR c", "(b OR c) a | stats count"),
        ("| stats count by f", " ", "* | stats count by f"),
        ("", "*", "*"),
    ],
)
def test_events_must_match_both(query: str, filter_: str, joined: str) -> None:
    read = read_query(query, filter_).query
    assert read == parse(joined)
    assert parse(format_query(read)) == read


def test_it_counts_wherever_events_are_read(service: RunningService, filled: str) -> None:
    scope = {"env": filled, "query": "refused", "filter": '(service:="pay") AND (level:error)'}
    answer = service.client.post("/api/search", json=scope | {"count": True}).json()
    assert answer["total"] == 1
    assert answer["query"] == "service:=pay level:error refused"
    bars = service.client.post("/api/histogram", json=scope).json()
    assert sum(bar["count"] for bar in bars["buckets"]) == 1
    fields = service.client.get("/api/fields", params=scope).json()
    assert {field["name"]: field["count"] for field in fields}["service"] == 1
    values = service.client.get("/api/fields/service/values", params=scope).json()
    assert values == [{"value": "pay", "count": 1}]
    lines = service.client.get("/api/export", params=scope).text.splitlines()
    assert len(lines) == 1


@pytest.mark.parametrize("filter_", ["level:", "a | stats count", "(a"])
def test_what_is_wrong_with_it_is_said_of_it(
    service: RunningService, filled: str, filter_: str
) -> None:
    scope = {"env": filled, "filter": filter_}
    for answer in (
        service.client.post("/api/search", json=scope),
        service.client.get("/api/tail", params=scope),
    ):
        assert answer.status_code == 400
        assert answer.json()["error"]["field"] == "filter"
        assert answer.json()["error"]["end"] <= len(filter_) + 1

"""`/api/search`: the contract of the request and of the answer."""

import base64
import json
from typing import Any

import pytest
from tests.running import RunningService, encode_lines
from tests.together import together

EVENTS: list[dict[str, Any]] = [
    {
        "timestamp": f"2024-05-0{day}T10:00:00Z",
        "message": f"event {day}",
        "Level": "info" if day % 2 else "error",
        "http": {"status": 200 + day},
        "tags": ["a", f"day{day}"],
    }
    for day in range(1, 6)
]
KEYS = [
    *("type", "columns", "rows", "cursor", "complete", "warnings", "query", "took_ms", "stats"),
]
COST_KEYS = ["blocks", "blocks_skipped", "rows_scanned", "bytes_read"]


@pytest.fixture(scope="module")
def filled(service: RunningService) -> str:
    """An environment with five events, one a day, in two indexes."""
    name = "search-api"
    service.control.environments.create(name)
    service.ingest(encode_lines(EVENTS[:3]), {"env": name, "index": "web-1"})
    service.keep(encode_lines(EVENTS[3:]), {"env": name, "index": "db"})
    return name


def test_an_answer_of_events_has_the_documented_keys_in_order(
    service: RunningService, filled: str
) -> None:
    answer = service.search("event", env=filled)
    assert list(answer) == KEYS
    assert list(answer["stats"]) == COST_KEYS
    assert answer["type"] == "events"
    assert answer["columns"] == [
        *("_time", "_id", "_env", "_index", "message", "Level", "http.status", "tags"),
    ]
    assert answer["complete"] is True
    assert answer["warnings"] == []
    assert answer["cursor"] is None
    assert answer["query"] == "event"
    row = answer["rows"][0]
    assert row == {
        "_time": "2024-05-05T10:00:00Z",
        "_id": row["_id"],
        "_env": filled,
        "_index": "db",
        "message": "event 5",
        "Level": "info",
        "http.status": 205,
        "tags": ["a", "day5"],
    }
    assert list(row)[:4] == ["_time", "_id", "_env", "_index"]
    assert len({each["_id"] for each in answer["rows"]}) == 5


def test_an_answer_with_a_table_has_the_same_keys(service: RunningService, filled: str) -> None:
    answer = service.search("event | stats count by level, http.status", env=filled, limit=1)
    assert list(answer) == KEYS
    assert answer["type"] == "table"
    assert answer["columns"] == ["level", "http.status", "count"]
    assert len(answer["rows"]) == 5, "the limit pages events, not tables"
    assert answer["rows"][0] == {"level": "error", "http.status": 202, "count": 1}
    assert answer["query"] == "event | stats count by level, http.status"
    by_level = service.search("* | stats count as n by level", env=filled)["rows"]
    assert by_level == [{"level": "info", "n": 3}, {"level": "error", "n": 2}]


def test_a_total_only_when_it_is_asked_for(service: RunningService, filled: str) -> None:
    answer = service.search("level:info", env=filled, limit=1, count=True)
    assert list(answer) == [*KEYS[:4], "total", *KEYS[4:]]
    assert answer["total"] == 3
    assert len(answer["rows"]) == 1
    assert service.search("* | stats count by level", env=filled, count=True)["total"] == 2


def test_raw_gives_the_event_as_it_came(service: RunningService, filled: str) -> None:
    rows = service.search("", env=filled, raw=True)["rows"]
    assert [json.loads(row["_raw"]) for row in rows] == EVENTS[::-1]
    assert all(list(row)[-1] == "_raw" for row in rows)
    assert all("_raw" not in row for row in service.search("", env=filled)["rows"])


def test_cursors_lead_through_everything_once(service: RunningService, filled: str) -> None:
    pages = list(service.list_pages("", env=filled, limit=2))
    assert [len(page) for page in pages] == [2, 2, 1]
    messages = [row["message"] for page in pages for row in page]
    assert messages == [f"event {day}" for day in (5, 4, 3, 2, 1)]
    assert [len(page) for page in service.list_pages("", env=filled, limit=5)] == [5, 0]


@pytest.mark.parametrize(("limit", "found"), [(0, 0), (1, 1), (4, 4), (100, 5), (10_000, 5)])
def test_limits_within_bounds(service: RunningService, filled: str, limit: int, found: int) -> None:
    assert len(service.search("", env=filled, limit=limit)["rows"]) == found


@together(
    ("index", "found"),
    [
        ("*", 5),
        ("web-1", 3),
        ("WEB-1", 3),
        ("web-*", 3),
        ("web-?", 3),
        ("db, web-*", 5),
        ("db,nothing", 2),
        ("d", 0),
        ("[w]eb-1", 0),
    ],
)
def test_indexes_by_name_list_and_glob(
    service: RunningService, filled: str, index: str, found: int
) -> None:
    assert service.count(env=filled, index=index) == found


def test_get_takes_the_same_names(service: RunningService, filled: str) -> None:
    params = {
        "query": "level:info",
        "env": filled,
        "index": "web-*",
        "from": "2024-05-01",
        "to": "2024-05-03T10:00:00Z",
        "limit": "10",
        "count": "true",
        "raw": "true",
        "timezone": "UTC",
    }
    by_address = service.client.get("/api/search", params=params).json()
    assert [row["message"] for row in by_address["rows"]] == ["event 1"]
    assert by_address["total"] == 1
    assert "_raw" in by_address["rows"][0]
    first = service.client.get("/api/search", params={"env": filled, "limit": "2"}).json()
    second = service.client.get(
        "/api/search", params={"env": filled, "limit": "2", "cursor": first["cursor"]}
    ).json()
    assert [row["message"] for row in second["rows"]] == ["event 3", "event 2"]


def test_what_is_left_out_has_its_default(service: RunningService) -> None:
    for answer in (
        service.client.post("/api/search", json={}),
        service.client.get("/api/search"),
    ):
        assert answer.status_code == 200
        assert answer.json()["query"] == "*"
        assert all(row["_env"] == "default" for row in answer.json()["rows"])


BAD_BODIES: dict[str, Any] = {
    "limit too large": {"limit": 10_001},
    "limit below zero": {"limit": -1},
    "limit text": {"limit": "ten"},
    "limit fraction": {"limit": 1.5},
    "limit huge": {"limit": 10**30},
    "unknown field": {"sort": "asc"},
    "query a number": {"query": 1},
    "query null": {"query": None},
    "from a list": {"from": []},
    "from a boolean": {"from": True},
    "from nonsense": {"from": "someday"},
    "from empty": {"from": ""},
    "to nonsense": {"to": "5m"},
    "to huge": {"to": 1e300},
    "cursor garbage": {"cursor": "garbage"},
    "cursor of another shape": {"cursor": base64.b64encode(b"\x93\x01\x02\x03").decode()},
    "index empty": {"index": ""},
    "index blanks": {"index": " , "},
    "count text": {"count": "yes"},
    "timezone unknown": {"timezone": "Mars/Olympus"},
    "timezone path": {"timezone": "../../etc/passwd"},
    "timezone folder": {"timezone": "Europe"},
    "timezone empty": {"timezone": ""},
    "environment unknown": {"env": "nowhere"},
    "array": [],
    "text": "query",
    "query unclosed": {"query": '"open'},
    "query too long": {"query": "x" * 70_000},
    "query deep": {"query": "(" * 5_000},
    "query surrogate": {"query": "\ud800"},
}


@together("name", BAD_BODIES)
def test_a_bad_request_is_a_400_that_says_why(service: RunningService, name: str) -> None:
    answer = service.client.post("/api/search", content=json.dumps(BAD_BODIES[name]))
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "invalid"
    assert error["message"]


@pytest.mark.parametrize(
    "body", [b"{", b"null", b"\xff", b'{"query":"\xff"}', b'{"query":' + b"[" * 50_000]
)
def test_a_body_that_is_no_json_object_is_a_400(service: RunningService, body: bytes) -> None:
    answer = service.client.post("/api/search", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid"


def test_a_huge_body_is_a_413(service: RunningService) -> None:
    answer = service.client.post("/api/search", content=b" " * 1_000_000)
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "too_large"


@together(
    "query", ["limit=x", "limit=10001", "sort=asc", "limit=1&limit=2", "count=maybe", "env=nowhere"]
)
def test_bad_parameters_are_a_400(service: RunningService, query: str) -> None:
    answer = service.client.get(f"/api/search?{query}")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid"


def test_an_unknown_environment_is_named(service: RunningService) -> None:
    answer = service.client.post("/api/search", json={"env": "nowhere"})
    assert "unknown environment" in answer.json()["error"]["message"]


def test_a_query_error_has_its_place_and_a_way_out_inside_the_error(
    service: RunningService,
) -> None:
    answer = service.client.post("/api/search", json={"query": "error | statz count"})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert "stats" in error.pop("expected")
    assert error == {
        "code": "invalid",
        "message": 'col 9: unknown pipe "statz", did you mean "stats"?',
        "start": 8,
        "end": 13,
        "suggestion": "error | stats count",
    }


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_searching_needs_a_session(service: RunningService, method: str) -> None:
    body = None if method == "GET" else {"query": ""}
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        answer = service.anonymous.request(method, "/api/search", json=body, headers=headers)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert answer.json()["error"]["code"] == "unauthenticated"


def test_admins_may_search_the_services_own_environment(service: RunningService) -> None:
    assert service.search("", env="_system")["rows"] == []
    answer = service.client.post("/api/search", json={"env": "_other"})
    assert answer.status_code == 400


def test_the_canonical_form_of_a_query_finds_the_same(service: RunningService, filled: str) -> None:
    for query in ("LEVEL = info -event5", "  event  AND tags:day* ", "| stats count() by Level"):
        first = service.search(query, env=filled)
        again = service.search(first["query"], env=filled)
        assert again["query"] == first["query"]
        assert again["rows"] == first["rows"]


def test_large_numbers_come_back_as_they_went_in(service: RunningService, env: str) -> None:
    event = {"big": 2**70, "edge": 2**63, "low": -(2**63), "small": 5e-324, "fraction": 0.1}
    service.keep(encode_lines([event]), {"env": env})
    (row,) = service.search("", env=env)["rows"]
    assert {name: row[name] for name in event} == event

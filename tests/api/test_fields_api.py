"""`/api/fields` and the values of one field."""

from typing import Any
from urllib.parse import quote

import pytest
from tests.running import RunningService, encode_lines

EVENTS: list[dict[str, Any]] = [
    {"timestamp": 1_700_000_000, "level": "error", "code": 1, "a/b": "x"},
    {"timestamp": 1_700_000_001, "level": "info", "code": "1"},
    {"timestamp": 1_700_000_002, "level": "info", "code": 1.0, "message": "hello"},
]


@pytest.fixture(scope="module")
def filled(service: RunningService) -> str:
    name = "fields-api"
    service.control.environments.create(name)
    service.keep(encode_lines(EVENTS), {"env": name})
    return name


def ask(service: RunningService, path: str, **params: str) -> Any:
    answer = service.client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_fields_have_the_documented_members(service: RunningService, filled: str) -> None:
    assert ask(service, "/api/fields", env=filled) == [
        {
            "name": "_index",
            "count": 3,
            "types": {"str": 3},
            "distinct": 1,
            "top": [{"value": "default", "count": 3}],
        },
        {
            "name": "code",
            "count": 3,
            "types": {"str": 1, "int": 1, "float": 1},
            "distinct": 2,
            "top": [{"value": 1, "count": 2}, {"value": "1", "count": 1}],
        },
        {
            "name": "level",
            "count": 3,
            "types": {"str": 3},
            "distinct": 2,
            "top": [{"value": "info", "count": 2}, {"value": "error", "count": 1}],
        },
        {
            "name": "a/b",
            "count": 1,
            "types": {"str": 1},
            "distinct": 1,
            "top": [{"value": "x", "count": 1}],
        },
        {"name": "message", "count": 1, "types": {"str": 1}, "distinct": None, "top": []},
    ]


def test_a_query_and_a_range_choose_the_events(service: RunningService, filled: str) -> None:
    found = ask(service, "/api/fields", env=filled, query="level:info", to="1700000002")
    assert {each["name"]: each["count"] for each in found} == {"_index": 1, "code": 1, "level": 1}


def test_values_come_most_frequent_first(service: RunningService, filled: str) -> None:
    assert ask(service, "/api/fields/LEVEL/values", env=filled) == [
        {"value": "info", "count": 2},
        {"value": "error", "count": 1},
    ]
    assert ask(service, "/api/fields/code/values", env=filled, limit="1") == [
        {"value": 1, "count": 2}
    ]
    found = ask(service, "/api/fields/level/values", env=filled, prefix="ER", query="code:1")
    assert found == [{"value": "error", "count": 1}]
    assert ask(service, "/api/fields/message/values", env=filled) == [
        {"value": "hello", "count": 1}
    ]
    assert ask(service, "/api/fields/nothing/values", env=filled) == []


def test_a_slash_in_a_name_is_encoded_twice(service: RunningService, filled: str) -> None:
    name = quote(quote("a/b", safe=""), safe="")
    assert ask(service, f"/api/fields/{name}/values", env=filled) == [{"value": "x", "count": 1}]


def test_a_table_has_no_fields_of_events(service: RunningService, filled: str) -> None:
    for path in ("/api/fields", "/api/fields/level/values"):
        answer = service.client.get(path, params={"env": filled, "query": "* | stats count"})
        assert answer.status_code == 400
        assert "stats needs all of them" in answer.json()["error"]["message"]

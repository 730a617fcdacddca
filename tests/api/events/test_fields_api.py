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


@pytest.fixture(scope="module")
def many(service: RunningService) -> str:
    """2,500 fields in two blocks, one of which has no columns for some of them."""
    name = "fields-many"
    service.control.environments.create(name)
    for start, width in ((0, 400), (400, 2100)):
        fields = [f"f{number}" for number in range(start, start + width)]
        events = [
            {"timestamp": 1_700_000_000, "kind": "odd", **dict.fromkeys(fields[1::2], 1)},
            {"timestamp": 1_700_000_001, "kind": "even", **dict.fromkeys(fields[::2], 2)},
        ]
        service.keep(encode_lines(events), {"env": name})
    return name


def list_pages(service: RunningService, **params: str) -> list[list[Any]]:
    pages = []
    offset: str | None = "0"
    while offset is not None:
        answer = service.client.get("/api/fields", params={**params, "offset": offset})
        assert answer.status_code == 200, answer.text
        pages.append(answer.json())
        offset = answer.headers.get("X-Next-Offset")
    return pages


def test_pages_have_every_field_once(service: RunningService, many: str) -> None:
    pages = list_pages(service, env=many)
    assert [len(page) for page in pages] == [1000, 1000, 502]
    assert [each["name"] for each in pages[0][:2]] == ["_index", "kind"]
    found = {each["name"]: each for page in pages for each in page}
    assert found.keys() == {"_index", "kind", *(f"f{number}" for number in range(2500))}
    assert found["f2499"] == {
        "name": "f2499",
        "count": 1,
        "types": {"int": 1},
        "distinct": 1,
        "top": [{"value": 1, "count": 1}],
    }
    assert list_pages(service, env=many, limit="3000") == [
        [each for page in pages for each in page]
    ]


def test_pages_of_a_filter_have_what_its_events_have(service: RunningService, many: str) -> None:
    pages = list_pages(service, env=many, query="kind:even", limit="700")
    names = {each["name"] for page in pages for each in page}
    assert names == {"_index", "kind", *(f"f{number}" for number in range(0, 2500, 2))}
    assert all(each["top"][0]["value"] in (2, "even", "default") for page in pages for each in page)


def test_names_come_without_counts(service: RunningService, many: str) -> None:
    (names,) = list_pages(service, env=many, counts="false")
    assert {each["name"] for each in names} == {"_index", "kind", *(f"f{n}" for n in range(2500))}
    assert all(each.keys() == {"name"} for each in names)
    assert ask(service, "/api/fields", env=many, counts="false", limit="2") == names[:2]


def test_fields_are_found_by_a_part_of_their_names(service: RunningService, many: str) -> None:
    found = ask(service, "/api/fields", env=many, contains="F249")
    assert {each["name"] for each in found} == {"f249", *(f"f{n}" for n in range(2490, 2500))}
    assert ask(service, "/api/fields", env=many, contains="nowhere") == []
    named = ask(service, "/api/fields", env=many, names="KIND, f2499,none")
    assert {each["name"]: each["count"] for each in named} == {"kind": 4, "f2499": 1}


def test_fields_that_pipes_make_are_listed_too(service: RunningService, many: str) -> None:
    found = ask(service, "/api/fields", env=many, query="* | eval made=1", contains="made")
    assert [(each["name"], each["count"]) for each in found] == [("made", 4)]
    named = ask(service, "/api/fields", env=many, query="* | eval made=1", counts="false")
    assert {"name": "made"} in named


@pytest.mark.parametrize("params", [{"limit": "0"}, {"limit": "100001"}, {"offset": "-1"}])
def test_pages_out_of_bounds_are_refused(service: RunningService, params: dict[str, str]) -> None:
    assert service.client.get("/api/fields", params=params).status_code == 400

"""`/api/query`: how a query is read, and what may be typed next."""

from typing import Any

import pytest
from tests.running import RunningService, encode_lines


@pytest.fixture(scope="module")
def filled(service: RunningService) -> str:
    name = "query-api"
    service.control.environments.create(name)
    events = [{"level": "error", "n": 1}, {"level": "info"}, {"level": "info"}]
    service.keep(encode_lines(events), {"env": name})
    return name


def test_a_query_is_shown_as_it_was_read(service: RunningService) -> None:
    body = {"query": "level=error | head 5"}
    answer = service.client.post("/api/query/parse", json=body)
    assert answer.status_code == 200
    assert answer.json() == {
        "query": "level:error | limit 5",
        "ast": {
            "type": "Query",
            "filter": {"type": "Match", "field": "level", "pattern": "error"},
            "pipes": [{"type": "Limit", "count": 5}],
        },
        "notices": [],
    }


def test_another_reading_is_offered(service: RunningService) -> None:
    answer = service.client.post("/api/query/parse", json={"query": "a OR b c"}).json()
    (notice,) = answer["notices"]
    assert notice["code"] == "mixed_and_or"
    assert notice["read_as"] == "a OR (b AND c)"


def test_known_fields_decide_what_a_colon_means(service: RunningService, filled: str) -> None:
    for env, query in ((filled, "level:error"), ("default", "level: error")):
        body = {"query": "level: error", "env": env}
        answer = service.client.post("/api/query/parse", json=body).json()
        assert (answer["query"] == query) == (env == filled), answer


def test_a_query_that_cannot_be_read_says_why(service: RunningService) -> None:
    answer = service.client.post("/api/query/parse", json={"query": "error | stat count"})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["suggestion"] == "error | stats count"
    assert (error["start"], error["end"]) == (8, 12)


def complete(service: RunningService, **params: Any) -> list[dict[str, str]]:
    answer = service.client.get("/api/query/complete", params=params)
    assert answer.status_code == 200, answer.text
    content: list[dict[str, str]] = answer.json()
    return content


def test_suggestions_fit_the_place_of_the_cursor(service: RunningService, filled: str) -> None:
    assert complete(service, q="lev", env=filled) == [
        {"text": "level", "kind": "field", "detail": "str, 3 events"}
    ]
    assert complete(service, q="level: x", pos=6, env=filled) == [
        {"text": "info", "kind": "value", "detail": "2 events"},
        {"text": "error", "kind": "value", "detail": "1 event"},
    ]
    assert complete(service, q="level:", env=filled, **{"from": "2099-01-01T00:00:00Z"}) == []
    assert {each["kind"] for each in complete(service, q="* | ", env=filled)} == {"pipe"}
    assert {each["kind"] for each in complete(service, q="* | stats ", env=filled)} == {"function"}
    assert {each["kind"] for each in complete(service, env=filled)} == {"field", "keyword"}


@pytest.mark.parametrize("query", ['"', "|||", "a:b:c:", "(((", "💥", "x" * 5000, "\x00"])
@pytest.mark.parametrize("position", [-1, 0, 3, 10**9])
def test_nothing_typed_is_an_error(
    service: RunningService, filled: str, query: str, position: int
) -> None:
    complete(service, q=query, pos=position, env=filled)

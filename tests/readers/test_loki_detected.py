"""What the Loki API detects in lines: fields, labels and patterns."""

import json
from typing import Any

import pytest
from tests.readers.loki import FIRST_S, START_NS, LokiClient
from tests.running import RunningService

from logboom.readers.loki import detected


@pytest.fixture(scope="module")
def client(service: RunningService) -> LokiClient:
    service.control.environments.create("loki-detected")
    client = LokiClient(service, "loki-detected")
    web = [
        [
            str(START_NS + place * 10**9),
            f"request {place} took {place * 7}ms",
            {"trace": f"t{place}"},
        ]
        for place in range(30)
    ]
    shop = [[str(START_NS), '{"message":"sold","price":1.5,"count":3,"http":{"ok":true}}']]
    client.push(
        ({"app": "web", "level": "info"}, web),
        ({"app": "web", "level": "error"}, [[str(START_NS), "cannot connect to 10.0.0.1"]]),
        ({"app": "shop"}, shop),
    )
    return client


def list_fields(client: LokiClient, **parameters: Any) -> dict[str, tuple[str, int]]:
    answer = client.get("detected_fields", **parameters).json()
    assert all(each["parsers"] is None for each in answer["fields"])
    return {each["label"]: (each["type"], each["cardinality"]) for each in answer["fields"]}


def test_fields_are_all_but_labels_and_lines(client: LokiClient) -> None:
    assert list_fields(client) == {
        "trace": ("string", 30),
        "count": ("int", 1),
        "http_ok": ("boolean", 1),
        "price": ("float", 1),
    }
    assert list(list_fields(client, limit=1)) == ["trace"]
    assert list(list_fields(client, query='{app="shop", count=~".+"}')) == ["http_ok", "price"]
    assert list_fields(client, query='{app="nothing"}') == {}


def test_the_newest_lines_tell_of_fields(client: LokiClient) -> None:
    found = list_fields(client, query='{app="web"}', line_limit=5)
    assert found == {"trace": ("string", 5)}
    values = client.get("detected_field/trace/values", query='{app="web"}', line_limit=2).json()
    assert values["values"] == ["t28", "t29"]
    assert client.get("detected_fields", line_limit=6000).status_code == 400


def test_types_are_those_of_most_values(service: RunningService, env: str) -> None:
    client = LokiClient(service, env)
    values: dict[str, list[object]] = {
        "took": ["15ms", "1h2.5s", "3us"],
        "size": ["1KB", "2.5MiB", "10b"],
        "mixed": ["15ms", "1KB", "x"],
        "count": [1, 2, "three"],
        "share": [0.5, 0.25, 0.125],
        "done": [True, 1, True],
        "tags": [["a", "b"], ["b"], []],
        "names": [{"first": "a"}, {"first": "b"}, {}],
        "odd": [[{"x": 1}, "1ms"], [["y"]], "z"],
    }
    lines = [json.dumps({name: each[at] for name, each in values.items()}) for at in range(3)]
    client.push(({"app": "web"}, [[str(START_NS + at), line] for at, line in enumerate(lines)]))
    assert list_fields(client) == {
        "took": ("duration", 3),
        "size": ("bytes", 3),
        "mixed": ("string", 3),
        "count": ("int", 3),
        "share": ("float", 3),
        "done": ("boolean", 2),
        "tags": ("string", 2),
        "names_first": ("string", 2),
        "odd": ("string", 3),
        "odd_x": ("int", 1),
    }


def test_values_of_a_field_are_listed(client: LokiClient) -> None:
    values = client.get("detected_field/trace/values", limit=3).json()
    assert values == {"values": ["t0", "t1", "t10"], "limit": 3}
    ok = client.get("detected_field/http_ok/values", query='{app="shop"}').json()
    assert ok["values"] == ["true"]
    assert client.get("detected_field/nothing/values").json()["values"] == []


def test_labels_have_as_many_values_as_there_are(client: LokiClient) -> None:
    found = client.get("detected_labels").json()["detectedLabels"]
    assert found == [
        {"label": "app", "cardinality": 2},
        {"label": "index", "cardinality": 1},
        {"label": "level", "cardinality": 2},
    ]
    of_shop = client.get("detected_labels", query='{price=~".+"}').json()["detectedLabels"]
    assert [each["label"] for each in of_shop] == ["app", "index", "price"]


def test_patterns_are_counted_at_each_step(client: LokiClient) -> None:
    found = client.read("patterns", query='{app="web"}', step="10s")
    assert [each["pattern"] for each in found] == [
        "request <_> took <_>",
        "cannot connect to <_>",
    ]
    assert found[0]["samples"] == [[FIRST_S, 10], [FIRST_S + 10, 10], [FIRST_S + 20, 10]]
    lines = client.list_entries(f'{{app="web"}} |> "{found[0]["pattern"]}"')
    assert len(lines) == 30
    coarse = client.read("patterns", query="{}", start=FIRST_S, end=FIRST_S + 100, step="1000")
    assert sum(count for each in coarse for _, count in each["samples"]) == 32
    assert client.read("patterns", query='{app="nothing"}') == []


def test_patterns_of_many_lines_are_estimated(
    service: RunningService, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detected, "MAX_LINES", 500)
    client = LokiClient(service, env)
    lines = [[str(START_NS + at), f"request {at} done"] for at in range(2000)]
    client.push(({"app": "web"}, lines), ({"app": "db"}, [[str(START_NS), "started"]]))
    [found] = client.read("patterns", query='{app="web"} |= "request"', step="10s")
    assert found["pattern"] == "request <_> done"
    [[time, count]] = found["samples"]
    assert (time, count % 4) == (FIRST_S, 0)
    assert 1500 <= count <= 2500, "five standard deviations"
    [exact] = client.read("patterns", query='{app="db"}')
    assert exact["samples"][0][1] == 1


def test_a_query_is_formatted_if_it_is_valid(client: LokiClient) -> None:
    for query in ('{app="web"} |= "x"', 'sum by (app) (rate({app="web"}[5m]))'):
        assert client.read("format_query", query=query) == query
    assert client.get("format_query", query='{app="web"').status_code == 400
    assert client.get("format_query", query="sum(").status_code == 400

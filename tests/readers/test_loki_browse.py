"""What the Loki API tells of labels, values, series and sizes."""

from pathlib import Path
from typing import Any

import pytest
from tests.readers.loki import START_NS, LokiClient
from tests.running import RunningService

from logboom.base.version import __version__
from logboom.readers.loki.labels import LABEL_FIELDS

STREAMS: list[dict[str, str]] = [
    {"app": "web", "level": "info", "team": "a"},
    {"app": "web", "level": "error", "team": "b"},
    {"app": "db", "host.name": "h1", "team": "a"},
]


@pytest.fixture(scope="module")
def client(service: RunningService) -> LokiClient:
    service.control.environments.create("loki-browse")
    client = LokiClient(service, "loki-browse")
    client.push(
        *(
            (labels, [[str(START_NS + place), f"line {place}"] for place in range(3)])
            for labels in STREAMS
        )
    )
    return client


@pytest.mark.parametrize("path", ["labels", "label"])
def test_labels_are_the_usual_ones_that_events_have(client: LokiClient, path: str) -> None:
    assert client.read(path) == ["app", "host_name", "index", "level"]
    assert client.read(path, query='{team="a"}') == ["app", "host_name", "index", "level", "team"]
    assert client.read(path, start="1", end="2") == []


@pytest.mark.parametrize(
    ("label", "query", "values"),
    [
        ("app", "", ["db", "web"]),
        ("app", '{level=~".+"}', ["web"]),
        ("team", "", ["a", "b"]),
        ("host_name", "", ["h1"]),
        ("host.name", "", ["h1"]),
        ("index", "", ["default"]),
        ("env", "", ["loki-browse"]),
        ("nothing", "", []),
        ("app", '{app="nothing"}', []),
    ],
)
def test_values_are_those_of_the_events(
    client: LokiClient, label: str, query: str, values: list[str]
) -> None:
    assert client.read(f"label/{label}/values", query=query) == values


def show(series: list[dict[str, str]]) -> list[list[tuple[str, str]]]:
    return sorted(sorted(labels.items()) for labels in series)


def test_series_are_combinations_of_labels(client: LokiClient) -> None:
    usual = [
        {"app": "web", "level": "info", "index": "default"},
        {"app": "web", "level": "error", "index": "default"},
        {"app": "db", "host_name": "h1", "index": "default"},
    ]
    assert show(client.read("series")) == show(usual)
    assert show(client.read("series", **{"match[]": ['{app="db"}', '{level="info"}']})) == show(
        [usual[0], usual[2]]
    )
    by_team: Any = client.read("series", **{"match[]": '{team="b"}'})
    assert by_team == [usual[1] | {"team": "b"}]
    assert client.read("series", **{"match[]": '{app="nothing"}'}) == []
    assert client.read("series", start="1", end="2") == []


def test_statistics_count_streams_and_events(client: LokiClient) -> None:
    found = client.get("index/stats", query='{app="web"}').json()
    assert (found["streams"], found["entries"], found["chunks"]) == (2, 6, 1)
    assert found["bytes"] > 0
    nothing = client.get("index/stats", query='{app="nothing"}').json()
    assert (nothing["streams"], nothing["entries"], nothing["bytes"]) == (0, 0, 0)


def test_a_wrong_selector_is_a_line_of_text(client: LokiClient) -> None:
    for path in ("labels", "label/app/values", "series", "index/stats"):
        answer = client.get(path, query="{app=web}")
        assert answer.status_code == 400
        assert answer.text.startswith("col 6: ")


def test_the_build_is_told(client: LokiClient) -> None:
    build = client.get("status/buildinfo").json()
    assert build["version"] == __version__
    assert "goVersion" in build


def test_other_methods_are_refused(client: LokiClient) -> None:
    answer = client.service.client.put("/loki/api/v1/labels")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, POST")


def list_volumes(client: LokiClient, **parameters: str) -> list[tuple[dict[str, str], int]]:
    data = client.read("index/volume", **parameters)
    assert data["resultType"] == "vector"
    return [(each["metric"], int(each["value"][1])) for each in data["result"]]


def test_volumes_are_bytes_by_labels(client: LokiClient) -> None:
    size = 3 * len("line 0")
    assert list_volumes(client, query='{app=~".+"}') == [
        ({"app": "web"}, 2 * size),
        ({"app": "db"}, size),
    ]
    by_team = list_volumes(client, query='{app=~".+"}', targetLabels="team,level")
    assert {(each["team"], each.get("level")): count for each, count in by_team} == {
        ("a", None): size,
        ("a", "info"): size,
        ("b", "error"): size,
    }
    assert list_volumes(client, query="{}", aggregateBy="labels") == [
        ({"app": ""}, 3 * size),
        ({"index": ""}, 3 * size),
        ({"level": ""}, 2 * size),
        ({"host_name": ""}, size),
    ]
    assert list_volumes(client, query='{app=~".+"}', limit="1") == [({"app": "web"}, 2 * size)]
    assert list_volumes(client, query='{app="nothing"}') == []
    first = str(START_NS), str(START_NS + 1)
    assert list_volumes(client, query='{app="db"}', start=first[0], end=first[1]) == [
        ({"app": "db"}, size // 3)
    ]


def test_volumes_over_time_are_those_of_each_step(client: LokiClient) -> None:
    first = START_NS // 10**9
    data = client.read(
        "index/volume_range", query='{app="web"}', start=first - 10, end=first + 10, step="10"
    )
    assert data["resultType"] == "matrix"
    assert data["result"] == [
        {"metric": {"app": "web"}, "values": [[first, "12"], [first + 10, "24"]]}
    ]


def test_volumes_are_aggregated_in_two_ways_only(client: LokiClient) -> None:
    answer = client.get("index/volume", aggregateBy="days")
    assert answer.status_code == 400
    assert "expected series or labels" in answer.text


def test_the_guide_names_every_usual_label() -> None:
    guide = (Path(__file__).parents[2] / "docs/reading/loki.md").read_text()
    assert all(f"`{field}`" in guide for field in LABEL_FIELDS)


def test_removals_are_refused_with_the_reason(service: RunningService) -> None:
    path = "/loki/api/v1/delete"
    for method in ("PUT", "POST", "DELETE"):
        refused = service.client.request(method, path, params={"query": '{app="web"}'})
        assert refused.status_code == 403
        assert "retention" in refused.text
        assert service.anonymous.request(method, path).status_code == 401
    assert service.client.get(path).json() == []


def test_a_wrong_key_is_called_one(service: RunningService) -> None:
    """Programs that read have keys, seldom sessions."""
    for path in ("/loki/api/v1/labels", "/_search"):
        refused = service.anonymous.get(path, auth=("grafana", "wrong"))
        assert refused.status_code == 401
        assert "the key or token is not valid" in refused.text

"""What answers of the Loki API lack: events of damaged blocks, and those that a key must not see."""

from pathlib import Path
from typing import Any

import pytest
from tests.api.signing_in import make_key
from tests.conftest import MakeService
from tests.readers.loki import FIRST_S, START_NS, LokiClient
from tests.running import RunningService, encode_lines
from tests.store.integrity.damaging import flip

from logboom.control.access.scopes import Scope

WEB = {"app": "web"}


def write(place: int) -> list[str]:
    return [str(START_NS + place), f"line {place}"]


def test_damaged_blocks_are_warned_of(start_service: MakeService) -> None:
    service = start_service()
    client = LokiClient(service, "default")
    client.push((WEB, [write(1), write(2)]))
    (block,) = service.store.snapshot().list_blocks("default")
    client.push((WEB, [write(3)]))
    flip(Path(service.store.objects.locate(block.path)), 50)
    lines = client.get("query_range", query='{app="web"}').json()
    (stream,) = lines["data"]["result"]
    assert stream["values"] == [write(3)]
    counts = client.get("query", query='sum(count_over_time({app="web"}[1h]))', time=FIRST_S + 1)
    assert counts.json()["data"]["result"][0]["value"][1] == "1"
    series = client.get("series")
    patterns = client.get("patterns", query="{}", step="60")
    for answer in (lines, counts.json(), series.json(), patterns.json()):
        (warning,) = answer["warnings"]
        assert "2 events" in warning
        assert "damaged" in warning


@pytest.fixture(scope="module")
def client(service: RunningService) -> LokiClient:
    """Two indexes, whose events are in the same block."""
    service.control.environments.create("loki-limits")
    client = LokiClient(service, "loki-limits")
    for index, app in (("web", "web"), ("secret", "hidden")):
        events = [
            {"timestamp": START_NS + place, "message": f"{app} {place}", "app": app, app: place}
            for place in range(3)
        ]
        service.ingest(encode_lines(events), {"env": client.env, "index": index})
    service.flush()
    return client


def test_a_limited_key_learns_nothing_of_other_indexes(client: LokiClient) -> None:
    headers = make_key(client.service, Scope.SEARCH, indexes=("web",))

    def ask(path: str, **parameters: Any) -> str:
        answer = client.get(path, headers, **parameters)
        assert answer.status_code == 200, answer.text
        return answer.text

    everything = [
        ask("query_range", query="{}"),
        ask("query_range", query="sum by (app) (count_over_time({}[1h]))", step="60"),
        ask("query_range", query="count_over_time({}[1h])", step="60"),
        ask("query", query='count_over_time({index=~".+"}[1h])', time=FIRST_S + 1),
        ask("labels"),
        ask("label/app/values"),
        ask("label/index/values"),
        ask("series"),
        ask("index/volume", query="{}", targetLabels="app"),
        ask("detected_fields"),
        ask("detected_labels"),
        ask("patterns", query="{}", step="60"),
    ]
    assert all("web" in text for text in everything[:4])
    assert not any("hidden" in text or "secret" in text for text in everything)
    stats = client.get("index/stats", headers).json()
    assert (stats["entries"], stats["streams"], stats["bytes"]) == (3, 1, 0)
    assert client.get("index/stats").json()["entries"] == 6

"""Nodes that share a store and do different things: each does what it is for, and refuses the rest clearly."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.process.service import Service
from tests.process.shared import SharedStore
from tests.waiting import poll_until

pytestmark = [pytest.mark.process]


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[SharedStore]:
    shared = SharedStore(tmp_path)
    yield shared
    shared.close()


def start(shared: SharedStore, roles: str) -> Service:
    return shared.start(roles.replace(",", "-"), {"SERVICE_ROLES": roles})


def send(service: Service, path: str = "/api/ingest") -> httpx.Response:
    return service.call("POST", path, content=b'{"message":"one of many"}\n')


def count(service: Service) -> int:
    return int(service.search("many | stats count as n")["rows"][0]["n"])


def test_each_node_does_what_it_is_for(shared: SharedStore) -> None:
    taking = start(shared, "ingest,maintenance")
    asking = start(shared, "query")
    assert send(taking).status_code == 200
    poll_until(lambda: count(asking) == 1, "the event on the other node")

    refused = send(asking)
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    assert "SERVICE_ROLES" in refused.json()["error"]["message"]
    bulk = asking.call("POST", "/_bulk", content=b'{"create":{}}\n{"message":"many"}\n')
    assert bulk.status_code == 503
    for path in ("/api/search", "/api/histogram"):
        answer = taking.call("POST", path, json={"query": "many"})
        assert answer.status_code == 503
        assert "does not answer queries" in answer.json()["error"]["message"]
    assert count(asking) == 1


def test_the_status_shows_what_each_node_is_for(shared: SharedStore) -> None:
    one = start(shared, "sources,ingest")
    two = start(shared, "query")

    def list_roles() -> list[list[str]]:
        nodes = two.call("GET", "/api/admin/status").raise_for_status().json()["nodes"]
        return sorted(each["roles"] for each in nodes)

    poll_until(lambda: list_roles() == [["ingest", "sources"], ["query"]], "both nodes")
    assert one.call("GET", "/ready").status_code == 200
    assert two.call("GET", "/ready").status_code == 200

"""Nodes that share a store and do different things: each does what it is for, and refuses the rest clearly."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.process.service import Service
from tests.waiting import poll_until

pytestmark = [pytest.mark.process]

SYNC_SECS = "0.2"


class Shared:
    """Services with data of their own and one store in a directory."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.services: list[Service] = []

    def start(self, name: str, roles: str) -> Service:
        folder = self._root / name
        folder.mkdir()
        settings = {
            "SERVICE_STORE_URL": (self._root / "store").as_uri(),
            "SERVICE_CONTROL_KEY_PATH": str(self._root / "control-key"),
            "SERVICE_JWT_SECRET_PATH": str(self._root / "jwt-secret"),
            "SERVICE_BLOCK_SYNC_SECS": SYNC_SECS,
            "SERVICE_BLOCK_FLUSH_SECS": SYNC_SECS,
            "SERVICE_ROLES": roles,
        }
        service = Service(folder / "data", folder / "log", settings)
        self.services.append(service)
        service.start()
        return service


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Shared]:
    shared = Shared(tmp_path)
    yield shared
    for service in shared.services:
        service.close()


def send(service: Service, path: str = "/api/ingest") -> httpx.Response:
    return service.call("POST", path, content=b'{"message":"one of many"}\n')


def count(service: Service) -> int:
    return int(service.search("many | stats count as n")["rows"][0]["n"])


def test_each_node_does_what_it_is_for(shared: Shared) -> None:
    taking = shared.start("taking", "ingest,maintenance")
    asking = shared.start("asking", "query")
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


def test_the_status_shows_what_each_node_is_for(shared: Shared) -> None:
    one = shared.start("one", "sources,ingest")
    two = shared.start("two", "query")

    def list_roles() -> list[list[str]]:
        nodes = two.call("GET", "/api/admin/status").raise_for_status().json()["nodes"]
        return sorted(each["roles"] for each in nodes)

    poll_until(lambda: list_roles() == [["ingest", "sources"], ["query"]], "both nodes")
    assert one.call("GET", "/ready").status_code == 200
    assert two.call("GET", "/ready").status_code == 200

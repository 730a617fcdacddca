"""Real servers on a real bucket: what lives there, two nodes, and days on which the bucket is gone.

All tests share one store and its ledger, so that each also sees what those before it have left.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import deltalake
import httpx
import httpx2
import polars as pl
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.buckets import Careless, Relay, S3Server, make_environment, meant, open_library, serving
from tests.mcp.agents import read_text
from tests.ports import choose_port
from tests.process.checks import check_everything
from tests.process.conftest import print_log_tail
from tests.process.ledger import Ledger, Outcome
from tests.process.load import send, send_again
from tests.process.service import PASSWORD, USERNAME, Service
from tests.waiting import PATIENCE_S, poll_until

import logboom
from logboom.base.clock import system_clock
from logboom.cli.maintenance.checkup import Installation, Status, examine
from logboom.config import load_settings

pytestmark = [pytest.mark.process]

NEVER_S = 3600
SYNC_S = 0.3
UNAVAILABLE = int(httpx.codes.SERVICE_UNAVAILABLE)
LOOKS = 10
FLOOD_EVENTS = 15
FLOOD_BATCHES = 30


class Cluster:
    """One store in the bucket, reached through a relay, and its nodes."""

    def __init__(self, folder: Path, server: S3Server, relay: Relay) -> None:
        self.url = server.make_url()
        self.relay = relay
        self.ledger = Ledger("bucket")
        self.services: dict[str, Service] = {}
        self._folder = folder
        self._store = open_library(self.url.removeprefix("s3://logs/"), server.environment)

    def make(self, name: str, **settings: object) -> Service:
        """A node that is not started, with a data directory of its own."""
        every: dict[str, object] = {
            **self.relay.environment,
            "SERVICE_STORE_URL": self.url,
            "SERVICE_QUERY_CACHE_MB": 0,
            "SERVICE_JWT_SECRET_PATH": self._folder / "jwt",
            "SERVICE_CONTROL_KEY_PATH": self._folder / "control",
            "SERVICE_BLOCK_FLUSH_SECS": NEVER_S,
            "SERVICE_BLOCK_SYNC_SECS": SYNC_S,
            "SERVICE_CHECKPOINT_COMMITS": 2,
            "SERVICE_COMPACTION": "off",
        }
        texts = {key: str(value) for key, value in (every | settings).items()}
        service = Service(self._folder / name, self._folder / f"{name}.log", texts)
        self.services[name] = service
        return service

    def run(self, name: str) -> Service:
        """A node that is running, be it that an earlier test has left it so."""
        service = self.services.get(name) or self.make(name)
        if not service.is_running:
            service.close()
            service.start()
        return service

    def send(self, node: Service, events: int = 20, padding_bytes: int = 0) -> None:
        """Send what must be acknowledged."""
        batch = self.ledger.make_batch(events, padding_bytes=padding_bytes)
        assert send(node, self.ledger, batch)
        assert batch.outcome is Outcome.ACKED

    def keep(self, node: Service, events: int = 20, padding_bytes: int = 0) -> None:
        """Send what must be acknowledged, and make it searchable."""
        self.send(node, events, padding_bytes)
        node.flush()

    @property
    def sent(self) -> int:
        return sum(batch.count for batch in self.ledger.batches)

    def list_objects(self, ending: str = "") -> list[str]:
        names = [each["path"] for each in self._store.list().collect()]
        return [name for name in names if name.endswith(ending)]

    def take_away(self, name: str) -> Callable[[], object]:
        """Delete an object behind everybody's back; gives what brings it back."""
        data = self._store.get(name).bytes().to_bytes()
        self._store.delete(name)
        return lambda: self._store.put(name, data)


@pytest.fixture(scope="module")
def shared(s3_server: S3Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with s3_server.relayed() as relay:
        cluster = Cluster(tmp_path_factory.mktemp("bucket"), s3_server, relay)
        yield cluster
        for service in cluster.services.values():
            service.close()


@pytest.fixture
def cluster(shared: Cluster) -> Iterator[Cluster]:
    """The cluster of this module; its bucket is well at the end of every test."""
    yield shared
    shared.relay.is_cut = False
    shared.relay.loses = shared.relay.holds = lambda _method, _path: False
    for service in shared.services.values():
        print_log_tail(service.log)


@pytest.fixture
def one(cluster: Cluster) -> Service:
    return cluster.run("one")


@pytest.fixture
def two(cluster: Cluster, one: Service) -> Service:
    return cluster.run("two")


def ask(
    service: Service, method: str, path: str, token: str = "", **options: Any
) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token or service._token}"}
    return service._client.request(method, path, headers=headers, **options)


def count(service: Service, env: str = "default") -> int:
    total: int = service.search("", limit=0, count=True, env=env)["total"]
    return total


def test_other_programs_read_the_bucket_in_place(
    cluster: Cluster, one: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        cluster.keep(one)
    poll_until(lambda: b"checkpoint written" in one.log.read_bytes(), "a checkpoint")
    for name, value in cluster.relay.environment.items():
        monkeypatch.setenv(name, value)
    expected = sorted(row["message"] for row in one.export())
    assert len(expected) == cluster.sent
    is_ours = pl.col("_env") == "default"
    frame = pl.scan_delta(cluster.url).filter(is_ours).select("message").collect()
    assert sorted(frame["message"]) == expected
    table = deltalake.DeltaTable(cluster.url)
    live = {uri.removeprefix(f"{cluster.url}/") for uri in table.file_uris()}
    assert live <= set(cluster.list_objects(".parquet"))
    with logboom.open(cluster.url) as logs:
        assert sorted(row["message"] for row in logs.search("", limit=10_000)) == expected


def test_only_what_is_this_nodes_own_is_in_its_directory(cluster: Cluster, one: Service) -> None:
    cluster.keep(one)
    assert not (one.data / "store").exists()
    folders = {name.split("/")[0] for name in cluster.list_objects()}
    assert folders == {"_delta_log", "blocks", "control"}


def test_what_was_flushed_is_not_fetched_and_what_the_cache_lost_is(
    cluster: Cluster, one: Service
) -> None:
    def count_fetched() -> int:
        return cluster.relay.count(lambda method, path: method == "GET" and is_block(path))

    before = count_fetched()
    cluster.keep(one)
    query = f"batch:{cluster.ledger.batches[-1].number}"
    assert len(one.search(query)["rows"]) == 20
    assert count_fetched() == before
    cached = list((one.data / "cache").iterdir())
    for path in cached[::2]:
        path.write_bytes(path.read_bytes()[:-1])
    for path in cached[1::2]:
        path.unlink()
    assert len(one.search(query)["rows"]) == 20
    assert count_fetched() > before
    check_everything(one, cluster.ledger)


def test_an_idle_node_asks_only_for_the_end_of_the_log(cluster: Cluster, one: Service) -> None:
    cluster.keep(one)
    seen = cluster.relay.seen

    def is_looking() -> bool:
        """Whether the last requests were nothing but looks."""
        return len(seen) >= LOOKS and all(map(is_look, seen[-LOOKS:]))

    poll_until(is_looking, "an idle node that only looks at the log's end")
    cluster.keep(one)
    assert not is_looking()
    poll_until(is_looking, "the node that is idle again")


def is_look(request: tuple[str, str]) -> bool:
    method, path = request
    is_list = method == "GET" and "list-type=2" in path
    return is_list and "_delta_log" in path and "start-after" in path


def is_block(path: str) -> bool:
    return "blocks/" in path and path.endswith(".parquet")


def test_a_commit_whose_answer_is_lost_counts_once(cluster: Cluster, one: Service) -> None:
    for _ in range(3):
        cluster.relay.loses = meant("PUT", "_delta_log")
        cluster.keep(one)
    check_everything(one, cluster.ledger)


def test_a_bucket_that_goes_away_is_waited_for(cluster: Cluster, one: Service) -> None:
    cluster.keep(one)
    before = count(one)
    cluster.relay.is_cut = True
    cluster.send(one)
    response = one.try_flush()
    assert response.status_code == UNAVAILABLE
    message = response.json()["error"]["message"]
    assert message.startswith(f"blocks cannot be written: the bucket {cluster.url} cannot be used")
    cluster.send(one)
    assert count(one) == before, "what was searchable still is"
    answer = one._client.get("/api/setup")
    assert answer.status_code == UNAVAILABLE or not answer.json()["required"]
    cluster.relay.is_cut = False
    poll_until(lambda: count(one) >= before + 20, "the flush to be tried again")
    check_everything(one, cluster.ledger)


def test_ingest_is_refused_once_too_much_waits_for_the_bucket(
    cluster: Cluster, one: Service
) -> None:
    ask(one, "POST", "/api/envs", json={"name": "flood"}).raise_for_status()
    body = b"".join(b'{"message":"%s"}\n' % (b"x" * 1_000_000) for _ in range(FLOOD_EVENTS))
    cluster.relay.is_cut = True
    acked = 0
    while (response := one.ingest(body, env="flood")).status_code == httpx.codes.OK:
        acked += FLOOD_EVENTS
        assert acked < FLOOD_EVENTS * FLOOD_BATCHES
    assert acked >= 2 * FLOOD_EVENTS
    assert response.status_code == UNAVAILABLE
    assert "Retry-After" in response.headers
    assert "blocks cannot be written: the bucket" in response.json()["error"]["message"]
    assert "connection was cut" in response.json()["error"]["message"]
    cluster.relay.is_cut = False
    poll_until(
        lambda: one.ingest(b'{"message":"again"}', env="flood").status_code == httpx.codes.OK,
        "ingest to work again",
    )
    one.flush()
    assert count(one, "flood") == acked + 1
    check_everything(one, cluster.ledger)


def test_what_waited_for_the_bucket_survives_a_kill(cluster: Cluster, one: Service) -> None:
    cluster.relay.is_cut = True
    for _ in range(3):
        cluster.send(one)
    one.try_flush()
    one.kill9()
    one.spawn()
    assert one.wait() == 1
    refusal = one.log.read_text().splitlines()[-1]
    assert refusal.startswith(f"logboom: the bucket {cluster.url} cannot be used")
    cluster.relay.is_cut = False
    one.start()
    check_everything(one, cluster.ledger)


def test_death_between_upload_and_commit_loses_and_doubles_nothing(
    cluster: Cluster, one: Service
) -> None:
    batch = cluster.ledger.make_batch(20, keyed=True)
    assert send(one, cluster.ledger, batch)
    before = set(cluster.list_objects(".parquet"))
    cluster.relay.reached.clear()
    cluster.relay.holds = meant("PUT", "_delta_log")
    flusher = threading.Thread(target=flush_until_death, args=(one,))
    flusher.start()
    assert cluster.relay.reached.wait(20)
    one.kill9()
    flusher.join()
    assert set(filter(is_block, cluster.list_objects())) - before, "uploaded, but not committed"
    cluster.relay.holds = lambda _method, _path: False
    one.start()
    batch.outcome = Outcome.UNKNOWN
    send_again(one, cluster.ledger)
    check_everything(one, cluster.ledger)


def flush_until_death(service: Service) -> None:
    with pytest.raises(httpx.TransportError):
        service.try_flush()


def test_nodes_see_each_others_blocks(cluster: Cluster, one: Service, two: Service) -> None:
    for _ in range(2):
        for node in (one, two):
            cluster.keep(node)
    for node in (one, two):
        await_everything(cluster, node)


def await_everything(cluster: Cluster, node: Service) -> None:
    """Let a node catch up with what the other has written."""
    poll_until(lambda: count(node) == cluster.sent, "the other's blocks")
    check_everything(node, cluster.ledger)


def on_both(work: Callable[[Service], None], *nodes: Service) -> None:
    threads = [threading.Thread(target=work, args=(node,)) for node in nodes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_nodes_that_flush_at_once_lose_nothing(
    cluster: Cluster, one: Service, two: Service
) -> None:
    def work(node: Service) -> None:
        for _ in range(10):
            cluster.keep(node, 5)

    on_both(work, one, two)
    for node in (one, two):
        await_everything(cluster, node)


def test_nodes_that_merge_at_once_lose_nothing(
    cluster: Cluster, one: Service, two: Service
) -> None:
    def work(node: Service) -> None:
        for _ in range(4):
            cluster.keep(node, 5)
            answer = ask(node, "POST", "/api/admin/compact")
            assert answer.status_code == httpx.codes.OK, answer.text

    on_both(work, one, two)
    ask(one, "POST", "/api/admin/compact").raise_for_status()
    for node in (one, two):
        await_everything(cluster, node)
    # Three days, and whatever the service says of itself.
    blocks = ask(one, "POST", "/api/admin/compact", json={"env": "default"}).json()
    assert blocks["blocks_before"] == blocks["blocks_after"] == 3


def test_nodes_that_edit_at_once_lose_nothing(cluster: Cluster, one: Service, two: Service) -> None:
    def work(node: Service) -> None:
        for number in range(10):
            body = {"name": f"{node.data.name}-{number}"}
            while (answer := ask(node, "POST", "/api/envs", json=body)).status_code == 409:
                assert "too often" in answer.text
            answer.raise_for_status()

    on_both(work, one, two)
    expected = {f"{name}-{number}" for name in ("one", "two") for number in range(10)}
    for node in (one, two):
        await_environments(node, expected)


def await_environments(node: Service, expected: set[str]) -> None:
    poll_until(lambda: expected <= list_environments(node), "the environments of both")


def list_environments(node: Service) -> set[str]:
    return {env["name"] for env in ask(node, "GET", "/api/envs").json()}


def test_a_session_ended_on_one_node_ends_on_the_other(
    cluster: Cluster, one: Service, two: Service
) -> None:
    ann = {"username": "ann", "password": PASSWORD}
    ask(one, "POST", "/api/users", json=ann | {"role": "viewer"}).raise_for_status()
    token = one._client.post("/api/auth/login", json=ann).raise_for_status().json()["token"]

    def can_use(node: Service) -> bool:
        return ask(node, "GET", "/api/auth/me", token).status_code == httpx.codes.OK

    poll_until(lambda: can_use(two), "the session to count on the other node")
    assert ask(one, "POST", "/api/auth/logout", token).is_success
    assert not can_use(one)
    poll_until(lambda: not can_use(two), "the session to end there too")
    setup = {"username": USERNAME, "password": PASSWORD}
    assert two._client.post("/api/setup", json=setup).status_code == httpx.codes.CONFLICT


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_that_began_on_one_node_goes_on_at_the_other(
    cluster: Cluster, one: Service, two: Service, mode: str
) -> None:
    """The official client, behind a load balancer that sends it to another node."""
    cluster.keep(one)
    await_everything(cluster, two)
    made = ask(one, "POST", "/api/keys", json={"name": f"agent {mode}", "scopes": ["mcp"]})
    key = made.raise_for_status().json()["key"]
    poll_until(lambda: can_use_tools(two, key), "the key to count there")
    balancer = Balancer(one)

    async def begin_and_go_on() -> None:
        headers = {"Authorization": f"Bearer {key}"}
        hooks = {"request": [balancer.send]}
        async with (
            httpx2.AsyncClient(headers=headers, event_hooks=hooks, timeout=PATIENCE_S) as http,
            Client(
                streamable_http_client("http://balancer/mcp", http_client=http), mode=mode
            ) as client,
        ):
            for node in (two, one):
                balancer.node = node
                assert (await client.list_tools()).tools
                result = await client.call_tool("count", {"env": "default", "from": ""})
                assert f"\n{cluster.sent}\n" in read_text(result)

    asyncio.run(begin_and_go_on())


class Balancer:
    """Sends requests to the node that it is told."""

    def __init__(self, node: Service) -> None:
        self.node = node

    async def send(self, request: httpx2.Request) -> None:
        request.url = request.url.copy_with(host="127.0.0.1", port=self.node.port)


def can_use_tools(node: Service, key: str) -> bool:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    return ask(node, "POST", "/mcp", key, json=ping).status_code == httpx.codes.OK


def test_a_new_node_finds_everything_also_with_a_small_cache(
    cluster: Cluster, one: Service
) -> None:
    for _ in range(3):
        cluster.keep(one, 10, padding_bytes=100_000)
    third = cluster.make("three", SERVICE_STORE_CACHE_MB=1)
    third._token = one._token
    third.start()
    check_everything(third, cluster.ledger)
    for batch in cluster.ledger.batches[-3:] * 2:
        assert len(third.search(f"batch:{batch.number}")["rows"]) == batch.count
    files = (third.data / "cache").iterdir()
    assert sum(path.stat().st_size for path in files) <= 1 << 20
    assert list_environments(third) == list_environments(one)
    assert third.stop() == 0


@pytest.mark.parametrize("kind", ["gone", "careless"])
def test_a_bucket_that_cannot_be_used_is_refused_at_the_start(cluster: Cluster, kind: str) -> None:
    with serving(Careless) as careless:
        port = {"gone": choose_port(), "careless": careless}[kind]
        service = cluster.make(kind, **make_environment(f"http://127.0.0.1:{port}"))
        service.spawn()
        assert service.wait(30) == 1
    said = {
        "gone": f"the bucket {cluster.url} cannot be used: connection refused",
        "careless": "expected a store that honours If-None-Match",
    }
    (line,) = service.log.read_text().splitlines()
    assert said[kind] in line


def examine_node(service: Service) -> dict[str, tuple[Status, str]]:
    place = Installation(
        load_settings({"data_dir": service.data}, service.settings), system_clock()
    )
    return {name: (found.status, found.describe()) for name, found in examine(place)}


def test_the_doctor_looks_into_the_bucket(
    cluster: Cluster, one: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in cluster.relay.environment.items():
        monkeypatch.setenv(name, value)
    cluster.keep(one)
    found = examine_node(one)
    text = f"{cluster.url}, can be read and written, and refuses to create an object twice"
    assert found["store"] == (Status.OK, text)
    assert "all there" in found["catalog"][1]
    assert "users" in found["control documents"][1]
    assert Status.FAIL not in {status for status, _ in found.values()}
    bring_back = cluster.take_away(max(cluster.list_objects(".index")))
    assert "its index is missing" in examine_node(one)["catalog"][1]
    bring_back()
    cluster.relay.is_cut = True
    status, text = examine_node(one)["store"]
    assert status is Status.FAIL
    assert "cannot be used" in text


def test_no_secret_of_the_bucket_is_in_any_log(cluster: Cluster, one: Service) -> None:
    secret = cluster.relay.environment["AWS_SECRET_ACCESS_KEY"]
    assert all(secret not in service.log.read_text() for service in cluster.services.values())
    assert one.search(f'"{secret}"', env="_system", index="*")["rows"] == []

"""The `elasticsearch` package: its bulk helpers, plain, parallel and asynchronous."""

import asyncio
from collections.abc import Iterator

import pytest
from elasticsearch import AsyncElasticsearch, Elasticsearch, helpers
from elasticsearch.exceptions import AuthorizationException, BadRequestError
from tests.clients.sent import (
    COUNT,
    Fields,
    check_events,
    list_events,
    make_event,
    make_text,
)
from tests.running import RunningService

from logboom.control.access.scopes import Scope

CHUNK = 300


def list_actions(operation: str = "index") -> Iterator[Fields]:
    for sequence in range(COUNT):
        yield {
            "_op_type": operation,
            "_index": f"App.{sequence % 2}",
            "message": make_text(sequence),
            "@timestamp": f"2026-01-02T03:04:05.{sequence:06}Z",
            **make_event(sequence),
        }


def check_stored(service: RunningService, env: str) -> None:
    for sequence, row in enumerate(check_events(list_events(service, env))):
        assert row["_index"] == f"app-{sequence % 2}"
        assert row["_time"].startswith("2026-01-02T03:04:05")


@pytest.fixture
def address(service: RunningService) -> str:
    return f"http://127.0.0.1:{service.port}"


@pytest.mark.parametrize(("operation", "compressed"), [("index", False), ("create", True)])
def test_the_bulk_helper(
    service: RunningService, env: str, address: str, operation: str, compressed: bool
) -> None:
    headers = {"X-Service-Env": env}
    with Elasticsearch(address, headers=headers, http_compress=compressed) as client:
        assert client.ping()
        assert client.info()["tagline"] == "You Know, for Search"
        result = helpers.bulk(client, list_actions(operation), chunk_size=CHUNK)
    assert result == (COUNT, [])
    check_stored(service, env)


@pytest.mark.parametrize("count", [4_000, 20_000])
def test_one_large_request_is_answered_item_by_item(
    service: RunningService, env: str, address: str, count: int
) -> None:
    """Also those whose items have to be short."""
    actions = ({"_index": "large", "n": number} for number in range(count))
    with Elasticsearch(address, headers={"X-Service-Env": env}) as client:
        results = list(helpers.streaming_bulk(client, actions, chunk_size=count))
    assert all(is_stored for is_stored, _ in results)
    assert [result["index"]["status"] for _, result in results] == [201] * count
    service.flush()
    assert service.count("*", env=env) == count


def test_the_asynchronous_bulk_helper(service: RunningService, env: str, address: str) -> None:
    async def send() -> tuple[int, int | list[Fields]]:
        async with AsyncElasticsearch(address, headers={"X-Service-Env": env}) as client:
            return await helpers.async_bulk(client, list_actions(), chunk_size=CHUNK)

    assert asyncio.run(send()) == (COUNT, [])
    check_stored(service, env)


def test_the_parallel_bulk_helper_with_an_api_key(
    service: RunningService, env: str, address: str
) -> None:
    _, secret = service.control.tokens.create("parallel", env)
    with Elasticsearch(address, api_key=secret) as client:
        results = list(helpers.parallel_bulk(client, list_actions(), chunk_size=CHUNK))
    assert all(is_stored for is_stored, _ in results)
    check_stored(service, env)


def test_updates_bring_their_document_and_deletes_nothing(
    service: RunningService, env: str, address: str
) -> None:
    updates = (
        {
            "_op_type": "update",
            "_index": "app",
            "_id": f"id-{sequence}",
            "doc": {"message": make_text(sequence), **make_event(sequence)},
            "doc_as_upsert": True,
        }
        for sequence in range(COUNT)
    )
    deletes = ({"_op_type": "delete", "_index": "app", "_id": f"id-{n}"} for n in range(10))
    _, secret = service.control.tokens.create("updates", env)
    with Elasticsearch(address, basic_auth=("anybody", secret)) as client:
        assert helpers.bulk(client, updates, chunk_size=CHUNK) == (COUNT, [])
        assert helpers.bulk(client, deletes) == (10, [])
    check_events(list_events(service, env))


def test_a_document_at_a_time(service: RunningService, env: str, address: str) -> None:
    """Few: rsyslog sends a thousand in this way."""
    with Elasticsearch(address, headers={"X-Service-Env": env}) as client:
        for sequence in range(20):
            answer = client.index(index="single", document={"sequence": sequence})
            assert answer["result"] == "created"
    rows = list_events(service, env)
    assert sorted(row["sequence"] for row in rows) == list(range(20))
    assert {row["_index"] for row in rows} == {"single"}


def test_a_single_update_brings_its_document(
    service: RunningService, env: str, address: str
) -> None:
    with Elasticsearch(address, headers={"X-Service-Env": env}) as client:
        for sequence in range(3):
            document = {"sequence": sequence, "nested": {"a": "b\nc"}}
            answer = client.update(index="single", id=f"n-{sequence}", doc=document)
            assert (answer["_id"], answer["result"]) == (f"n-{sequence}", "updated")
        client.update(index="single", id="n-3", upsert={"sequence": 3}, script={"source": "1"})
        with pytest.raises(BadRequestError, match="neither doc nor upsert"):
            client.update(index="single", id="n-4", script={"source": "1"})
    rows = list_events(service, env)
    assert sorted(row["sequence"] for row in rows) == [0, 1, 2, 3]
    assert [row["nested.a"] for row in rows if "nested.a" in row] == ["b\nc"] * 3


def test_what_was_refreshed_is_found(service: RunningService, env: str, address: str) -> None:
    """By the parameter of each kind of request, or on its own."""
    scopes = (Scope.SEARCH, Scope.INGEST)
    _, secret = service.control.keys.create("refresh", scopes, envs=(env,))
    headers = {"X-Service-Env": env}
    with Elasticsearch(address, api_key=secret, headers=headers) as client:
        helpers.bulk(client, [{"_index": "app", "n": 0}], refresh=True)
        assert client.count(index="app")["count"] == 1
        client.index(index="app", document={"n": 1}, refresh="wait_for")
        assert client.count(index="app")["count"] == 2
        client.update(index="app", id="2", doc={"n": 2}, refresh=True)
        assert client.count(index="app")["count"] == 3
        helpers.bulk(client, [{"_index": "app", "n": 3}], refresh=False)
        client.indices.refresh(index="app")
        assert client.count(index="app")["count"] == 4


def test_what_programs_set_up_before_they_send(service: RunningService, address: str) -> None:
    """Also once more, when the program starts again and finds its index."""
    _, secret = service.control.tokens.create("setting-up", "default")
    with Elasticsearch(address, api_key=secret) as client:
        for _ in range(2):
            assert client.indices.exists(index="app")
            assert client.indices.put_mapping(index="app", properties={"a": {"type": "keyword"}})
            assert client.indices.put_settings(index="app", settings={"refresh_interval": "5s"})
            assert client.indices.put_alias(index="app", name="other")["acknowledged"]
            assert client.cluster.put_settings(persistent={"a": "b"})["acknowledged"]
        assert client.cluster.get_settings() == {"persistent": {}, "transient": {}}
        assert client.indices.forcemerge(index="app")["_shards"]["failed"] == 0
        assert client.indices.clear_cache()["_shards"]["failed"] == 0
        assert client.indices.get_index_template()["index_templates"] == []
        assert client.indices.get_data_stream()["data_streams"] == []
        assert client.cluster.get_component_template()["component_templates"] == []


def test_events_are_neither_changed_nor_removed(
    service: RunningService, env: str, address: str
) -> None:
    with Elasticsearch(address, headers={"X-Service-Env": env}) as client:
        client.index(index="app", document={"message": "stays"})
        with pytest.raises(AuthorizationException, match="retention"):
            client.delete(index="app", id="1")
        with pytest.raises(AuthorizationException, match="retention"):
            client.delete_by_query(index="app", query={"match_all": {}})
        with pytest.raises(AuthorizationException, match="retention"):
            client.update_by_query(index="app")
        with pytest.raises(AuthorizationException, match="retention"):
            client.indices.delete(index="app")
    service.flush()
    assert service.count("stays", env=env) == 1


def test_a_row_that_the_token_may_not_send_is_the_only_one_refused(
    service: RunningService, env: str, address: str
) -> None:
    _, secret = service.control.tokens.create("scoped", env, ("app-*",))
    actions = [*list_actions(), {"_index": "elsewhere", "message": "no"}]
    with (
        Elasticsearch(address, api_key=secret) as client,
        pytest.raises(helpers.BulkIndexError) as refusal,
    ):
        helpers.bulk(client, actions, chunk_size=2 * COUNT)
    [refused] = refusal.value.errors
    assert refused["index"]["status"] == 403
    assert refused["index"]["error"]["type"] == "security_exception"
    check_stored(service, env)

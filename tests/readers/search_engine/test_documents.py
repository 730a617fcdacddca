"""Single events by their ids, and what clients ask about indexes."""

from collections.abc import Iterator
from typing import Any

import pytest
from elasticsearch import Elasticsearch, NotFoundError
from tests.api.signing_in import make_token
from tests.conftest import MakeService
from tests.readers.search_engine.shop import COUNT, Event, Shop, open_shop
from tests.running import RunningService


@pytest.fixture(scope="module")
def shop(service: RunningService) -> Iterator[Shop]:
    yield from open_shop(service)


def test_an_event_is_found_by_its_id(shop: Shop) -> None:
    for hit in shop.search(size=7, query={"range": {"n": {"lt": 100}}})["hits"]["hits"]:
        index, identity, source = hit["_index"], hit["_id"], hit["_source"]
        found = shop.client.get(index=index, id=identity)
        assert found["found"]
        assert (found["_index"], found["_id"], found["_source"]) == (index, identity, source)
        assert shop.client.get_source(index=index, id=identity).body == source
        assert shop.client.exists(index=index, id=identity)
        only = shop.client.get(index="app,web-*", id=identity, source_includes=["n"])
        assert only["_source"] == {"n": source["n"]}
        assert "_source" not in shop.client.get(index=index, id=identity, source=False)
        other = {"app": "web-1", "web-1": "app"}[index]
        assert not shop.client.exists(index=other, id=identity)


def test_a_missing_event_is_told_as_the_protocol_does(shop: Shop) -> None:
    last = shop.search(size=1)["hits"]["hits"][0]["_id"]
    for identity in ("no such id", last[:-1] + "~", "1886caf0f2904000-1e422dbf-1"):
        with pytest.raises(NotFoundError) as refusal:
            shop.client.get(index="app", id=identity)
        assert refusal.value.body == {"_index": "app", "_id": identity, "found": False}
        with pytest.raises(NotFoundError, match="resource_not_found_exception"):
            shop.client.get_source(index="app", id=identity)
    with pytest.raises(NotFoundError, match="index_not_found_exception"):
        shop.client.get(index="nope", id=last)


def test_several_events_are_found_at_once(shop: Shop) -> None:
    hits = shop.search(size=5)["hits"]["hits"]
    ids = [hit["_id"] for hit in hits]
    found = shop.client.mget(index="app,web-1", ids=[*ids, "x"])["docs"]
    assert [each.get("_source") for each in found] == [*(hit["_source"] for hit in hits), None]
    docs: list[Event] = [
        {"_index": hit["_index"], "_id": hit["_id"], "_source": ["n"]} for hit in hits
    ]
    assert [each["_source"] for each in shop.client.mget(docs=docs)["docs"]] == [
        {"n": hit["_source"]["n"]} for hit in hits
    ]
    for body, reason in (
        ({"ids": []}, "0 documents requested"),
        ({"ids": ["x"] * 2000}, "2000 documents requested"),
        ({"docs": [{"_index": "app"}]}, "[_id] is null"),
        ({"ids": [5]}, "[_id] is 5"),
    ):
        answer = shop.service.client.post("/_mget", params={"env": shop.env}, json=body)
        assert answer.status_code == 400
        assert reason in answer.json()["error"]["reason"]


def test_indexes_are_described(shop: Shop) -> None:
    settings = shop.client.indices.get_settings(index="app,web-*").body
    assert set(settings) == {"app", "web-1"}
    own = settings["app"]["settings"]["index"]
    assert (own["number_of_shards"], own["creation_date"]) == ("1", "1767323040000")
    for name in (None, "*", "_all", "a*"):
        aliases = shop.client.indices.get_alias(index="app", name=name).body
        assert aliases == {"app": {"aliases": {}}}
    with pytest.raises(NotFoundError, match=r"alias \[nope\] missing"):
        shop.client.indices.get_alias(index="app", name="nope")
    assert not shop.client.indices.exists_alias(index="app", name="nope")
    whole = shop.client.indices.get(index="app").body
    mapping = shop.client.indices.get_mapping(index="app").body
    assert whole["app"] == {"aliases": {}, **mapping["app"], **settings["app"]}
    with pytest.raises(NotFoundError, match="no such index"):
        shop.client.indices.get(index="nope")
    assert shop.client.indices.get(index="no*").body == {}


def test_sizes_of_indexes(shop: Shop) -> None:
    stats = shop.client.indices.stats(index="app", metric="docs").body
    assert stats["indices"]["app"]["primaries"]["docs"] == {"count": COUNT // 2, "deleted": 0}
    stats = shop.client.indices.stats().body
    counts = {name: each["total"]["docs"]["count"] for name, each in stats["indices"].items()}
    assert counts["web-1"] == COUNT // 2
    assert stats["_all"]["total"]["docs"]["count"] == sum(counts.values())
    assert stats["_all"]["total"]["store"]["size_in_bytes"] > 0
    rows: Any = shop.client.cat.count(index="app", format="json").body
    assert [row["count"] for row in rows] == [str(COUNT // 2)]
    total = shop.service.client.get("/_cat/count", params={"env": shop.env, "h": "count"}).text
    assert int(total) == sum(counts.values())
    assert shop.client.cat.aliases(format="json").body == []


def test_readers_learn_which_indexes_exist(shop: Shop) -> None:
    exists = shop.client.indices.exists
    for index in ("app", "web-1", "app,web-1", "we*", "no*", "*"):
        assert exists(index=index), index
    for index in ("nope", "app,nope", "App_2"):
        assert not exists(index=index), index
    assert exists(index="app,nope", ignore_unavailable=True)
    assert not exists(index="no*", allow_no_indices=False)
    for prefix in ("", "/api/es"):
        answer = shop.service.client.head(f"{prefix}/nope", params={"env": shop.env})
        assert answer.status_code == 404


def test_a_key_learns_nothing_of_indexes_it_may_not_read(shop: Shop) -> None:
    options = {"name": "app", "scopes": ["search"], "envs": [shop.env], "indexes": ["app"]}
    key = shop.service.client.post("/api/keys", json=options).json()["key"]
    [hidden] = shop.search(index="web-1", size=1)["hits"]["hits"]
    with Elasticsearch(f"http://127.0.0.1:{shop.service.port}", api_key=key) as client:
        assert client.indices.exists(index="app")
        assert not client.indices.exists(index="web-1")
        assert not client.exists(index="*", id=hidden["_id"])
        assert set(client.indices.get_settings().body) == {"app"}
        assert client.mget(index="*", ids=[hidden["_id"]])["docs"][0]["found"] is False


def test_senders_find_every_index(start_service: MakeService) -> None:
    """Otherwise they would create it, or wait until somebody does."""
    service = start_service()
    token = make_token(service)
    for headers in ({}, {"Authorization": f"Bearer {token}"}):
        for prefix in ("", "/api/es"):
            assert service.anonymous.head(f"{prefix}/nope", headers=headers).status_code == 200
    service.client.patch("/api/settings", json={"ingest": {"require_auth": True}})
    assert service.anonymous.head("/nope").status_code == 401
    for prefix in ("", "/api/es"):
        answer = service.anonymous.head(
            f"{prefix}/_license", headers={"Authorization": f"Bearer {token}"}
        )
        assert answer.status_code == 200

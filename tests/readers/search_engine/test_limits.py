"""What a search answers at its limits: incomplete results, hidden indexes, and bodies of any shape."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from tests.conftest import MakeService
from tests.readers.search_engine.shop import COUNT, Event, Shop, make_event, open_shop
from tests.running import RunningService, encode_lines

INDEXES: Event = {"a": {"terms": {"field": "_index"}}}
JUNK: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 1e300, 2**63, 2**70, "", "*", "_id", "_index", "@timestamp", "now-1d/d"),
    *("\0", "x" * 2000, [], {}, [[]], [None], {"": {}}, {"a": {}}, "a:b AND (", "_time", "agg.count", "mixed"),
    *("no.such", "\U0001f600", "_source", "1m", "1M", "-1", "NaN", "\\", "[", "$x", "`q`", '"', "9999-12-31"),
]  # fmt: skip
BODIES: list[Event] = [
    {
        "query": {
            "bool": {
                "filter": [{"range": {"@timestamp": {"gte": 0, "lte": "now", "time_zone": "UTC", "format": "epoch_millis"}}}],
                "should": [{"match": {"message": {"query": "cart", "operator": "and"}}}, {"term": {"n": {"value": 5}}}],
                "must_not": [{"terms": {"level": ["x", 5]}}, {"query_string": {"query": "a:[1 TO 5] b", "fields": ["n"]}}],
                "minimum_should_match": 1,
            }
        },
        "sort": [{"n": {"order": "asc", "missing": "_last"}}, {"@timestamp": "desc"}, "_doc"],
        "search_after": [3, 1767323040000, "1886caf0f2904000-1e422dbf-1000000"],
        "_source": {"includes": ["a*"], "excludes": ["b"]},
        "fields": ["*", {"field": "@timestamp", "format": "yyyy"}],
        "highlight": {"fields": {"*": {}}, "pre_tags": ["<"], "fragment_size": 10, "number_of_fragments": 2},
        "size": 5,
    },
    {
        "size": 0,
        "aggs": {
            "t": {
                "terms": {"field": "host.name", "size": 3, "order": {"s": "desc"}, "include": "w.*", "missing": "x"},
                "aggs": {
                    "s": {"sum": {"field": "n"}},
                    "h": {
                        "date_histogram": {
                            "field": "@timestamp", "fixed_interval": "1m", "offset": "10s", "time_zone": "Europe/Berlin",
                            "extended_bounds": {"min": 1767323040000, "max": 1767323140000}, "format": "HH:mm",
                        },
                        "aggs": {"d": {"derivative": {"buckets_path": "_count"}}, "p": {"percentiles": {"field": "took", "percents": [1]}}},
                    },
                },
            },
            "r": {"range": {"field": "n", "ranges": [{"to": 5}, {"from": 5, "key": "a"}]}},
            "d": {"date_range": {"field": "@timestamp", "ranges": [{"to": "now"}]}},
            "f": {
                "filters": {"filters": {"a": {"term": {"ok": True}}, "b": {"match": {"message": "cart"}}}},
                "aggs": {"x": {"top_hits": {"size": 1, "sort": ["n"]}}, "c": {"cardinality": {"field": "mixed"}}},
            },
            "n": {"histogram": {"field": "took", "interval": 2, "offset": 1, "min_doc_count": 1}},
        },
    },
]  # fmt: skip


@pytest.fixture(scope="module")
def shop(service: RunningService) -> Iterator[Shop]:
    yield from open_shop(service)


def list_places(node: Any) -> list[tuple[Any, Any]]:
    """Every member and item inside a body, as what holds it and where."""
    items: list[tuple[Any, Any]] = []
    if isinstance(node, dict):
        items = list(node.items())
    elif isinstance(node, list):
        items = list(enumerate(node))
    return [place for key, value in items for place in [(node, key), *list_places(value)]]


def spoil(body: Event, choice: random.Random) -> Event:
    """The body with one to three of its parts replaced, doubled or left out."""
    spoilt = copy.deepcopy(body)
    for _ in range(choice.randint(1, 3)):
        holder, key = choice.choice(list_places(spoilt) or [(spoilt, "x")])
        change = choice.random()
        if change < 0.7:
            holder[key] = copy.deepcopy(choice.choice(JUNK))
        elif change < 0.85 and key in holder:
            holder[key] = [copy.deepcopy(holder[key])] * 2
        elif isinstance(holder, dict):
            holder.pop(key, None)
    return spoilt


def test_a_body_of_any_shape_is_answered_or_refused(shop: Shop) -> None:
    choice = random.Random(7)
    statuses = set()
    for _ in range(250):
        body = spoil(choice.choice(BODIES), choice)
        content = json.dumps(body).encode()
        answer = shop.service.client.post("/_search", params={"env": shop.env}, content=content)
        statuses.add(answer.status_code)
        assert answer.status_code in (200, 400), body
        if answer.status_code == 400:
            assert answer.json()["error"]["reason"]
    assert statuses == {200, 400}


def test_an_incomplete_answer_says_so(start_service: MakeService) -> None:
    service = start_service(max_groups=5)
    service.keep(encode_lines(make_event(number) for number in range(50)))
    terms = {"terms": {"field": "n", "size": 100}}
    answer = service.client.post("/_search", json={"size": 0, "aggs": {"a": terms}}).json()
    assert answer["_shards"]["failed"] == 1
    assert answer["_shards"]["failures"][0]["reason"]["reason"]
    assert len(answer["aggregations"]["a"]["buckets"]) <= 5


def test_what_a_key_may_not_see_is_in_no_answer(shop: Shop) -> None:
    """Its index is in the same block as one that may be seen."""
    service = shop.service
    for index, field in (("open", "seen"), ("closed", "hidden")):
        line = encode_lines([{field: {"keyword": "x"}, "n": 1}])
        assert service.ingest(line, {"env": shop.env, "index": index}).status_code == 200
    service.flush()
    options: Event = {
        "name": f"{shop.env}-open",
        "scopes": ["search"],
        "envs": [shop.env],
        "indexes": ["open"],
    }
    key = service.client.post("/api/keys", json=options).json()["key"]
    with Elasticsearch(f"http://127.0.0.1:{service.port}", api_key=key) as client:
        assert set(client.field_caps(fields="*.keyword")["fields"]) == {"seen.keyword"}
        assert set(client.indices.get_mapping().body) == {"open"}
        rows: Any = client.cat.indices(format="json").body
        assert [row["index"] for row in rows] == ["open"]
        assert client.count(query={"exists": {"field": "hidden.keyword"}})["count"] == 0
        assert client.count(query={"term": {"seen.keyword": "x"}})["count"] == 1
        terms = client.search(size=0, aggs={"a": {"terms": {"field": "_index"}}})["aggregations"][
            "a"
        ]
        assert [each["key"] for each in terms["buckets"]] == ["open"]
        point = client.open_point_in_time(index="*", keep_alive="1m")["id"]
        hits = client.search(pit={"id": point})["hits"]["hits"]
        assert [hit["_index"] for hit in hits] == ["open"]
        stolen = service.client.post("/_search", json={"pit": {"id": point}})
        assert stolen.status_code == 404
    assert shop.client.count(index="closed")["count"] == 1
    assert shop.client.count(index="app,web-1")["count"] == COUNT

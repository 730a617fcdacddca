"""What Grafana's data source sends, as its source code puts it together: health, fields, panels, logs and their context."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from tests.readers.search_engine.shop import COUNT, START_S, Event, Shop, open_shop
from tests.running import RunningService

START_MS = START_S * 1000
END_MS = START_MS + 300_000
PRE, POST = "@HIGHLIGHT@", "@/HIGHLIGHT@"


@pytest.fixture(scope="module")
def shop(service: RunningService) -> Iterator[Shop]:
    yield from open_shop(service)


def ask(shop: Shop, *bodies: Event) -> list[Event]:
    """`_msearch`, as for the panels of a dashboard."""
    header = {"ignore_unavailable": True, "index": "app*,web-*", "search_type": "query_then_fetch"}
    lines = [json.dumps(each) for body in bodies for each in (header, body)]
    answer = shop.service.client.post(
        "/_msearch",
        params={"max_concurrent_shard_requests": "5"},
        content="".join(f"{line}\n" for line in lines).encode(),
        headers={"Content-Type": "application/x-ndjson", "X-Service-Env": shop.env},
    )
    assert answer.status_code == 200
    responses: list[Event] = answer.json()["responses"]
    assert [each["status"] for each in responses] == [200] * len(bodies)
    return responses


def make_query(text: str = "*") -> Event:
    times = {"format": "epoch_millis", "gte": START_MS, "lte": END_MS}
    words = {"query_string": {"analyze_wildcard": True, "query": text}}
    return {"bool": {"filter": [{"range": {"@timestamp": times}}, words]}}


def make_histogram(inner: Event | None = None) -> Event:
    body = {
        "field": "@timestamp",
        "fixed_interval": "60000ms",
        "min_doc_count": 0,
        "extended_bounds": {"min": START_MS, "max": END_MS},
        "format": "epoch_millis",
    }
    return {"date_histogram": body, **({"aggs": inner} if inner else {})}


def make_logs(text: str, direction: str = "desc", **more: Any) -> Event:
    return {
        "aggs": {"1": make_histogram()},
        "docvalue_fields": ["@timestamp"],
        "fields": [{"field": "@timestamp", "format": "strict_date_optional_time_nanos"}],
        "highlight": {
            "fields": {"*": {}},
            "fragment_size": 2147483647,
            "post_tags": [POST],
            "pre_tags": [PRE],
        },
        "query": make_query(text),
        "script_fields": {},
        "size": 20,
        "sort": {
            "@timestamp": {"order": direction, "unmapped_type": "boolean"},
            "_doc": {"order": direction},
        },
        **more,
    }


def test_the_data_source_is_healthy_and_knows_its_fields(shop: Shop) -> None:
    client, params = shop.service.client, {"env": shop.env}
    assert (
        client.get("/_cluster/health?wait_for_status=yellow", params=params).json()["status"]
        == "green"
    )
    assert client.get("/").json()["version"]["number"].startswith("8.")
    mapping = client.get("/app*,web-*/_mapping", params=params).json()
    assert set(mapping) == {"app", "web-1"}
    assert mapping["app"]["mappings"]["properties"]["@timestamp"]["type"] == "date"


def test_a_panel_with_series_by_terms(shop: Shop) -> None:
    percentiles = {"1": {"percentiles": {"field": "took", "percents": ["50", "95"]}}}
    terms = {
        "field": "host.name.keyword",
        "size": 3,
        "order": {"1[95.0]": "desc"},
        "min_doc_count": 0,
    }
    by_host = {"terms": terms, "aggs": {"1": percentiles["1"], "3": make_histogram(percentiles)}}
    filters = {"level:error": {"query_string": {"query": "level:error", "analyze_wildcard": True}}}
    by_filter = {
        "filters": {"filters": filters},
        "aggs": {"2": make_histogram({"4": {"extended_stats": {"field": "took"}}})},
    }
    found = ask(
        shop,
        {"aggs": {"2": by_host}, "query": make_query(), "size": 0},
        {"aggs": {"3": by_filter}, "query": make_query("ok:true"), "size": 0},
        {"aggs": {"2": make_histogram()}, "query": make_query("no.such:field"), "size": 0},
    )
    hosts = found[0]["aggregations"]["2"]["buckets"]
    assert len(hosts) == 3
    for host in hosts:
        series = host["3"]["buckets"]
        assert [each["key"] for each in series] == [START_MS + 60_000 * step for step in range(6)]
        assert series[4]["1"]["values"] == {"50.0": None, "95.0": None}
        assert sum(each["doc_count"] for each in series) == host["doc_count"] == COUNT // 4
    errors = found[1]["aggregations"]["3"]["buckets"]["level:error"]["2"]["buckets"]
    minutes = Counter(
        event["n"] // 60 for event in shop.events if event["ok"] and event["level"] == "error"
    )
    assert [each["doc_count"] for each in errors] == [minutes[step] for step in range(6)]
    assert [each["doc_count"] for each in found[2]["aggregations"]["2"]["buckets"]] == [0] * 6


def test_the_values_of_a_variable(shop: Shop) -> None:
    aggs = {"1": {"terms": {"field": "level.keyword", "size": 500, "order": {"_term": "asc"}}}}
    times = {"@timestamp": {"format": "epoch_millis", "gte": START_MS, "lte": END_MS}}
    body = {"size": 0, "query": {"bool": {"filter": [{"range": times}]}}, "aggs": aggs}
    [answer] = ask(shop, body)
    keys = [each["key"] for each in answer["aggregations"]["1"]["buckets"]]
    assert keys == ["error", "info", "warn"]


def test_raw_documents(shop: Shop) -> None:
    body = {
        "docvalue_fields": ["@timestamp"],
        "query": make_query("level:warn"),
        "script_fields": {},
        "size": 500,
        "sort": [
            {"@timestamp": {"order": "desc", "unmapped_type": "boolean"}},
            {"_doc": {"order": "desc"}},
        ],
    }
    [answer] = ask(shop, body)
    hits = answer["hits"]["hits"]
    assert [hit["_source"]["n"] for hit in reversed(hits)] == shop.choose(
        lambda event: event["level"] == "warn"
    )
    assert hits[0]["fields"]["@timestamp"] == ["2026-01-02T03:07:58.000Z"]


def test_logs_with_their_context(shop: Shop) -> None:
    [answer] = ask(shop, make_logs("message:cart AND level:error"))
    hits = answer["hits"]["hits"]
    expected = shop.choose(lambda event: "/cart" in event["message"] and event["level"] == "error")
    assert [hit["_source"]["n"] for hit in hits] == expected[::-1][:20]
    assert sum(each["doc_count"] for each in answer["aggregations"]["1"]["buckets"]) == len(
        expected
    )
    for hit in hits:
        assert hit["highlight"] == {
            "message": [f"Request {hit['_source']['n']} to /{PRE}cart{POST} done"],
            "level": [f"{PRE}error{POST}"],
        }
        assert hit["fields"]["@timestamp"][0].endswith(".000000000Z")
    middle = hits[10]
    # What Grafana has read as JSON and writes again.
    place = json.loads(json.dumps(middle["sort"]))
    older, newer = ask(
        shop,
        make_logs("*", "desc", search_after=place),
        make_logs("*", "asc", search_after=place),
    )
    number = middle["_source"]["n"]
    assert [hit["_source"]["n"] for hit in older["hits"]["hits"]] == list(
        range(number - 1, number - 21, -1)
    )
    assert [hit["_source"]["n"] for hit in newer["hits"]["hits"]] == list(
        range(number + 1, number + 21)
    )


def test_annotations(shop: Shop) -> None:
    times = [{"range": {"@timestamp": {"from": START_MS, "to": END_MS, "format": "epoch_millis"}}}]
    body = {
        "docvalue_fields": ["@timestamp"],
        "query": {
            "bool": {
                "filter": [
                    {"bool": {"should": times, "minimum_should_match": 1}},
                    {"query_string": {"query": "user:User-2"}},
                ]
            }
        },
        "size": 10_000,
        "fields": ["@timestamp", "_source"],
    }
    [answer] = ask(shop, body)
    assert len(answer["hits"]["hits"]) == len(
        shop.choose(lambda event: event.get("user") == "User-2")
    )


def test_parts_of_long_texts_are_highlighted(shop: Shop) -> None:
    long = "alpha " * 50 + "needle <b> " + "beta " * 50 + "NEEDLE"
    shop.service.keep(
        json.dumps({"message": long, "tags": ["x needle", "y"]}).encode(),
        {"env": shop.env, "index": "long"},
    )
    cases: list[tuple[Event, Event]] = [
        ({"fields": {"message": {}}}, {"message": 2}),
        ({"fields": [{"message": {}}], "number_of_fragments": 1}, {"message": 1}),
        ({"fields": {"*": {}}, "number_of_fragments": 0}, {"message": 1}),
        ({"fields": {"*": {}}, "require_field_match": False}, {"message": 2, "tags": 1}),
        ({"fields": {"message": {}}, "highlight_query": {"match": {"message": "zebra"}}}, {}),
    ]
    for highlight, counts in cases:
        answer = shop.search(
            index="long", query={"match": {"message": "needle"}}, highlight=highlight
        )
        [hit] = answer["hits"]["hits"]
        marked = hit.get("highlight", {})
        assert {name: len(parts) for name, parts in marked.items()} == counts, highlight
        assert all("<em>" in part for parts in marked.values() for part in parts)

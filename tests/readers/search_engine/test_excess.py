"""Requests that would take too much time or memory are refused, or end when their time is up."""

import json
from collections.abc import Iterator

import pytest
from tests.conftest import MakeService
from tests.readers.search_engine.shop import COUNT, Event, Shop, make_event, open_shop
from tests.running import RunningService, encode_lines


@pytest.fixture(scope="module")
def shop(service: RunningService) -> Iterator[Shop]:
    yield from open_shop(service)


def nest_shares(levels: int) -> Event:
    """Each level doubles the filter."""
    query: Event = {"term": {"n": 1}}
    for level in range(levels):
        others: list[Event] = [{"term": {"n": level}}, {"term": {"took": level}}]
        query = {"bool": {"should": [query, *others], "minimum_should_match": 2}}
    return query


WORDS = " ".join(f"w{number}" for number in range(5000))
MANY: list[Event] = [{"terms": {"n": [f"v{number}" for number in range(9000)]}}] * 3
FIELDS = [f"f{number}" for number in range(1000)]
EXCESSIVE: list[tuple[Event, str]] = [
    ({"query": nest_shares(39)}, "more than 20000 tests"),
    ({"query": {"bool": {"should": MANY, "minimum_should_match": 2}}}, "more than 20000 tests"),
    ({"query": {"query_string": {"query": WORDS, "fields": FIELDS}}}, "more than 20000 tests"),
    ({"query": {"simple_query_string": {"query": WORDS, "fields": FIELDS}}}, "more than 20000 tests"),
    ({"query": {"simple_query_string": {"query": "a + b | " * 50}}}, "changes between + and |"),
    ({"query": {"multi_match": {"query": "a", "fields": [*FIELDS, *FIELDS]}}}, "2000 fields"),
    ({"query": {"simple_query_string": {"query": WORDS, "fields": ["level", "took"]}}}, "expected at most 65536"),
    ({"query": {"wildcard": {"host.name": "*a" * 2000}}}, "a pattern of 4000 characters"),
    ({"aggs": {"a": {"histogram": {"field": "n", "interval": 1e-9, "extended_bounds": {"min": 0, "max": 1}}}}}, "too many buckets"),
    ({"aggs": {"a": {"filters": {"filters": MANY}}}}, "more than 20000 tests"),
    (
        {"aggs": {"a": {"filters": {"filters": [{"term": {"host.name": "x" * 9000}}] * 4}, "aggs": {"s": {"extended_stats": {"field": "n"}}}}}},
        "11 numbers in each of 4 filters",
    ),
    (
        {"aggs": {"a": {"filters": {"filters": [{"terms": {"n": [*range(500)]}}] * 14}, "aggs": {"b": {"filters": {"filters": [{"terms": {"took": [*range(500)]}}] * 14}}}}}},
        "in each of 196 filters",
    ),
    ({"query": {"match": {"message": "a"}}, "highlight": {"fields": {"*": {}}, "pre_tags": ["<" * 300]}}, "pre_tags"),
]  # fmt: skip


def test_requests_that_would_become_too_large_are_refused(shop: Shop) -> None:
    for body, reason in EXCESSIVE:
        answer = shop.service.client.post("/_search", params={"env": shop.env}, json=body)
        assert answer.status_code == 400, body
        error = answer.json()["error"]["reason"]
        assert reason in error
        assert "col " not in error, "the request has no such place"


def test_patterns_of_names_are_bounded(shop: Shop) -> None:
    wild = [f"*a*b{number}*" for number in range(60)]
    bodies: list[Event] = [
        {"_source": wild},
        {"fields": wild},
        {"highlight": {"fields": {name: {} for name in wild}}},
    ]
    for body in bodies:
        answer = shop.service.client.post("/_search", params={"env": shop.env}, json=body)
        assert answer.status_code == 400
        assert "60 patterns with stars" in answer.json()["error"]["reason"]
    answer = shop.service.client.post(
        "/_field_caps", params={"env": shop.env}, json={"fields": wild}
    )
    assert "60 patterns with stars" in answer.json()["error"]["reason"]
    many = [f"x{number}" for number in range(900)]
    found = shop.client.field_caps(fields=["*st.na*", "l*l", "n", "o***k", *many])["fields"]
    assert set(found) == {"host.name", "level", "n", "ok"}
    scroll = shop.service.client.post(
        "/_search", params={"env": shop.env, "scroll": "1m"}, json={"_source": ["x" * 300_000]}
    )
    assert scroll.status_code == 413


def test_a_mapping_is_only_so_deep(service: RunningService, env: str) -> None:
    """A sender must not be able to break the answer for readers."""
    deep = ".".join(["a"] * 2000)
    service.keep(encode_lines([{deep: 1, "b.c": 2}]), {"env": env})
    answer = service.client.get("/_mapping", params={"env": env})
    assert answer.status_code == 200
    properties = answer.json()["default"]["mappings"]["properties"]
    assert properties["b"] == {"properties": {"c": {"type": "long"}}}
    for _ in range(20):
        properties = properties["a"]["properties"]
    assert list(properties) == [".".join(["a"] * 1980)]


def test_large_requests_that_are_small_enough_are_answered(shop: Shop) -> None:
    words = " ".join(f"w{number}" for number in range(200))
    for join in (" ", " | "):
        joined = f"{words.replace(' ', join)}{join}/cart"
        query = {"simple_query_string": {"query": joined, "fields": ["message", "level"]}}
        assert shop.find(query) == shop.choose(lambda event: "/cart" in event["message"])
    signs = {"simple_query_string": {"query": "info | warn + request | error", "fields": ["*"]}}
    assert len(shop.find(signs)) == COUNT


def test_terms_inside_filters_are_those_of_each_filter(shop: Shop) -> None:
    filters = {level: {"term": {"level": level}} for level in ("info", "warn", "none")}
    inner = {"t": {"terms": {"field": "n", "size": 2, "order": {"_key": "desc"}}}}
    found = shop.search(size=0, aggs={"f": {"filters": {"filters": filters}, "aggs": inner}})
    for level, bucket in found["aggregations"]["f"]["buckets"].items():
        numbers = shop.choose(lambda event, level=level: event["level"] == level)  # type: ignore[misc]
        assert [each["key"] for each in bucket["t"]["buckets"]] == numbers[:-3:-1]
        assert bucket["t"]["sum_other_doc_count"] == max(len(numbers) - 2, 0)


def test_filters_inside_many_terms_count_all_of_them(service: RunningService, env: str) -> None:
    """The filter does not change which terms are shown."""
    events = [
        {"id": f"id-{n:04}", "ok": n < 650, "at": n % 3}
        for n in range(700)
        for _ in range(1 + (n >= 100))
    ]
    service.keep(encode_lines(events), {"env": env})
    inner = {"f": {"filter": {"term": {"ok": True}}, "aggs": {"s": {"sum": {"field": "at"}}}}}
    aggs = {"t": {"terms": {"field": "id", "size": 600}, "aggs": inner}}
    answer = service.client.post("/_search", params={"env": env}, json={"size": 0, "aggs": aggs})
    buckets = answer.json()["aggregations"]["t"]["buckets"]
    assert [each["key"] for each in buckets] == [f"id-{n:04}" for n in range(100, 700)]
    for n, bucket in enumerate(buckets, 100):
        count = 2 if n < 650 else 0
        assert bucket["f"]["doc_count"] == count
        assert bucket["f"]["s"]["value"] == count * (n % 3)


def test_only_the_first_texts_of_a_large_answer_are_marked(
    service: RunningService, env: str
) -> None:
    long = "cart " * 25_000
    service.keep(
        encode_lines([{"message": long, "n": number} for number in range(8)]), {"env": env}
    )
    body: Event = {
        "query": {"match": {"message": "CART"}},
        "highlight": {"fields": {"*": {}}, "number_of_fragments": 0, "pre_tags": ["<" * 200]},
    }
    hits = service.client.post("/_search", params={"env": env}, json=body).json()["hits"]["hits"]
    assert [hit["_source"]["message"] for hit in hits] == [long] * 8
    marked = [hit["highlight"]["message"][0] for hit in hits if "highlight" in hit]
    assert 0 < len(marked) < 8
    assert marked[0] == ("<" * 200 + "cart</em> ") * 20_000 + "cart " * 5_000


def test_requests_end_when_their_time_is_up(start_service: MakeService) -> None:
    service = start_service(timeout_s=-1.0)
    service.keep(encode_lines(make_event(number) for number in range(5)))
    search = service.client.post("/_search", json={})
    assert (search.status_code, search.json()["error"]["reason"]) == (504, "stopped after -1 s")
    lines = "\n".join([json.dumps({}), json.dumps({"query": {"match_all": {}}})] * 3)
    several = service.client.post("/_msearch", content=lines + "\n").json()["responses"]
    assert [each["status"] for each in several] == [504] * 3
    for path, query in (
        ("query_range", '{index=~".+"}'),
        ("query", "sum(count_over_time({}[1h]))"),
        ("query", "1 + 1"),
        ("series", "{}"),
        ("patterns", "{}"),
    ):
        answer = service.client.get(f"/loki/api/v1/{path}", params={"query": query})
        assert (answer.status_code, answer.text) == (504, "stopped after -1 s\n"), path

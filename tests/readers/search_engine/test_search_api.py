"""Searches through the official client, compared with plain Python over the same events."""

import base64
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from elasticsearch import ApiError, Elasticsearch, NotFoundError
from tests.readers.search_engine.shop import COUNT, START_S, Event, Shop, open_shop
from tests.running import RunningService
from tests.together import together

START_MS = START_S * 1000

QUERIES: list[tuple[Event, Callable[[Event], object]]] = [
    ({"match_all": {}}, lambda _: True),
    ({"match_none": {}}, lambda _: False),
    ({"term": {"level": "error"}}, lambda e: e["level"] == "error"),
    ({"term": {"level": {"value": "ERROR"}}}, lambda _: False),
    (
        {"term": {"level": {"value": "ERROR", "case_insensitive": True}}},
        lambda e: e["level"] == "error",
    ),
    ({"term": {"host.name.keyword": "web-1"}}, lambda e: e["host"]["name"] == "web-1"),
    ({"term": {"ok": False}}, lambda e: not e["ok"]),
    ({"term": {"n": "7"}}, lambda e: e["n"] == 7),
    ({"term": {"_index": "app"}}, lambda e: e["n"] % 2 == 0),
    ({"term": {"no.such.field": 1}}, lambda _: False),
    ({"terms": {"n": [3, 5, 1000]}}, lambda e: e["n"] in (3, 5)),
    ({"terms": {"user": ["User-0", "user-2"]}}, lambda e: e.get("user") == "User-0"),
    ({"terms": {"tags": []}}, lambda _: False),
    ({"exists": {"field": "user"}}, lambda e: "user" in e),
    ({"exists": {"field": "@timestamp"}}, lambda _: True),
    ({"prefix": {"host.name": "web-"}}, lambda _: True),
    ({"prefix": {"user": {"value": "User-2"}}}, lambda e: e.get("user") == "User-2"),
    ({"wildcard": {"host.name": {"value": "w?b-[12]"}}}, lambda _: False),
    ({"wildcard": {"host.name": "*-3"}}, lambda e: e["host"]["name"] == "web-3"),
    ({"regexp": {"host.name": "web-[12]"}}, lambda e: e["host"]["name"] in ("web-1", "web-2")),
    ({"regexp": {"host.name": "eb-1"}}, lambda _: False),
    ({"match": {"message": "cart nothing"}}, lambda e: "/cart" in e["message"]),
    (
        {"match": {"message": {"query": "done cart", "operator": "and"}}},
        lambda e: "/cart" in e["message"],
    ),
    (
        {"match": {"message": {"query": "home page zebra", "minimum_should_match": 2}}},
        lambda e: "home page" in e["message"],
    ),
    ({"match": {"took": 3}}, lambda e: e["took"] == 3.0),
    ({"match_phrase": {"message": "home page"}}, lambda e: "home page" in e["message"]),
    ({"match_phrase": {"message": "page home"}}, lambda _: False),
    ({"match_phrase_prefix": {"message": "to /ho"}}, lambda e: "to /ho" in e["message"]),
    ({"match_bool_prefix": {"message": "zebra car"}}, lambda e: "car" in e["message"]),
    (
        {"multi_match": {"query": "web-1", "type": "phrase", "fields": ["message^3", "host.*"]}},
        lambda e: e["host"]["name"] == "web-1",
    ),
    ({"range": {"n": {"gt": 10, "lte": "12"}}}, lambda e: 10 < e["n"] <= 12),
    ({"range": {"took": {"gte": 7.5}}}, lambda e: e["took"] >= 7.5),
    (
        {
            "range": {
                "@timestamp": {
                    "gte": START_MS + 5000,
                    "lte": START_MS + 9000,
                    "format": "epoch_millis",
                }
            }
        },
        lambda e: 5 <= e["n"] <= 9,
    ),
    (
        {"range": {"timestamp": {"gt": "2026-01-02T03:06", "lt": "2026-01-02T03:07:10Z"}}},
        lambda e: 180 <= e["n"] < 190,
    ),
    (
        {"range": {"@timestamp": {"gte": "2026-01-02T04:05:00", "time_zone": "+01:00"}}},
        lambda e: e["n"] >= 60,
    ),
    ({"range": {"@timestamp": {"lt": "2026-01-02T03:05:30Z||/m"}}}, lambda e: e["n"] < 60),
    ({"range": {"@timestamp": {"gte": "now-1d/d"}}}, lambda _: False),
    ({"ids": {"values": ["no such id"]}}, lambda _: False),
    (
        {
            "bool": {
                "must": [{"term": {"level": "info"}}],
                "filter": {"range": {"n": {"lt": 50}}},
                "must_not": [{"term": {"ok": False}}],
                "should": [{"term": {"n": 3}}],
            }
        },
        lambda e: e["level"] == "info" and e["n"] < 50 and e["ok"],
    ),
    (
        {
            "bool": {
                "should": [
                    {"term": {"level": "warn"}},
                    {"term": {"ok": False}},
                    {"range": {"n": {"lt": 9}}},
                ],
                "minimum_should_match": "67%",
            }
        },
        lambda e: (e["level"] == "warn") + (not e["ok"]) + (e["n"] < 9) >= 2,
    ),
    ({"bool": {}}, lambda _: True),
    ({"constant_score": {"filter": {"term": {"n": 1}}}}, lambda e: e["n"] == 1),
    (
        {"dis_max": {"queries": [{"term": {"n": 1}}, {"term": {"n": 2}}]}},
        lambda e: e["n"] in (1, 2),
    ),
    ({"function_score": {"query": {"term": {"n": 1}}, "boost": 2}}, lambda e: e["n"] == 1),
    (
        {"nested": {"path": "host", "query": {"term": {"host.name": "web-0"}}}},
        lambda e: e["host"]["name"] == "web-0",
    ),
    (
        {"query_string": {"query": "level:error AND NOT ok:false", "analyze_wildcard": True}},
        lambda e: e["level"] == "error" and e["ok"],
    ),
    ({"query_string": {"query": "level:(warn OR error) +n:[3 TO 20}"}}, lambda e: 3 <= e["n"] < 20),
    ({"query_string": {"query": "web-1 web-2"}}, lambda e: e["host"]["name"] in ("web-1", "web-2")),
    (
        {"query_string": {"query": "_exists_:user took:>=7.5"}},
        lambda e: "user" in e or e["took"] >= 7.5,
    ),
    (
        {
            "query_string": {
                "query": 'message:"home page" host.name:/web-[02]/',
                "default_operator": "and",
            }
        },
        lambda e: "home page" in e["message"],
    ),
    ({"query_string": {"query": "@timestamp:>2026-01-02T03\\:07\\:00Z"}}, lambda e: e["n"] > 180),
    (
        {"simple_query_string": {"query": "cart + -ok", "fields": ["message"]}},
        lambda e: "/cart" in e["message"],
    ),
    (
        {"simple_query_string": {"query": '"home page" | car*', "fields": ["message"]}},
        lambda _: True,
    ),
]

BAD_BODIES: list[tuple[Event, str]] = [
    ({"query": {"foo": {}}}, "unknown query [foo]"),
    ({"query": {"match": {}}}, "[match]"),
    ({"query": {"term": {"a": 1}, "match": {"b": 2}}}, "2 clauses"),
    ({"query": []}, "[query]"),
    ({"query": {"bool": {"musst": []}}}, "[musst]"),
    ({"query": {"range": {"n": {"above": 1}}}}, "[above]"),
    ({"query": {"range": {"@timestamp": {"gte": "yesterday-ish"}}}}, "yesterday-ish"),
    ({"query": {"query_string": {"query": "(a"}}}, "(a"),
    ({"query": {"regexp": {"host": "("}}}, "("),
    ({"query": {"term": {"a": None}}}, "value is null"),
    ({"query": {"term": {"": 1}}}, "field name"),
    ({"size": 10_001}, "[size]"),
    ({"size": -1}, "[size]"),
    ({"size": "many"}, "[size]"),
    ({"from": 9_999, "size": 10}, "Result window is too large"),
    ({"sort": [{"n": "upwards"}]}, "upwards"),
    ({"sort": [{"n": {"missing": "_first"}}]}, "missing"),
    ({"sort": ["n"], "search_after": [1, 2]}, "search_after"),
    ({"sort": ["_doc"], "search_after": [1]}, "expected an id"),
    ({"colour": "red"}, "[colour]"),
    ({"rescore": {"a": 1}}, "[rescore]"),
    ({"_source": 5}, "_source"),
]

ORDERS: list[tuple[list[Event], Callable[[Event], Any]]] = [
    ([{"@timestamp": "desc"}, {"_doc": "desc"}], lambda e: -e["n"]),
    (
        [{"@timestamp": {"order": "asc", "unmapped_type": "boolean"}}, {"_doc": "asc"}],
        lambda e: e["n"],
    ),
    ([{"level": "asc"}, {"n": "desc"}], lambda e: (e["level"], -e["n"])),
    ([{"user": "asc"}, {"n": "asc"}], lambda e: ("user" not in e, e.get("user", ""), e["n"])),
    (
        [{"user": "desc"}, {"n": "asc"}],
        lambda e: ("user" not in e, -int(e.get("user", "-0")[-1]), e["n"]),
    ),
    ([{"ok": "desc"}, {"@timestamp": "asc"}], lambda e: (not e["ok"], e["n"])),
]


@pytest.fixture(scope="module")
def shop(service: RunningService) -> Iterator[Shop]:
    yield from open_shop(service)


@together(("query", "test"), QUERIES)
def test_a_query_finds_what_plain_python_finds(
    shop: Shop, query: Event, test: Callable[[Event], object]
) -> None:
    assert shop.find(query) == shop.choose(test)


def test_bad_bodies_are_refused_in_the_form_of_the_protocol(shop: Shop) -> None:
    for body, part in BAD_BODIES:
        with pytest.raises(ApiError) as refusal:
            shop.client.options().perform_request("POST", "/_search", body=body, headers=JSON)
        error = refusal.value.body
        assert error["status"] == 400, body
        assert error["error"]["type"] in ("parsing_exception", "illegal_argument_exception")
        assert part in error["error"]["reason"], error


JSON = {"Content-Type": "application/json", "Accept": "application/json"}


def test_a_star_in_quotes_is_no_wildcard(shop: Shop) -> None:
    for clause in ("match_phrase", "match", "term"):
        assert shop.find({clause: {"_index": "*"}}) == []
    assert shop.find({"simple_query_string": {"query": "*", "fields": ["_index"]}}) == []
    assert len(shop.find({"wildcard": {"_index": "*"}})) == COUNT


def test_bodies_that_are_no_objects_are_refused(shop: Shop) -> None:
    deep = b'{"query":' + b'{"bool":{"must":' * 60 + b"{}" + b"}}" * 60 + b"}"
    for body in (b"{", b"[]", b"5", b"\xff", b"[" * 100_000, deep):
        answer = shop.service.client.post("/_search", content=body, params={"env": shop.env})
        assert answer.status_code == 400, body[:20]
        assert answer.json()["error"]["type"] == "parsing_exception"


def test_pages_in_any_order_have_every_event_once(shop: Shop) -> None:
    for sort, key in ORDERS:
        found: list[int] = []
        after = None
        while True:
            answer = shop.search(sort=sort, size=37, search_after=after)
            hits = answer["hits"]["hits"]
            assert answer["hits"]["total"] == {"value": COUNT, "relation": "eq"}
            if not hits:
                break
            found += [hit["_source"]["n"] for hit in hits]
            after = hits[-1]["sort"]
        assert found == [event["n"] for event in sorted(shop.events, key=key)], sort


def test_values_of_several_types_are_paged_without_loss(shop: Shop) -> None:
    for order in ("asc", "desc"):
        sort = [{"mixed": order}, {"_doc": "asc"}]
        whole = shop.search(sort=sort, size=1000)["hits"]["hits"]
        paged: list[Event] = []
        while hits := shop.search(
            sort=sort, size=11, search_after=paged[-1]["sort"] if paged else None
        )["hits"]["hits"]:
            paged += hits
        assert [hit["_id"] for hit in paged] == [hit["_id"] for hit in whole]
        assert len({hit["_id"] for hit in paged}) == COUNT


def test_a_time_alone_continues_after_its_millisecond(shop: Shop) -> None:
    answer = shop.search(sort=[{"@timestamp": "desc"}], size=3, search_after=[START_MS + 10_000])
    assert [hit["sort"] for hit in answer["hits"]["hits"]] == [
        [START_MS + seconds * 1000] for seconds in (9, 8, 7)
    ]
    text = shop.search(
        sort=[{"@timestamp": {"order": "asc", "format": "strict_date_optional_time_nanos"}}], size=1
    )
    assert text["hits"]["hits"][0]["sort"] == ["2026-01-02T03:04:00.000000000Z"]


def test_the_newest_events_come_first(shop: Shop) -> None:
    hits = shop.search(from_=5, size=2)["hits"]
    assert [hit["_source"]["n"] for hit in hits["hits"]] == [COUNT - 6, COUNT - 7]
    assert {hit["_score"] for hit in hits["hits"]} == {hits["max_score"]} == {1.0}


def test_hits_have_the_event_as_it_was_sent(shop: Shop) -> None:
    [hit] = shop.search(query={"term": {"n": 6}}, index="app", fields=["host.*", "tags", "no"])[
        "hits"
    ]["hits"]
    assert hit["_source"] == shop.events[6]
    assert hit["fields"] == {"host.name": ["web-2"], "tags": ["b", "c"]}
    assert hit["_index"] == "app"
    [same] = shop.search(query={"ids": {"values": [hit["_id"]]}})["hits"]["hits"]
    assert same["_source"] == hit["_source"]


def test_events_without_a_time_and_message_of_that_name_get_them(
    service: RunningService, shop: Shop
) -> None:
    service.keep(
        b'{"msg":"short","ts":1767323040.000000123}\nplain\n', {"env": shop.env, "index": "other"}
    )
    hits = shop.search(index="other", query={"match": {"message": "short"}})["hits"]["hits"]
    assert [hit["_source"] for hit in hits] == [
        {
            "@timestamp": "2026-01-02T03:04:00.000000123Z",
            "msg": "short",
            "ts": 1767323040.0000002,
            "message": "short",
        }
    ]
    [plain] = shop.search(index="other", query={"match": {"message": "plain"}})["hits"]["hits"]
    assert plain["_source"]["message"] == "plain"
    assert shop.client.count(index="app,web-1")["count"] == COUNT


def test_source_is_filtered(shop: Shop) -> None:
    cases: list[tuple[Any, set[str] | None]] = [
        (True, set(shop.events[1])),
        (False, None),
        ("n", {"n"}),
        (["n", "ho*"], {"n", "host"}),
        ({"includes": ["host", "tags"], "excludes": ["*.name"]}, {"tags"}),
        ({"excludes": ["host.name", "m*"]}, set(shop.events[1]) - {"host", "message", "mixed"}),
    ]
    for source, names in cases:
        [hit] = shop.search(query={"term": {"n": 1}}, source=source)["hits"]["hits"]
        assert (set(hit["_source"]) if "_source" in hit else None) == names, source


def test_parameters_of_the_address(shop: Shop) -> None:
    params = {
        "q": "level:error",
        "size": "2",
        "sort": "n:asc",
        "_source_includes": "n",
        "env": shop.env,
    }
    path = "/app,web-*/_search"
    answer = shop.service.client.get(
        path, params={**params, "rest_total_hits_as_int": "true"}
    ).json()
    assert answer["hits"]["total"] == COUNT // 3
    assert [hit["_source"] for hit in answer["hits"]["hits"]] == [{"n": 2}, {"n": 5}]
    only = {"filter_path": "hits.hits._source.n"}
    answer = shop.service.client.get(path, params=params | only).json()
    assert answer == {"hits": {"hits": [{"_source": {"n": 2}}, {"_source": {"n": 5}}]}}
    assert "total" not in shop.search(track_total_hits=False)["hits"]


def test_indexes_are_named_by_patterns_and_exclusions(shop: Shop) -> None:
    half = COUNT // 2
    for index, count in (
        ("app", half),
        ("w*", half),
        ("*,-web*", half),
        ("APP,nope*", half),
        ("nope*", 0),
        ("_all", COUNT),
    ):
        found = shop.client.count(index=index, q="_exists_:level")["count"]
        assert found == count, index
    assert shop.client.count(index="app,nope", ignore_unavailable=True)["count"] == half
    for name in ("_count", "_search", "_mapping", "_field_caps"):
        answer = shop.service.client.get(f"/app,nope/{name}", params={"env": shop.env})
        assert answer.status_code == 404
        assert answer.json()["error"]["type"] == "index_not_found_exception"
        assert "[nope]" in answer.json()["error"]["reason"]
    with pytest.raises(NotFoundError):
        shop.client.search(index="nope*", allow_no_indices=False)


def test_mappings_and_capabilities(shop: Shop) -> None:
    mapping = shop.client.indices.get_mapping(index="app")["app"]["mappings"]["properties"]
    assert mapping["@timestamp"] == {"type": "date"}
    assert mapping["host"] == {"properties": {"name": {"type": "keyword"}}}
    kinds = {
        name: mapping[name]["type"] for name in ("n", "took", "ok", "tags", "mixed", "message")
    }
    assert kinds == {
        "n": "long", "took": "double", "ok": "boolean", "tags": "keyword", "mixed": "keyword", "message": "text"
    }  # fmt: skip
    caps = shop.client.field_caps(index="app", fields="host*,n,_id")["fields"]
    assert set(caps) == {"host.name", "n", "_id"}
    assert caps["n"]["long"]["aggregatable"]
    assert shop.client.field_caps(fields=["took"])["fields"]["took"]["double"]["searchable"]
    one = shop.client.indices.get_field_mapping(fields="host.*", index="app").body
    assert one["app"]["mappings"]["host.name"]["mapping"] == {"name": {"type": "keyword"}}


def test_the_list_of_indexes(shop: Shop) -> None:
    rows = shop.client.cat.indices(
        index="app,web-1", format="json", h="index,docs.count", s="index:desc"
    ).body
    assert rows == [{"index": "web-1", "docs.count": "120"}, {"index": "app", "docs.count": "120"}]
    text = shop.service.client.get("/_cat/indices/app", params={"env": shop.env, "v": "true"}).text
    header, line = text.splitlines()
    assert header.split()[:3] == ["health", "status", "index"]
    assert line.split()[:3] == ["green", "open", "app"]


def test_who_may_search(service: RunningService, shop: Shop) -> None:
    _, token = service.control.tokens.create("shipper", shop.env)
    answer = service.client.post(
        "/api/keys",
        json={"name": "narrow", "scopes": ["search"], "envs": [shop.env], "indexes": ["app"]},
    )
    key = answer.json()["key"]
    basic = base64.b64encode(f"any:{key}".encode()).decode()
    plain = base64.b64encode(f"id:{key}".encode()).decode()
    for authorization in (f"Bearer {key}", f"Basic {basic}", f"ApiKey {plain}", f"ApiKey {key}"):
        headers = {"Authorization": authorization}
        for path in ("/", "/_cluster/health", "/_license"):
            assert service.anonymous.get(path, headers=headers).status_code == 200
        assert service.anonymous.get("/_count", headers=headers).json()["count"] == COUNT // 2
        assert service.anonymous.get("/web-1/_count", headers=headers).status_code == 404
        assert service.anonymous.get("/_count?env=default", headers=headers).status_code == 403
    for headers, status in (
        ({}, 401),
        ({"Authorization": f"Bearer {token}"}, 403),
        ({"Authorization": "Bearer x"}, 401),
    ):
        answer = service.anonymous.post("/_search", headers=headers)
        assert (answer.status_code, answer.json()["error"]["type"]) == (
            status,
            "security_exception",
        )
    headers = {"Authorization": f"Bearer {token}"}
    assert service.anonymous.get("/_cluster/health", headers=headers).status_code == 200
    refused = service.anonymous.post(
        "/_bulk", headers={"Authorization": f"Bearer {key}"}, content=b"{}"
    )
    assert refused.status_code == 403


def test_a_whole_body_must_fit(shop: Shop) -> None:
    answer = shop.service.client.post("/_search", content=b" " * 5_000_000)
    assert answer.status_code == 413
    with (
        Elasticsearch(f"http://127.0.0.1:{shop.service.port}", api_key="wrong") as client,
        pytest.raises(ApiError),
    ):
        client.search()


@together("prefix", ["", "/api/es"])
def test_both_prefixes_answer(service: RunningService, prefix: str) -> None:
    assert service.client.get(f"{prefix}/_count").json()["_shards"]["failed"] == 0

"""Composite aggregations, page by page, against plain Python."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from tests.readers.search_engine.shop import Event, Shop, open_shop
from tests.running import RunningService, encode_lines

Key = tuple[Any, ...]
MINUTE_MS = 60_000


@pytest.fixture(scope="module")
def shop(service: RunningService) -> Iterator[Shop]:
    yield from open_shop(service)


def list_pages(shop: Shop, sources: list[Event], size: int, **inner: Any) -> list[Event]:
    """The buckets of all pages."""
    found: list[Event] = []
    after: Event = {}
    while True:
        composite = {"sources": sources, "size": size, **after}
        answer = shop.search(size=0, aggs={"c": {"composite": composite, **inner}})
        page = answer["aggregations"]["c"]
        if not page["buckets"]:
            assert "after_key" not in page
            return found
        assert len(page["buckets"]) <= size
        assert page["after_key"] == page["buckets"][-1]["key"]
        found += page["buckets"]
        after = {"after": page["after_key"]}


def count(shop: Shop, key: Callable[[Event], Key | None]) -> dict[Key, list[Event]]:
    groups: defaultdict[Key, list[Event]] = defaultdict(list)
    for event in shop.events:
        found = key(event)
        if found is not None:
            groups[found].append(event)
    return groups


def read_ms(event: Event) -> int:
    minutes, seconds = map(int, event["@timestamp"][14:19].split(":"))
    return 1_767_322_800_000 + (minutes * 60 + seconds) * 1000


def rank(value: Any) -> tuple[int, Any, Any]:
    """Numbers, also in texts, then texts ignoring case, then booleans."""
    if isinstance(value, bool):
        return (2, value, "")
    try:
        return (0, float(value), "" if not isinstance(value, str) else f"s{value}")
    except ValueError:
        return (1, value.lower(), value)


MIXED: Event = {"m": {"terms": {"field": "mixed"}}}
SOURCES: list[tuple[list[Event], Callable[[Event], Key | None], list[bool]]] = [
    ([{"l": {"terms": {"field": "level"}}}], lambda event: (event["level"],), [False]),
    ([{"l": {"terms": {"field": "level.keyword", "order": "desc"}}}], lambda event: (event["level"],), [True]),
    (
        [{"h": {"terms": {"field": "host.name", "order": "desc"}}}, {"l": {"terms": {"field": "level"}}}],
        lambda event: (event["host"]["name"], event["level"]),
        [True, False],
    ),
    (
        [{"t": {"date_histogram": {"field": "@timestamp", "fixed_interval": "1m"}}}, {"l": {"terms": {"field": "level"}}}],
        lambda event: (read_ms(event) // MINUTE_MS * MINUTE_MS, event["level"]),
        [False, False],
    ),
    (
        [{"o": {"terms": {"field": "ok", "order": "desc"}}}, {"t": {"date_histogram": {"field": "@timestamp", "calendar_interval": "minute", "order": "desc"}}}],
        lambda event: (event["ok"], read_ms(event) // MINUTE_MS * MINUTE_MS),
        [True, True],
    ),
    (
        [{"s": {"histogram": {"field": "took", "interval": 0.7, "order": "desc"}}}, {"l": {"terms": {"field": "level"}}}],
        lambda event: (int(event["took"] / 0.7 + 1e-9) * 0.7, event["level"]),
        [True, False],
    ),
    ([{"s": {"histogram": {"field": "n", "interval": 50, "offset": 7}}}], lambda event: ((event["n"] - 7) // 50 * 50 + 7,), [False]),
    ([MIXED], lambda event: (event["mixed"],), [False]),
    ([{"m": {"terms": {"field": "mixed", "order": "desc"}}}, {"o": {"terms": {"field": "ok"}}}], lambda event: (event["mixed"], event["ok"]), [True, False]),
    ([{"x": {"terms": {"field": "@timestamp"}}}], lambda event: (read_ms(event),), [False]),
    ([{"i": {"terms": {"field": "_index"}}}], lambda event: (["app", "web-1"][event["n"] % 2],), [False]),
    ([{"none": {"terms": {"field": "no.such"}}}], lambda _event: None, [False]),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "key", "descending"), SOURCES)
@pytest.mark.parametrize("size", [1000, 7])
def test_pages_have_every_bucket_once_and_in_order(
    shop: Shop,
    sources: list[Event],
    key: Callable[[Event], Key | None],
    descending: list[bool],
    size: int,
) -> None:
    expected = count(shop, key)
    order = list(expected)
    for place in reversed(range(len(descending))):
        order.sort(key=lambda each: rank(each[place]), reverse=descending[place])
    buckets = list_pages(shop, sources, size)
    names = [name for source in sources for name in source]
    assert [list(bucket["key"]) for bucket in buckets] == [names] * len(buckets)
    keys = [tuple(bucket["key"].values()) for bucket in buckets]
    assert keys == [pytest.approx(each) if isinstance(each[0], float) else each for each in order]
    assert [bucket["doc_count"] for bucket in buckets] == [len(expected[each]) for each in order]


ODD = [
    "a",
    "A",
    "aA",
    "AA",
    "aa",
    "5",
    5,
    "5.0",
    "05",
    5.5,
    True,
    False,
    "true",
    "",
    " ",
    "é",
    "É",
    "x" * 300,
    -1,
    "-1",
]


def keep(shop: Shop, env: str, events: list[Event]) -> Shop:
    """The same client with other events."""
    shop.service.keep(encode_lines(events), {"env": env})
    client = Elasticsearch(
        f"http://127.0.0.1:{shop.service.port}",
        headers={**shop.service.client.headers, "X-Service-Env": env},
    )
    return shop._replace(env=env, client=client, events=events)


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("where", ["first", "last", "default"])
def test_values_that_are_nearly_equal_are_different_keys(
    shop: Shop, env: str, order: str, where: str
) -> None:
    events: list[Event] = [{"v": value, "w": value} for value in ODD]
    events += [{"v": value} for value in ODD] + [{"w": value} for value in ODD] + [{"x": 1}] * 3
    odd = keep(shop, env, events)
    options = {"order": order, "missing_bucket": True, "missing_order": where}
    sources: list[Event] = [{name: {"terms": {"field": name, **options}}} for name in ("v", "w")]
    whole = list_pages(odd, sources, 1000)
    expected = count(odd, lambda event: (repr(event.get("v")), repr(event.get("w"))))
    assert {tuple(map(repr, each["key"].values())): each["doc_count"] for each in whole} == {
        key: len(found) for key, found in expected.items()
    }
    assert list_pages(odd, sources, 3) == whole
    is_first = where == "first" or (where, order) == ("default", "asc")
    assert whole[0 if is_first else -1] == {"key": {"v": None, "w": None}, "doc_count": 3}
    plain = [{"v": {"terms": {"field": "v", "order": order}}}]
    assert len(list_pages(odd, plain, 4)) == len(ODD)


def test_aggregations_inside_belong_to_their_bucket(shop: Shop) -> None:
    sources: list[Event] = [
        {"h": {"terms": {"field": "host.name"}}},
        {"l": {"terms": {"field": "level", "order": "desc"}}},
    ]
    inner: Event = {
        "sum": {"sum": {"field": "n"}},
        "ok": {"filter": {"term": {"ok": True}}, "aggs": {"most": {"max": {"field": "took"}}}},
        "tags": {"terms": {"field": "user", "size": 2}},
        "top": {"top_hits": {"size": 1, "sort": ["n"], "_source": ["n"]}},
    }
    buckets = list_pages(shop, sources, 5, aggs=inner)
    assert len(buckets) == 12
    groups = count(shop, lambda event: (event["host"]["name"], event["level"]))
    for bucket in buckets:
        events = groups[tuple(bucket["key"].values())]
        fine = [event for event in events if event["ok"]]
        users = count(shop._replace(events=events), lambda event: (event.get("user"),))
        assert bucket["sum"]["value"] == sum(event["n"] for event in events)
        assert bucket["ok"]["doc_count"] == len(fine)
        assert bucket["ok"]["most"]["value"] == max(event["took"] for event in fine)
        assert bucket["top"]["hits"]["hits"][0]["_source"] == {"n": events[0]["n"]}
        assert {each["key"]: each["doc_count"] for each in bucket["tags"]["buckets"]} == {
            user: len(found) for (user,), found in users.items() if user is not None
        }


def test_keys_are_shown_as_asked_for(shop: Shop) -> None:
    histogram = {
        "field": "@timestamp",
        "calendar_interval": "1h",
        "time_zone": "+05:30",
        "format": "yyyy-MM-dd HH:mm XXX",
    }
    for size in (1, 10):
        buckets = list_pages(shop, [{"t": {"date_histogram": histogram}}], size)
        assert [each["key"] for each in buckets] == [{"t": "2026-01-02 08:00 +05:30"}]
    inside = {
        "filter": {"term": {"level": "warn"}},
        "aggs": {"c": {"composite": {"sources": [{"l": {"terms": {"field": "level"}}}]}}},
    }
    answer = shop.client.search(size=0, aggs={"f": inside}, typed_keys=True)
    found = answer["aggregations"]["filter#f"]["composite#c"]
    assert found == {
        "after_key": {"l": "warn"},
        "buckets": [{"key": {"l": "warn"}, "doc_count": 80}],
    }


LEVEL: Event = {"l": {"terms": {"field": "level"}}}
REFUSED: list[tuple[Event, str]] = [
    ({"sources": []}, "1 to 16"),
    ({"sources": [LEVEL] * 17}, "1 to 16"),
    ({"sources": [LEVEL, LEVEL]}, "must be unique"),
    ({"sources": [LEVEL], "size": 0}, "[size] is 0"),
    ({"sources": [LEVEL], "size": 70_000}, "[size]"),
    ({"sources": [LEVEL], "after": {"x": 1}}, "[after] has the keys"),
    ({"sources": [LEVEL], "after": {"l": {}}}, "[after] has {}"),
    ({"sources": [{"l": {"range": {"field": "n"}}}]}, "expected one of terms"),
    ({"sources": [{"l": {"terms": {"field": "n", "order": "up"}}}]}, "expected asc or desc"),
    ({"sources": [{"l": {"terms": {"field": "n"}}, "m": {}}]}, "expected one name"),
    ({"sources": [{"t": {"date_histogram": {"field": "@timestamp", "fixed_interval": "1m"}}}], "after": {"t": "soon"}}, "failed to parse date"),
    ({"sources": [{"t": {"histogram": {"field": "n", "interval": 5}}}], "after": {"t": "x"}}, "[after] has 'x'"),
]  # fmt: skip


def test_mistakes_are_told(shop: Shop) -> None:
    for composite, reason in REFUSED:
        body = {"aggs": {"c": {"composite": composite}}}
        answer = shop.service.client.post("/_search", params={"env": shop.env}, json=body)
        assert answer.status_code == 400, composite
        assert reason in answer.json()["error"]["reason"]
    nested = {"t": {**LEVEL["l"], "aggs": {"c": {"composite": {"sources": [LEVEL]}}}}}
    answer = shop.service.client.post("/_search", params={"env": shop.env}, json={"aggs": nested})
    assert "cannot be used inside buckets" in answer.json()["error"]["reason"]

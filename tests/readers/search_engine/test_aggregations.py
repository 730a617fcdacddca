"""Aggregations through the official client, compared with plain Python over the same events."""

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from elasticsearch import BadRequestError
from tests.readers.search_engine.shop import COUNT, START_S, Event, Shop, open_shop
from tests.running import RunningService, encode_lines

START_MS = START_S * 1000
MINUTE_MS = 60_000


@pytest.fixture(scope="module")
def shop(service: RunningService) -> Iterator[Shop]:
    yield from open_shop(service)


def aggregate(shop: Shop, aggs: Event, **options: Any) -> Event:
    found: Event = shop.search(size=0, aggs=aggs, **options)["aggregations"]
    return found


def group(events: list[Event], key: Callable[[Event], Any]) -> dict[Any, list[Event]]:
    """The events by key, without those that have none."""
    groups = defaultdict(list)
    for event in events:
        if (value := key(event)) is not None:
            groups[value].append(event)
    return groups


def by_size(groups: dict[Any, list[Event]]) -> list[Any]:
    return sorted(groups, key=lambda key: (-len(groups[key]), key))


def find_minute(event: Event) -> int:
    return int(START_MS + event["n"] // 60 * MINUTE_MS)


def test_metrics(shop: Shop) -> None:
    found = aggregate(
        shop,
        {
            **{
                kind: {kind: {"field": "took"}}
                for kind in ("avg", "sum", "min", "max", "value_count", "stats")
            },
            "distinct": {"cardinality": {"field": "host.name.keyword"}},
            "spread": {"extended_stats": {"field": "took", "sigma": 3}},
            "users": {"value_count": {"field": "user"}},
            "filled": {"avg": {"field": "user", "missing": 4}},
            "last": {"max": {"field": "@timestamp"}},
            "words": {"max": {"field": "level"}},
            "none": {"stats": {"field": "no.such"}},
        },
    )
    values = [event["took"] for event in shop.events]
    assert found["avg"]["value"] == pytest.approx(statistics.fmean(values))
    assert found["sum"]["value"] == pytest.approx(math.fsum(values))
    assert (found["min"]["value"], found["max"]["value"]) == (min(values), max(values))
    assert found["value_count"]["value"] == found["stats"]["count"] == COUNT
    assert found["stats"]["avg"] == found["avg"]["value"]
    assert found["distinct"] == {"value": 4}
    deviation = statistics.pstdev(values)
    assert found["spread"]["std_deviation"] == pytest.approx(deviation)
    assert found["spread"]["variance_sampling"] == pytest.approx(statistics.variance(values))
    assert found["spread"]["sum_of_squares"] == pytest.approx(
        math.fsum(value**2 for value in values)
    )
    upper = found["spread"]["std_deviation_bounds"]["upper"]
    assert upper == pytest.approx(statistics.fmean(values) + 3 * deviation)
    assert found["users"]["value"] == len(shop.choose(lambda event: "user" in event))
    assert found["filled"]["value"] == 4
    assert found["last"] == {
        "value": START_MS + (COUNT - 1) * 1000,
        "value_as_string": "2026-01-02T03:07:59.000Z",
    }
    assert found["words"] == {"value": None}
    assert found["none"] == {"count": 0, "min": None, "max": None, "avg": None, "sum": 0}


def test_percentiles(shop: Shop) -> None:
    found = aggregate(
        shop,
        {
            "usual": {"percentiles": {"field": "n"}},
            "listed": {"percentiles": {"field": "n", "percents": [50, "99.9"], "keyed": False}},
            "ranks": {"percentile_ranks": {"field": "took", "values": [3, 100]}},
        },
    )
    assert list(found["usual"]["values"]) == ["1.0", "5.0", "25.0", "50.0", "75.0", "95.0", "99.0"]
    assert found["usual"]["values"]["50.0"] == statistics.median(range(COUNT))
    assert [each["key"] for each in found["listed"]["values"]] == [50.0, 99.9]
    below = sum(event["took"] <= 3 for event in shop.events)
    assert found["ranks"]["values"] == {"3.0": pytest.approx(100 * below / COUNT), "100.0": 100.0}


def test_terms(shop: Shop) -> None:
    hosts = group(shop.events, lambda event: event["host"]["name"])
    sums = {host: sum(event["took"] for event in events) for host, events in hosts.items()}
    cases: list[tuple[Event, list[Any]]] = [
        ({}, sorted(hosts)),
        ({"order": {"_key": "desc"}}, sorted(hosts, reverse=True)),
        (
            {"order": [{"_count": "asc"}, {"_key": "desc"}], "size": 2},
            sorted(hosts, reverse=True)[:2],
        ),
        (
            {"order": {"s": "desc"}, "size": 3},
            sorted(hosts, key=lambda host: (-sums[host], host))[:3],
        ),
        (
            {"order": {"st.avg": "asc"}},
            sorted(hosts, key=lambda host: (sums[host] / len(hosts[host]), host)),
        ),
        ({"order": {"p[50]": "asc"}, "size": 10}, sorted(hosts)),
        ({"include": "web-[12]"}, ["web-1", "web-2"]),
        ({"include": ["web-1", "web-9"]}, ["web-1"]),
        ({"exclude": ["web-1"]}, ["web-0", "web-2", "web-3"]),
        ({"min_doc_count": 61}, []),
    ]
    inner = {
        "s": {"sum": {"field": "took"}},
        "st": {"stats": {"field": "took"}},
        "p": {"percentiles": {"field": "no.such", "percents": [50]}},
    }
    for options, keys in cases:
        terms = {"field": "host.name", **options}
        found = aggregate(shop, {"t": {"terms": terms, "aggs": inner}})["t"]
        assert [bucket["key"] for bucket in found["buckets"]] == keys, options
        for bucket in found["buckets"]:
            assert bucket["doc_count"] == len(hosts[bucket["key"]])
            assert bucket["s"]["value"] == pytest.approx(sums[bucket["key"]])
    shown = aggregate(shop, {"t": {"terms": {"field": "host.name", "size": 1}}})["t"]
    assert shown["sum_other_doc_count"] == COUNT - shown["buckets"][0]["doc_count"]


def test_keys_of_terms_keep_their_types(shop: Shop) -> None:
    found = aggregate(
        shop,
        {
            "ok": {
                "terms": {"field": "ok"},
                "aggs": {"l": {"terms": {"field": "level", "size": 1}}},
            },
            "took": {"terms": {"field": "took"}},
            "mixed": {"terms": {"field": "mixed", "size": 1000}},
            "user": {"terms": {"field": "user", "missing": "nobody"}, "meta": {"a": 1}},
            "index": {"terms": {"field": "_index"}},
            "tags": {"terms": {"field": "tags"}},
            "nothing": {"terms": {"field": "no.such"}},
            "time": {"terms": {"field": "@timestamp", "size": 1, "order": {"_key": "desc"}}},
        },
    )
    assert [
        (each["key"], each["key_as_string"], each["doc_count"]) for each in found["ok"]["buckets"]
    ] == [
        (1, "true", 192),
        (0, "false", 48),
    ]
    assert all(
        each["l"]["buckets"][0]["doc_count"] == each["doc_count"] // 3
        for each in found["ok"]["buckets"]
    )
    tooks = group(shop.events, lambda event: event["took"])
    assert [each["key"] for each in found["took"]["buckets"]] == by_size(tooks)
    mixed = Counter(type(each["key"]) for each in found["mixed"]["buckets"])
    assert mixed[str] >= 9
    assert sum(each["doc_count"] for each in found["mixed"]["buckets"]) == COUNT
    assert {each["key"]: each["doc_count"] for each in found["user"]["buckets"]} == Counter(
        event.get("user", "nobody") for event in shop.events
    )
    assert found["user"]["meta"] == {"a": 1}
    assert {each["key"]: each["doc_count"] for each in found["index"]["buckets"]} == {
        "app": 120,
        "web-1": 120,
    }
    # Of several values the first counts.
    assert {each["key"]: each["doc_count"] for each in found["tags"]["buckets"]} == {
        "a": 120,
        "b": 120,
    }
    assert found["nothing"]["buckets"] == []
    last = {
        "key": START_MS + (COUNT - 1) * 1000,
        "key_as_string": "2026-01-02T03:07:59.000Z",
        "doc_count": 1,
    }
    assert found["time"]["buckets"] == [last]


def test_histograms_inside_terms_inside_filters(shop: Shop) -> None:
    histogram = {
        "date_histogram": {"field": "@timestamp", "fixed_interval": "1m"},
        "aggs": {"avg": {"avg": {"field": "took"}}, "distinct": {"cardinality": {"field": "took"}}},
    }
    terms = {"terms": {"field": "level", "size": 2}, "aggs": {"time": histogram}}
    filters = {
        "all": {"match_all": {}},
        "ok": {"term": {"ok": True}},
        "users": {"query_string": {"query": "_exists_:user"}},
        "no": {"match_none": {}},
    }
    found = aggregate(
        shop,
        {
            "f": {
                "filters": {"filters": filters},
                "aggs": {"t": terms, "n": {"max": {"field": "n"}}},
            }
        },
    )
    tests: dict[str, Callable[[Event], bool]] = {
        "all": lambda _: True,
        "ok": lambda event: bool(event["ok"]),
        "users": lambda event: "user" in event,
        "no": lambda _: False,
    }
    for name, test in tests.items():
        matching = list(filter(test, shop.events))
        bucket = found["f"]["buckets"][name]
        assert bucket["doc_count"] == len(matching)
        assert bucket["n"]["value"] == max((event["n"] for event in matching), default=None)
        levels = group(matching, lambda event: event["level"])
        shown = by_size(levels)[:2]
        assert [each["key"] for each in bucket["t"]["buckets"]] == shown
        for inner in bucket["t"]["buckets"]:
            minutes = group(levels[inner["key"]], find_minute)
            for each in inner["time"]["buckets"]:
                inside = minutes[each["key"]]
                assert each["doc_count"] == len(inside)
                assert each["avg"]["value"] == pytest.approx(
                    statistics.fmean(event["took"] for event in inside)
                )
                assert each["distinct"]["value"] == len({event["took"] for event in inside})
            assert sum(each["doc_count"] for each in inner["time"]["buckets"]) == inner["doc_count"]


def test_histograms_of_time_have_all_buckets(shop: Shop) -> None:
    body = {
        "field": "@timestamp",
        "fixed_interval": "30s",
        "format": "epoch_millis",
        "extended_bounds": {"min": START_MS - 40_000, "max": START_MS + 300_000},
    }
    query = {"terms": {"n": [0, 100, 101]}}
    found = aggregate(shop, {"h": {"date_histogram": body}}, query=query)["h"]["buckets"]
    keys = [START_MS + step * 30_000 for step in range(-2, 11)]
    counts = Counter(START_MS + number // 30 * 30_000 for number in (0, 100, 101))
    assert [(each["key"], each["key_as_string"], each["doc_count"]) for each in found] == [
        (key, str(key), counts[key]) for key in keys
    ]
    only = aggregate(shop, {"h": {"date_histogram": body | {"min_doc_count": 1}}}, query=query)
    assert [each["key"] for each in only["h"]["buckets"]] == sorted(counts)
    nothing = aggregate(shop, {"h": {"date_histogram": body}}, query={"match_none": {}})
    assert [each["key"] for each in nothing["h"]["buckets"]] == keys
    hard = body | {"hard_bounds": {"min": START_MS, "max": START_MS + 59_000}}
    cut = aggregate(shop, {"h": {"date_histogram": hard}})["h"]["buckets"]
    assert [each["key"] for each in cut] == [START_MS, START_MS + 30_000]
    ordered = body | {"order": {"_key": "desc"}, "keyed": True}
    keyed = aggregate(shop, {"h": {"date_histogram": ordered}}, query=query)["h"]["buckets"]
    assert list(keyed) == [str(key) for key in reversed(keys)]


def test_days_and_months_follow_the_time_zone(service: RunningService, shop: Shop) -> None:
    env = f"{shop.env}-zones"
    service.control.environments.create(env)
    # The clock goes forward on 29 March.
    hours = [
        f"2026-03-{day}T{hour:02}:00:00Z"
        for day in (27, 28, 29, 30, 31)
        for hour in range(2, 24, 3)
    ]
    service.keep(encode_lines({"@timestamp": text, "message": "x"} for text in hours), {"env": env})

    def count(**options: str) -> list[tuple[str, int]]:
        body = {"size": 0, "aggs": {"h": {"date_histogram": {"field": "@timestamp", **options}}}}
        answer = service.client.post("/_search", params={"env": env}, json=body).json()
        buckets = answer["aggregations"]["h"]["buckets"]
        return [(each["key_as_string"], each["doc_count"]) for each in buckets]

    berlin = {"time_zone": "Europe/Berlin"}
    days = count(calendar_interval="1d", format="yyyy-MM-dd", **berlin)
    assert days == [
        ("2026-03-27", 7),
        ("2026-03-28", 8),
        ("2026-03-29", 8),
        ("2026-03-30", 8),
        ("2026-03-31", 8),
        ("2026-04-01", 1),
    ]
    assert count(calendar_interval="month", **berlin) == [
        ("2026-03-01T00:00:00.000+01:00", 39),
        ("2026-04-01T00:00:00.000+02:00", 1),
    ]
    assert count(interval="1w", format="yyyy-MM-dd") == [("2026-03-23", 24), ("2026-03-30", 16)]
    assert count(fixed_interval="1d", offset="+6h") == [
        (f"2026-03-{day}T06:00:00.000Z", 2 if day == 26 else 6 if day == 31 else 8)
        for day in range(26, 32)
    ]
    assert count(fixed_interval="12h", time_zone="+01:00", format="epoch_second")[0] == (
        "1774566000",
        3,
    )


def test_histograms_of_numbers(shop: Shop) -> None:
    found = aggregate(
        shop,
        {
            "plain": {
                "histogram": {
                    "field": "took",
                    "interval": 3,
                    "extended_bounds": {"min": -3, "max": 12},
                }
            },
            "moved": {
                "histogram": {"field": "took", "interval": 2.5, "offset": 1, "min_doc_count": 1}
            },
            "keyed": {"histogram": {"field": "n", "interval": 100, "keyed": True}},
            "filled": {"histogram": {"field": "user", "interval": 10, "missing": 25}},
        },
    )
    plain = Counter(event["took"] // 3 * 3 for event in shop.events)
    assert {each["key"]: each["doc_count"] for each in found["plain"]["buckets"]} == {
        key: plain[key] for key in (-3, 0, 3, 6, 9, 12)
    }
    moved = Counter((event["took"] - 1) // 2.5 * 2.5 + 1 for event in shop.events)
    assert {each["key"]: each["doc_count"] for each in found["moved"]["buckets"]} == moved
    assert {key: each["doc_count"] for key, each in found["keyed"]["buckets"].items()} == {
        "0.0": 100,
        "100.0": 100,
        "200.0": 40,
    }
    assert found["filled"]["buckets"] == [{"key": 20, "doc_count": 200}]


def test_ranges(shop: Shop) -> None:
    ranges = [{"to": 10}, {"from": 10, "to": 20, "key": "second"}, {"from": 5}]
    times = [{"to": "2026-01-02T03:05:00Z"}, {"from": "2026-01-02T03:05||+1m"}]
    found = aggregate(
        shop,
        {
            "n": {
                "range": {"field": "n", "ranges": ranges},
                "aggs": {"m": {"missing": {"field": "user"}}},
            },
            "keyed": {"range": {"field": "n", "ranges": ranges[:2], "keyed": True}},
            "time": {"date_range": {"field": "@timestamp", "format": "HH:mm", "ranges": times}},
            "rest": {"filters": {"filters": [{"term": {"n": 1}}], "other_bucket": True}},
            "one": {"filter": {"term": {"level": "warn"}}, "aggs": {"s": {"sum": {"field": "n"}}}},
            "nested": {
                "nested": {"path": "host"},
                "aggs": {"c": {"cardinality": {"field": "host.name"}}},
            },
        },
    )
    tests: list[Callable[[int], bool]] = [
        lambda n: n < 10,
        lambda n: 10 <= n < 20,
        lambda n: n >= 5,
    ]
    for bucket, test in zip(found["n"]["buckets"], tests, strict=True):
        inside = [event for event in shop.events if test(event["n"])]
        assert bucket["doc_count"] == len(inside)
        assert bucket["m"]["doc_count"] == sum("user" not in event for event in inside)
    assert [each["key"] for each in found["n"]["buckets"]] == ["*-10.0", "second", "5.0-*"]
    assert found["keyed"]["buckets"]["second"] == {"from": 10.0, "to": 20.0, "doc_count": 10}
    assert [(each["key"], each["doc_count"]) for each in found["time"]["buckets"]] == [
        ("*-03:05", 60),
        ("03:06-*", 120),
    ]
    assert [each["doc_count"] for each in found["rest"]["buckets"]] == [1, COUNT - 1]
    assert found["one"]["s"]["value"] == sum(
        event["n"] for event in shop.events if event["level"] == "warn"
    )
    assert found["nested"] == {"doc_count": COUNT, "c": {"value": 4}}


def test_top_hits_and_top_metrics(shop: Shop) -> None:
    tops = {
        "newest": {"top_hits": {"size": 2, "_source": ["n"]}},
        "least": {
            "top_hits": {
                "size": 1,
                "sort": [{"took": "asc"}, {"n": "desc"}],
                "_source": {"includes": "n"},
            }
        },
        "last": {
            "top_metrics": {
                "metrics": [{"field": "n"}, {"field": "user"}],
                "sort": {"@timestamp": "desc"},
            }
        },
    }
    minutes = {"date_histogram": {"field": "@timestamp", "fixed_interval": "2m"}, "aggs": tops}
    found = aggregate(shop, {"l": {"terms": {"field": "level"}, "aggs": {"h": minutes}}, **tops})
    levels = group(shop.events, lambda event: event["level"])
    places = [
        (
            bucket,
            [
                event
                for event in levels[level["key"]]
                if event["n"] // 120 * 120 * 1000 + START_MS == bucket["key"]
            ],
        )
        for level in found["l"]["buckets"]
        for bucket in level["h"]["buckets"]
    ]
    assert len(places) == 6
    for bucket, events in [*places, (found, shop.events)]:
        newest = [hit["_source"]["n"] for hit in bucket["newest"]["hits"]["hits"]]
        assert newest == sorted((event["n"] for event in events), reverse=True)[:2]
        assert bucket["newest"]["hits"]["total"]["value"] == len(events)
        least = min(events, key=lambda event: (event["took"], -event["n"]))
        [hit] = bucket["least"]["hits"]["hits"]
        assert (hit["_source"], hit["sort"]) == ({"n": least["n"]}, [least["took"], least["n"]])
        [top] = bucket["last"]["top"]
        assert top["metrics"] == {"n": events[-1]["n"], "user": events[-1].get("user")}


def test_pipelines(shop: Shop) -> None:
    inner = {
        "s": {"sum": {"field": "n"}},
        "st": {"stats": {"field": "took"}},
        "d": {"derivative": {"buckets_path": "s"}},
        "dd": {"derivative": {"buckets_path": "d"}},
        "lag": {"serial_diff": {"buckets_path": "_count", "lag": 2}},
        "c": {"cumulative_sum": {"buckets_path": "_count"}},
        "mean": {
            "moving_fn": {
                "buckets_path": "s",
                "window": 2,
                "script": "MovingFunctions.unweightedAvg(values)",
            }
        },
        "old": {"moving_avg": {"buckets_path": "s", "window": 2}},
        "share": {
            "bucket_script": {
                "buckets_path": {"a": "st.max", "b": "_count"},
                "script": "params.a / params.b * 100",
            }
        },
        "rate": {"rate": {"unit": "minute"}},
        "bad": {
            "bucket_script": {
                "buckets_path": {"a": "s"},
                "script": {"source": "1 / (params.a - params.a)"},
            }
        },
    }
    histogram = {"date_histogram": {"field": "@timestamp", "fixed_interval": "30s"}, "aggs": inner}
    buckets = aggregate(shop, {"h": histogram}, query={"term": {"ok": True}})["h"]["buckets"]
    groups = group([event for event in shop.events if event["ok"]], lambda event: event["n"] // 30)
    sums = [sum(event["n"] for event in groups[step]) for step in range(8)]
    counts = [len(groups[step]) for step in range(8)]
    assert [each["s"]["value"] for each in buckets] == sums
    assert "d" not in buckets[0]
    assert [each["d"]["value"] for each in buckets[1:]] == [b - a for a, b in pairwise(sums)]
    assert "dd" not in buckets[1]
    assert buckets[2]["dd"]["value"] == sums[2] - 2 * sums[1] + sums[0]
    assert buckets[5]["lag"]["value"] == counts[5] - counts[3]
    assert [each["c"]["value"] for each in buckets] == [
        sum(counts[: step + 1]) for step in range(8)
    ]
    assert buckets[4]["mean"]["value"] == statistics.fmean(sums[2:4])
    assert buckets[4]["old"]["value"] == statistics.fmean(sums[3:5])
    largest = max(event["took"] for event in groups[3])
    assert buckets[3]["share"]["value"] == pytest.approx(largest / counts[3] * 100)
    assert buckets[3]["rate"]["value"] == 2 * counts[3]
    assert all("bad" not in each for each in buckets)


def test_all_events_whatever_the_query(shop: Shop) -> None:
    found = aggregate(
        shop,
        {"g": {"global": {}, "aggs": {"m": {"max": {"field": "n"}}}}},
        query={"term": {"n": 3}},
    )
    assert found["g"] == {"doc_count": COUNT, "m": {"value": COUNT - 1}}


def test_hits_can_be_filtered_after_the_aggregations(shop: Shop) -> None:
    answer = shop.search(aggs={"m": {"max": {"field": "n"}}}, post_filter={"term": {"n": 3}})
    assert answer["hits"]["total"]["value"] == 1
    assert answer["aggregations"]["m"]["value"] == COUNT - 1


def test_names_can_tell_types(shop: Shop) -> None:
    aggs = {"a": {"terms": {"field": "level"}, "aggs": {"b": {"avg": {"field": "n"}}}}}
    body = {"size": 0, "aggs": aggs}
    answer = shop.service.client.post(
        "/_search", params={"typed_keys": "true", "env": shop.env}, json=body
    )
    assert "avg#b" in answer.json()["aggregations"]["sterms#a"]["buckets"][0]


def test_bad_aggregations_are_refused(shop: Shop) -> None:
    minutes = {"field": "@timestamp", "fixed_interval": "1m"}
    cases: list[tuple[Event, str]] = [
        ({"a": {"geohash_grid": {"field": "x"}}}, "geohash_grid"),
        ({"a": {}}, "0 types"),
        ({"a": {"avg": {"field": "x"}, "sum": {"field": "x"}}}, "2 types"),
        ({"a": {"avg": {}}}, "field name"),
        ({"a": {"avg": {"script": "doc.x"}}}, "script"),
        ({"a": {"avg": {"field": "n"}, "aggs": {"b": {"avg": {"field": "n"}}}}}, "sub-aggregations"),
        ({"a[1]": {"avg": {"field": "n"}}}, "Invalid aggregation name"),
        ({"a": {"terms": {"field": "n", "order": {"z": "desc"}}}}, "[z]"),
        ({"a": {"terms": {"field": "n", "size": -1}}}, "size"),
        ({"a": {"date_histogram": {"field": "@timestamp"}}}, "interval"),
        ({"a": {"date_histogram": {"field": "@timestamp", "fixed_interval": "0s"}}}, "interval"),
        ({"a": {"date_histogram": {"field": "@timestamp", "calendar_interval": "2d"}}}, "calendar"),
        ({"a": {"date_histogram": minutes | {"time_zone": "Mars"}}}, "Mars"),
        ({"a": {"date_histogram": minutes | {"fixed_interval": "1ms", "extended_bounds": {"min": 0, "max": START_MS}}}}, "too many"),
        ({"a": {"histogram": {"field": "n", "interval": 0}}}, "[interval]"),
        ({"a": {"histogram": {"field": "n", "interval": 1e-9}}}, "too many"),
        ({"a": {"percentiles": {"field": "n", "percents": [101]}}}, "percents"),
        ({"a": {"filters": {}}}, "[filters]"),
        ({"a": {"derivative": {"buckets_path": "x"}}}, "inside one of"),
        ({"a": {"date_histogram": minutes, "aggs": {"d": {"derivative": {"buckets_path": "x"}}}}}, "[x]"),
        ({"a": {"date_histogram": minutes, "aggs": {"d": {"derivative": {"buckets_path": "d"}}}}}, "circle"),
        ({"a": {"date_histogram": minutes, "aggs": {"d": {"bucket_script": {"buckets_path": {"a": "_count"}, "script": "exit()"}}}}}, "script"),
        ({"a": {"date_histogram": minutes, "aggs": {"d": {"moving_fn": {"buckets_path": "_count", "window": 2, "script": "x"}}}}}, "script"),
        ({"a": {"terms": {"field": "n"}, "aggs": {"g": {"global": {}}}}}, "global"),
        ({"a": {"terms": {"field": "n", "size": 1000}, "aggs": {"t": {"top_hits": {"size": 100}}}}}, "hits"),
    ]  # fmt: skip
    for aggs, part in cases:
        with pytest.raises(BadRequestError) as refusal:
            aggregate(shop, aggs)
        assert part in refusal.value.body["error"]["reason"], aggs
    deep: Event = {"avg": {"field": "n"}}
    for _ in range(20):
        deep = {"terms": {"field": "level"}, "aggs": {"a": deep}}
    with pytest.raises(BadRequestError):
        aggregate(shop, {"a": deep})


def test_several_searches_in_one_request(shop: Shop) -> None:
    answer = shop.client.msearch(
        index="app",
        searches=[
            {}, {"query": {"term": {"n": 4}}},
            {"index": "web-1"}, {"size": 0, "aggs": {"m": {"max": {"field": "n"}}}},
            {"index": "nope"}, {},
            {"index": "nope", "ignore_unavailable": True}, {},
            {}, {"query": {"foo": {}}},
        ],
    )  # fmt: skip
    responses = answer["responses"]
    assert [each["status"] for each in responses] == [200, 200, 404, 200, 400]
    assert responses[0]["hits"]["hits"][0]["_source"]["n"] == 4
    assert responses[1]["aggregations"]["m"]["value"] == COUNT - 1
    assert responses[2]["error"]["type"] == "index_not_found_exception"
    assert responses[3]["hits"]["total"]["value"] == 0
    for body in (b"", b"{}\n", b"{}\n{\n", b"{}\n{}\n" * 300):
        refused = shop.service.client.post("/_msearch", content=body, params={"env": shop.env})
        assert refused.status_code == 400 or refused.json()["responses"][0]["status"] == 400

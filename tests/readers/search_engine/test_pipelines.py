"""Computations on buckets, and kinds of buckets for rare uses, compared with plain Python over the same events."""

import math
import statistics
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from elasticsearch import BadRequestError
from tests.readers.search_engine.shop import COUNT, START_S, Event, Shop, open_shop
from tests.running import RunningService, encode_lines

from logboom.base.errors import Invalid
from logboom.readers.search_engine.aggs.scripts import parse_script

MINUTES = {"date_histogram": {"field": "@timestamp", "fixed_interval": "1m"}}
NUMBERS = {"sum": {"sum": {"field": "n"}}, "largest": {"max": {"field": "took"}}}


@pytest.fixture(scope="module")
def shop(service: RunningService) -> Iterator[Shop]:
    yield from open_shop(service)


def aggregate(shop: Shop, aggs: Event, **options: Any) -> Event:
    found: Event = shop.search(size=0, aggs=aggs, **options)["aggregations"]
    return found


def run(source: str, **values: float) -> object:
    return parse_script(source, frozenset(values))(values)


def test_scripts() -> None:
    cases: list[tuple[str, object]] = [
        ("params.a / params.b * 100", 50),
        ("a / 0", None),
        ("7 / 2", 3),
        ("7.0 / 2", 3.5),
        ("params['a'] + params.get('b') - -1", 4),
        ("params.b == 0 ? 0 : params.a % params.b", 1),
        ("params.a > 0 && !(params.b < 2) || false", True),
        ("params.a >= 1 && params.b != 2", False),
        ("if (params.b > 5) { return 1; } else if (a == 1) return 2; else return 3;", 2),
        ("if (params.b > 5) { return 1 } return (int) 2.9", 2),
        ("Math.max(params.a, Math.abs(-3)) + Math.pow(2, 3)", 11),
        ("params.a - 2 - 3", -4),
    ]
    for source, expected in cases:
        assert run(source, a=1.0, b=2.0) == expected, source
    refused = ("", "c", "params.c", "a +", "exit()", "doc['x'].value", "a; b", "(" * 200 + "1", "-" * 200 + "1", "1" * 2000, "a = 1", "if (a) b")  # fmt: skip
    for source in refused:
        with pytest.raises(Invalid, match="script"):
            run(source, a=1)


def test_buckets_are_chosen_and_sorted(shop: Shop) -> None:
    inner: Event = {
        **NUMBERS,
        "enough": {
            "bucket_selector": {
                "buckets_path": {"s": "sum", "c": "_count"},
                "script": {"source": "params.s > params.least && params.c > 1", "params": {"least": 100}},
            }
        },
        "order": {"bucket_sort": {"sort": [{"sum": {"order": "desc"}}, "_key"], "from": 1, "size": 2}},
        "share": {"bucket_script": {"buckets_path": {"s": "sum"}, "script": "params.s / 2"}},
    }  # fmt: skip
    users = aggregate(shop, {"u": {"terms": {"field": "took"}, "aggs": inner}})["u"]
    sums: Counter[float] = Counter()
    for event in shop.events:
        sums[event["took"]] += event["n"]
    expected = sorted(sums, key=lambda took: -sums[took])[1:3]
    assert [bucket["key"] for bucket in users["buckets"]] == expected
    assert [bucket["share"]["value"] for bucket in users["buckets"]] == [
        sums[took] / 2 for took in expected
    ]
    assert users["sum_other_doc_count"] == 0
    errors = {"filters": {"filters": {"e": {"term": {"level": "error"}}}}}
    share = {"buckets_path": {"e": "f['e']>_count", "all": "_count"}, "script": "params.e / params.all"}  # fmt: skip
    found = aggregate(
        shop, {"t": {**MINUTES, "aggs": {"f": errors, "p": {"bucket_script": share}}}}
    )
    assert {bucket["p"]["value"] for bucket in found["t"]["buckets"]} == {1 / 3}


def test_results_beside_buckets(shop: Shop) -> None:
    paths: Event = {"buckets_path": "t>sum"}
    found = aggregate(
        shop,
        {
            "t": {**MINUTES, "aggs": NUMBERS},
            **{
                kind: {f"{kind}_bucket": paths}
                for kind in ("max", "min", "avg", "sum", "stats", "extended_stats")
            },
            "middle": {"percentiles_bucket": {**paths, "percents": [50, 100]}},
            "minutes": {
                "filter": {"match_all": {}},
                "aggs": {
                    "inner": MINUTES,
                    "most": {"max_bucket": {"buckets_path": "inner._count"}},
                },
            },
            "none": {"max_bucket": {"buckets_path": "never>sum"}},
            "never": {"terms": {"field": "no.such"}, "aggs": NUMBERS},
        },
    )
    sums = [bucket["sum"]["value"] for bucket in found["t"]["buckets"]]
    assert sums == [sum(range(first, first + 60)) for first in range(0, COUNT, 60)]
    last = found["t"]["buckets"][-1]["key_as_string"]
    assert found["max"] == {"value": max(sums), "keys": [last]}
    assert (found["min"]["value"], found["sum"]["value"]) == (min(sums), sum(sums))
    assert found["avg"] == {"value": statistics.fmean(sums)}
    assert found["stats"] == {
        "count": 4, "min": min(sums), "max": max(sums), "avg": statistics.fmean(sums), "sum": sum(sums)
    }  # fmt: skip
    assert found["extended_stats"]["std_deviation"] == pytest.approx(statistics.pstdev(sums))
    assert found["extended_stats"]["variance_sampling"] == pytest.approx(statistics.variance(sums))
    assert found["middle"]["values"] == {"50.0": sums[2], "100.0": sums[3]}
    assert found["minutes"]["most"]["value"] == 60
    assert found["none"] == {"value": None, "keys": []}


def test_buckets_without_events_are_gaps(shop: Shop) -> None:
    """Skipped, unless the request says what stands for them."""
    query = {"bool": {"must_not": [{"range": {"n": {"gte": 60, "lt": 120}}}]}}
    inner: Event = {
        "sum": {"sum": {"field": "n"}},
        "d": {"derivative": {"buckets_path": "sum", "unit": "1s"}},
        "zeros": {"derivative": {"buckets_path": "sum", "gap_policy": "insert_zeros"}},
        "mean": {"moving_fn": {"buckets_path": "sum", "window": 2, "script": "MovingFunctions.max(values)"}},
        "part": {"normalize": {"buckets_path": "sum", "method": "percent_of_sum"}},
    }  # fmt: skip
    found = aggregate(
        shop,
        {
            "t": {**MINUTES, "aggs": inner},
            "avg": {"avg_bucket": {"buckets_path": "t>sum"}},
            "zeros": {"avg_bucket": {"buckets_path": "t>sum", "gap_policy": "insert_zeros"}},
        },
        query=query,
    )
    first, gap, third, last = found["t"]["buckets"]
    sums = [sum(range(start, start + 60)) for start in (0, 120, 180)]
    assert not {"d", "mean", "part"} & gap.keys()
    assert "d" not in third
    assert gap["zeros"]["value"] == -sums[0]
    assert last["d"] == {"value": 3600.0, "normalized_value": 60.0}
    assert last["mean"]["value"] == sums[1]
    assert first["part"]["value"] == pytest.approx(sums[0] / sum(sums))
    assert found["avg"]["value"] == statistics.fmean(sums)
    assert found["zeros"]["value"] == sum(sums) / 4


def test_terms_of_several_fields(shop: Shop) -> None:
    multi = {"terms": [{"field": "level"}, {"field": "host.name.keyword"}], "size": 5}
    slow = {"filter": {"term": {"ok": False}}, "aggs": {"m": {"max": {"field": "n"}}}}
    found = aggregate(
        shop,
        {
            "m": {"multi_terms": {**multi, "order": {"s": "desc"}}, "aggs": {"s": {"sum": {"field": "n"}}}},
            "t": {"terms": {"field": "ok"}, "aggs": {"m": {"multi_terms": multi}}},
            "f": {"terms": {"field": "level", "order": {"slow>m": "asc"}}, "aggs": {"slow": slow}},
            "c": {"terms": {"field": "took", "order": {"slow": "desc"}}, "aggs": {"slow": slow}},
        },
    )  # fmt: skip
    pairs: Counter[tuple[str, str]] = Counter()
    for event in shop.events:
        pairs[event["level"], event["host"]["name"]] += event["n"]
    expected = sorted(pairs, key=lambda pair: -pairs[pair])[:5]
    assert [tuple(bucket["key"]) for bucket in found["m"]["buckets"]] == expected
    assert found["m"]["buckets"][0]["key_as_string"] == "|".join(expected[0])
    assert found["m"]["sum_other_doc_count"] == COUNT - 5 * 20
    assert sum(len(bucket["m"]["buckets"]) for bucket in found["t"]["buckets"]) == 10
    last = [bucket["slow"]["m"]["value"] for bucket in found["f"]["buckets"]]
    assert last == sorted(last)
    slowest = [bucket["slow"]["doc_count"] for bucket in found["c"]["buckets"]]
    assert slowest == sorted(slowest, reverse=True)
    assert len(set(slowest)) > 1


def test_rare_values_weights_and_samples(shop: Shop) -> None:
    weighted = {"value": {"field": "took"}, "weight": {"field": "user", "missing": 2}}
    some = {"value": {"field": "took"}, "weight": {"field": "n"}}
    huge = {"value": {"field": "x", "missing": 1e308}, "weight": {"field": "x", "missing": 1}}
    found = aggregate(
        shop,
        {
            "r": {"rare_terms": {"field": "took", "max_doc_count": 34}},
            "w": {"weighted_avg": weighted},
            "n": {"weighted_avg": some},
            "o": {"weighted_avg": huge},
            "s": {"sampler": {"shard_size": 10}, "aggs": {"c": {"value_count": {"field": "n"}}}},
        },
    )
    counts = Counter(event["took"] for event in shop.events)
    assert {bucket["key"] for bucket in found["r"]["buckets"]} == {
        took for took, count in counts.items() if count <= 34
    }
    total = math.fsum(event["took"] * event["n"] for event in shop.events)
    assert found["n"]["value"] == pytest.approx(total / sum(range(COUNT)))
    assert found["o"] == {"value": None}
    assert found["s"] == {"doc_count": COUNT, "c": {"value": COUNT}}


def test_intervals_that_fit_the_events(shop: Shop) -> None:
    def ask(most: int, **options: Any) -> Event:
        histogram = {"field": "@timestamp", "buckets": most}
        inner = {"l": {"terms": {"field": "level"}}}
        aggs = {"h": {"auto_date_histogram": histogram, "aggs": inner}}
        found: Event = aggregate(shop, aggs, **options)["h"]
        return found

    for most, interval, count in ((4, "1m", 4), (3, "5m", 2), (10, "30s", 8), (500, "1s", 240)):
        found = ask(most)
        counts = [bucket["doc_count"] for bucket in found["buckets"]]
        assert (found["interval"], len(counts), sum(counts)) == (interval, count, COUNT)
    assert ask(4)["buckets"][0]["key"] == START_S * 1000
    assert ask(4, query={"term": {"n": -1}})["buckets"] == []


def test_bad_pipelines_are_refused(shop: Shop) -> None:
    script = {"buckets_path": {"a": "_count"}, "script": "params.a > 1"}
    cases: list[tuple[Event, str]] = [
        ({"a": {"bucket_selector": script}}, "inside one of"),
        ({"a": {"filter": {"match_all": {}}, "aggs": {"b": {"bucket_sort": {"size": 1}}}}}, "inside one of"),
        ({"a": {"terms": {"field": "n"}, "aggs": {"b": {"derivative": {"buckets_path": "_count"}}}}}, "histogram"),
        ({"a": {"terms": {"field": "n"}, "aggs": {"b": {"bucket_sort": {}}}}}, "nothing"),
        ({"a": {"terms": {"field": "n"}, "aggs": {"b": {"bucket_sort": {"sort": [{"_key": "up"}]}}}}}, "asc or desc"),
        ({"a": {"terms": {"field": "n"}, "aggs": {"b": {"bucket_sort": {"sort": [{"_key": "asc", "_count": "asc"}]}}}}}, "a path"),
        ({"a": {"max_bucket": {"buckets_path": "b>c"}}}, "[b>c]"),
        ({"a": {"max_bucket": {"buckets_path": "_count", "gap_policy": "guess"}}}, "gap_policy"),
        ({"a": {"multi_terms": {"terms": [{"field": "n"}]}}}, "2 to 16"),
        ({"a": {"terms": {"field": "n", "order": {"b>c": "asc"}}, "aggs": {"b": {"terms": {"field": "n"}}}}}, "[b>c]"),
        ({"a": {"weighted_avg": {"value": {"field": "n"}}}}, "weight"),
    ]  # fmt: skip
    for aggs, part in cases:
        with pytest.raises(BadRequestError) as refusal:
            aggregate(shop, aggs)
        assert part in refusal.value.body["error"]["reason"], aggs


def test_numbers_that_are_too_large_are_refused(shop: Shop) -> None:
    huge = {
        "bucket_script": {"buckets_path": {"n": "_count"}, "script": "Math.pow(10, 300) * params.n"}
    }
    soft = {"normalize": {"buckets_path": "huge", "method": "softmax"}}
    spread = {"extended_stats_bucket": {"buckets_path": "t>huge"}}
    cases: list[Event] = [
        {"t": {**MINUTES, "aggs": {"huge": huge, "soft": soft}}},
        {"t": {**MINUTES, "aggs": {"huge": huge}}, "s": spread},
    ]
    for aggs in cases:
        with pytest.raises(BadRequestError, match="too large"):
            aggregate(shop, aggs)


def test_histograms_sorted_by_what_is_in_their_buckets(shop: Shop) -> None:
    def ask(order: Event) -> list[float]:
        numbers = {"field": "n", "interval": 100, "order": order}
        inner = {"m": {"avg": {"field": "n"}}}
        found = aggregate(shop, {"h": {"histogram": numbers, "aggs": inner}})["h"]["buckets"]
        return [bucket["key"] for bucket in found]

    assert ask({"_count": "asc"}) == [200, 0, 100]
    assert ask({"m": "desc"}) == [200, 100, 0]
    assert ask({"_key": "desc"}) == [200, 100, 0]


def test_boxes_of_values(shop: Shop) -> None:
    box = aggregate(shop, {"b": {"boxplot": {"field": "n"}}})["b"]
    assert (box["min"], box["q2"], box["max"]) == (0, (COUNT - 1) / 2, COUNT - 1)
    assert (box["lower"], box["upper"]) == (0, COUNT - 1)
    assert aggregate(shop, {"b": {"boxplot": {"field": "no.such"}}})["b"]["upper"] is None


def test_ranges_of_addresses(service: RunningService, env: str) -> None:
    lines = [{"ip": f"10.0.{number // 8}.{number}"} for number in range(16)]
    service.keep(encode_lines([*lines, {"ip": "fe80::1"}, {"ip": "none"}]), {"env": env})
    ranges = [{"mask": "10.0.1.0/24"}, {"to": "10.0.0.5"}, {"from": "10.0.0.5", "key": "rest"}]
    body = {"size": 0, "aggs": {"r": {"ip_range": {"field": "ip", "ranges": ranges}}}}
    answer = service.client.post("/_search", params={"env": env}, json=body).json()
    assert answer["aggregations"]["r"]["buckets"] == [
        {"key": "10.0.1.0/24", "from": "10.0.1.0", "to": "10.0.2.0", "doc_count": 8},
        {"key": "*-10.0.0.5", "to": "10.0.0.5", "doc_count": 5},
        {"key": "rest", "from": "10.0.0.5", "doc_count": 11},
    ]
    ends = ("255.255.255.255/32", "::/0", "10.0.0.0/31")
    body = {
        "aggs": {"r": {"ip_range": {"field": "ip", "ranges": [{"mask": each} for each in ends]}}}
    }
    answer = service.client.post("/_search", params={"env": env}, json=body).json()
    counts = [
        (each["doc_count"], each.get("to")) for each in answer["aggregations"]["r"]["buckets"]
    ]
    assert counts == [(0, None), (1, None), (2, "10.0.0.2")]
    for wrong in (
        {"mask": "10.0.0.0/99"},
        {"from": "x"},
        {"from": "10.0.0.2", "to": "::1"},
        {"from": "::1", "to": "10.0.0.2"},
        {},
    ):
        body = {"aggs": {"r": {"ip_range": {"field": "ip", "ranges": [wrong]}}}}
        answer = service.client.post("/_search", params={"env": env}, json=body).json()
        assert answer["status"] == 400, wrong

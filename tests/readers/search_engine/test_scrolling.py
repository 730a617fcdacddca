"""Scrolls and points in time: every event of one moment once, whatever happens in the meantime."""

from collections.abc import Iterator
from typing import Any

import pytest
from elasticsearch import ApiError, NotFoundError, helpers
from tests.conftest import MakeService
from tests.readers.search_engine.shop import COUNT, Event, Shop, make_event, open_shop
from tests.running import RunningService, encode_lines

from logboom.base.clock import NS_PER_S
from logboom.search.views import MOST_OF_ONE

ORDERS: list[list[Event] | None] = [
    None,
    [{"@timestamp": "asc"}],
    [{"@timestamp": "desc"}],
    [{"level": "asc"}],
    [{"mixed": "desc"}],
    [{"odd": "asc"}],
    [{"odd": "desc"}],
    [{"user": "asc"}, {"took": "desc"}],
]
ODD: list[Any] = [True, 7, "seven", False, "8", None, -1.5, "true", 2**60, ["b", 1], ""]


@pytest.fixture(scope="module")
def shop(service: RunningService) -> Iterator[Shop]:
    yield from open_shop(service)


def number_hits(hits: list[Event]) -> list[int]:
    return [hit["_source"]["n"] for hit in hits]


def add_more(shop: Shop, start: int) -> None:
    """Events before, between and after those there are, and everything merged."""
    more = [make_event(number) | {"n": start + number} for number in range(0, COUNT, 3)]
    shop.service.keep(encode_lines(more), {"env": shop.env, "index": "app"})
    answer = shop.service.client.post("/api/admin/compact", json={"env": shop.env})
    assert answer.status_code == 200, answer.text


def add_odd(shop: Shop) -> None:
    """Values of all types in one field, many of them equal."""
    events = [
        {"n": 5000 + n, "odd": ODD[n % len(ODD)], "@timestamp": "2026-01-02T03:00:00Z"}
        for n in range(99)
    ]
    shop.service.keep(encode_lines(events), {"env": shop.env, "index": "odd"})


def test_slices_together_have_every_event_once(shop: Shop) -> None:
    point = shop.client.open_point_in_time(index="*", keep_alive="1m")["id"]
    expected = number_hits(shop.search(size=10_000)["hits"]["hits"])
    aggs = {"s": {"sum": {"field": "n"}}, "l": {"terms": {"field": "level"}}}
    for most in (2, 5):
        scrolled, paged, total, levels = [], [], 0, 0
        for part in range(most):
            options: Event = {"slice": {"id": part, "max": most, "field": "_id"}, "size": 20}
            query: Event = {"query": {"range": {"n": {"gte": 0}}}, **options}
            hits = list(helpers.scan(shop.client, query, scroll="1m"))
            scrolled += [hit["_source"]["n"] for hit in hits]
            after: Event = {}
            while True:
                page = shop.search(pit={"id": point}, aggs=aggs, sort=["took"], **query, **after)
                if not page["hits"]["hits"]:
                    break
                paged += number_hits(page["hits"]["hits"])
                after = {"search_after": page["hits"]["hits"][-1]["sort"]}
            assert page["hits"]["total"]["value"] == len(hits)
            total += page["aggregations"]["s"]["value"]
            levels += sum(each["doc_count"] for each in page["aggregations"]["l"]["buckets"])
            assert hits, "every slice has some"
        assert sorted(scrolled) == sorted(paged) == sorted(expected)
        assert (total, levels) == (sum(expected), len(expected))


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ({"id": 0, "max": 2}, "only be used with [scroll]"),
        ({"id": 2, "max": 2}, "[id] is 2, expected 0 to 1"),
        ({"id": 0, "max": 1}, "[max] is 1, expected 2 to 1024"),
        ({"id": 0}, "[max] is null"),
        ("x", "[slice] is 'x'"),
    ],
)
def test_wrong_slices_are_refused(shop: Shop, written: object, reason: str) -> None:
    with pytest.raises(ApiError) as refusal:
        shop.client.search(slice=written)  # type: ignore[arg-type]
    assert reason in refusal.value.body["error"]["reason"]


def test_pages_of_a_moment_have_its_events_once(shop: Shop) -> None:
    add_odd(shop)
    for turn, sort in enumerate(ORDERS):
        whole = number_hits(shop.search(size=10_000, sort=sort)["hits"]["hits"])
        scrolled = shop.search(size=150, sort=sort, scroll="1m")
        point = shop.client.open_point_in_time(index="*", keep_alive="1m")["id"]
        add_more(shop, 10_000 * (turn + 1))
        assert read_scroll(shop, scrolled, len(whole)) == whole, sort
        assert read_point(shop, point, sort) == whole, sort
        assert len(number_hits(shop.search(size=10_000)["hits"]["hits"])) == len(whole) + COUNT // 3
        assert shop.client.close_point_in_time(id=point)["num_freed"] == 1


def read_scroll(shop: Shop, answer: Event, total: int) -> list[int]:
    found: list[int] = []
    while hits := answer["hits"]["hits"]:
        assert answer["hits"]["total"]["value"] == total
        found += number_hits(hits)
        answer = shop.client.scroll(scroll_id=answer["_scroll_id"], scroll="1m").body
    assert shop.client.scroll(scroll_id=answer["_scroll_id"])["hits"]["hits"] == []
    assert shop.client.clear_scroll(scroll_id=answer["_scroll_id"])["num_freed"] == 1
    return found


def read_point(shop: Shop, point: str, sort: list[Event] | None) -> list[int]:
    found: list[int] = []
    after = None
    while True:
        answer = shop.search(
            pit={"id": point, "keep_alive": "1m"}, size=149, sort=sort, search_after=after
        )
        assert answer["pit_id"] == point
        hits = answer["hits"]["hits"]
        if not hits:
            return found
        found += number_hits(hits)
        after = hits[-1]["sort"]


def test_the_helpers_of_the_client(shop: Shop) -> None:
    query = {"query": {"term": {"level": "info"}}}
    whole = number_hits(shop.search(size=10_000, index="app", **query)["hits"]["hits"])
    assert number_hits(list(helpers.scan(shop.client, query, index="app", size=20))) == whole
    ordered = helpers.scan(
        shop.client,
        {**query, "sort": [{"@timestamp": "asc"}]},
        index="app",
        size=1000,
        preserve_order=True,
    )
    numbers = number_hits(list(ordered))
    assert sorted(numbers) == sorted(whole)
    assert numbers != whole


def test_a_point_in_time_answers_like_the_events_then(shop: Shop) -> None:
    point = shop.client.open_point_in_time(index="app", keep_alive="30s")["id"]
    body: Event = {"pit": {"id": point}, "size": 0, "aggs": {"c": {"value_count": {"field": "n"}}}}
    before = shop.client.search(**body)["aggregations"]["c"]["value"]
    add_more(shop, 1_000_000)
    assert shop.client.search(**body)["aggregations"]["c"]["value"] == before
    assert shop.client.search(**body)["hits"]["total"]["value"] == before
    [multiple] = shop.client.msearch(searches=[{}, body])["responses"]
    assert multiple["aggregations"]["c"]["value"] == before


def test_the_form_of_opensearch(shop: Shop) -> None:
    client = shop.service.client
    params = {"keep_alive": "1m", "env": shop.env}
    opened = client.post("/app/_search/point_in_time", params=params).json()
    answer = client.post("/_search", json={"pit": {"id": opened["pit_id"]}, "size": 1})
    assert answer.json()["hits"]["hits"][0]["_index"] == "app"
    closed = client.request("DELETE", "/_search/point_in_time", json={"pit_id": [opened["pit_id"]]})
    assert closed.json() == {"pits": [{"successful": True, "pit_id": opened["pit_id"]}]}
    assert client.request("DELETE", "/_search/point_in_time/_all").json() == {"pits": []}


def test_what_is_not_open_is_not_found(shop: Shop) -> None:
    point = shop.client.open_point_in_time(index="app", keep_alive="1m")["id"]
    scroll = shop.search(size=1, scroll="1m")["_scroll_id"]
    shop.client.close_point_in_time(id=point)
    strange = shop.service.client.post("/_search/scroll", json={"scroll_id": scroll})
    assert strange.json()["error"]["type"] == "search_context_missing_exception"
    for call in (
        lambda: shop.client.scroll(scroll_id="no such id"),
        lambda: shop.search(pit={"id": point}),
        lambda: shop.search(pit={"id": scroll}),
        lambda: shop.client.scroll(scroll_id=point),
    ):
        with pytest.raises(NotFoundError) as refusal:
            call()
        assert refusal.value.error == "search_context_missing_exception"
    assert shop.client.clear_scroll(scroll_id="_all")["num_freed"] >= 1
    with pytest.raises(NotFoundError):
        shop.client.scroll(scroll_id=scroll)


def test_bad_scrolls_are_refused(shop: Shop) -> None:
    point = shop.client.open_point_in_time(index="app", keep_alive="1m")["id"]
    for body in (
        {"scroll": "1m", "size": 0},
        {"scroll": "forever"},
        {"scroll": "2d"},
        {"scroll": "1m", "from_": 1},
        {"scroll": "1m", "search_after": [1], "sort": ["n"]},
        {"scroll": "1m", "slice": {"id": 2, "max": 2}},
        {"pit": {"id": point, "keep_alive": "2d"}},
        {"pit": {"id": 5}},
        {"pit": {"id": point}, "index": "app"},
    ):
        with pytest.raises(ApiError) as refusal:
            shop.search(**body)
        assert refusal.value.meta.status == 400, body
    for path, method in (
        ("/_search/scroll", "POST"),
        ("/_search/scroll", "DELETE"),
        ("/_pit", "DELETE"),
    ):
        assert shop.service.client.request(method, path).status_code == 400
    shop.client.close_point_in_time(id=point)


def test_views_are_bounded_in_number(shop: Shop) -> None:
    client = shop.service.client
    everything = "/_search/point_in_time/_all"
    client.delete(everything)
    path = f"/_pit?keep_alive=1m&env={shop.env}"
    answers = [client.post(path) for _ in range(MOST_OF_ONE + 1)]
    assert [answer.status_code for answer in answers] == [200] * MOST_OF_ONE + [429]
    assert answers[-1].headers["Retry-After"]
    closed = client.delete(everything).json()["pits"]
    assert {each["pit_id"] for each in closed} == {each.json()["id"] for each in answers[:-1]}
    assert client.post(path).status_code == 200
    client.delete(everything)


def test_views_end_when_nobody_reads_them(start_service: MakeService) -> None:
    now = [1_767_323_040 * NS_PER_S]
    service = start_service(clock=lambda: now[0])
    service.keep(encode_lines(make_event(number) for number in range(9)))
    first = service.client.post("/_search?scroll=1m", json={"size": 2}).json()
    ask = {"scroll_id": first["_scroll_id"], "scroll": "1m"}
    for _ in range(3):
        now[0] += 50 * NS_PER_S
        assert service.client.post("/_search/scroll", json=ask).status_code == 200
    now[0] += 61 * NS_PER_S
    assert service.client.post("/_search/scroll", json=ask).status_code == 404
    service.searching.rest()
    assert service.client.request("DELETE", "/_search/scroll/_all").json()["num_freed"] == 0


def test_a_scroll_goes_on_after_a_page_that_memory_made_short(start_service: MakeService) -> None:
    service = start_service(memory_bytes=5_000_000)
    events = [make_event(number) | {"text": f"{number}" * 50_000} for number in range(40)]
    service.keep(encode_lines(events))
    page = service.client.post("/_search?scroll=1m", json={"size": 30}).json()
    assert page["_shards"]["failed"] == 1
    found = []
    while hits := page["hits"]["hits"]:
        assert len(hits) < 30
        found += number_hits(hits)
        page = service.client.post(
            "/_search/scroll", json={"scroll_id": page["_scroll_id"], "scroll": "1m"}
        ).json()
    assert found == list(reversed(range(40)))

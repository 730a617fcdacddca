"""Words that are spelled a little differently, or only near each other, and one hit for each value."""

from collections.abc import Iterator

import pytest
from elasticsearch import BadRequestError
from tests.readers.search_engine.shop import COUNT, Event, Shop, open_shop
from tests.running import RunningService

from logboom.base.patterns import compile_later
from logboom.readers.search_engine.dsl.fuzzy import edit, write
from logboom.readers.search_engine.dsl.nearness import count_gaps, count_moves, write_near

LINE = "one two three four five"


@pytest.fixture(scope="module")
def shop(service: RunningService) -> Iterator[Shop]:
    yield from open_shop(service)


def is_near(words: list[str], most: int, *, in_order: bool = False, gaps: bool = False) -> bool:
    cost = count_gaps if gaps else count_moves
    found = write_near(words, most, cost, in_order=in_order)
    return any(compile_later(rf"\b(?:{each})\b").search(LINE) for each in found)


def test_the_order_and_the_distance_of_words() -> None:
    assert is_near(["one", "three"], 1)
    assert not is_near(["one", "four"], 1)
    assert not is_near(["two", "one"], 1)
    assert is_near(["two", "one"], 2)
    assert is_near(["one", "three", "five"], 2)
    assert not is_near(["one", "three", "five"], 1)
    assert not is_near(["one", "five", "three"], 2)
    assert is_near(["two", "one"], 0, gaps=True)
    assert not is_near(["two", "one"], 9, gaps=True, in_order=True)
    assert is_near(["one", "three", "five"], 2, gaps=True, in_order=True)


def test_edits_of_a_word() -> None:
    found = {edits: edit(tuple("error"), edits) for edits in (1, 2)}
    words = {edits: [compile_later(write(each, ".")) for each in found[edits]] for edits in found}
    near = {"error": 0, "eror": 1, "errors": 1, "errro": 1, "terror": 1, "mirror": 2, "roerr": 3, "err": 2, "er": 3}  # fmt: skip
    for text, edits in near.items():
        matched = [each for each in words if any(word.fullmatch(text) for word in words[each])]
        assert matched == [each for each in words if each >= edits], text


QUERIES: list[tuple[Event, int]] = [
    ({"fuzzy": {"level": {"value": "eror"}}}, 80),
    ({"fuzzy": {"level": {"value": "eror", "fuzziness": 0}}}, 0),
    ({"fuzzy": {"level": {"value": "rrror", "prefix_length": 1}}}, 0),
    ({"match": {"message": {"query": "Requsts", "fuzziness": "AUTO"}}}, COUNT),
    ({"match": {"message": {"query": "dune cort", "fuzziness": 1, "operator": "and"}}}, COUNT // 2),
    ({"match": {"level": {"query": "wern", "fuzziness": "AUTO:2,4"}}}, 80),
    ({"query_string": {"query": "level:eror~1"}}, 80),
    ({"query_string": {"query": "dine~"}}, COUNT),
    ({"query_string": {"query": 'message:"request done"~4'}}, COUNT),
    ({"query_string": {"query": 'message:"request done"'}}, 0),
    ({"match_phrase": {"message": {"query": "request cart", "slop": 2}}}, COUNT // 2),
    ({"match_phrase": {"message": {"query": "request cart", "slop": 1}}}, 0),
    ({"multi_match": {"query": "cart to", "type": "phrase", "slop": 2, "fields": ["message"]}}, COUNT // 2),
    ({"intervals": {"message": {"match": {"query": "done request"}}}}, COUNT),
    ({"intervals": {"message": {"match": {"query": "done request", "ordered": True}}}}, 0),
    ({"intervals": {"message": {"match": {"query": "request cart", "max_gaps": 2, "ordered": True}}}}, COUNT // 2),
    ({"intervals": {"message": {"all_of": {"ordered": True, "intervals": [{"any_of": {"intervals": [{"match": {"query": "cart"}}, {"prefix": {"prefix": "pag"}}]}}, {"match": {"query": "done"}}]}}}}, COUNT),
    ({"combined_fields": {"query": "cart", "fields": ["message"]}}, COUNT // 2),
]  # fmt: skip


def nest_orders(levels: int) -> Event:
    """Return words in any order that are in any order themselves, and so on."""
    inner = nest_orders(levels - 1) if levels else {"match": {"query": "a b c d e"}}
    return {"all_of": {"intervals": [inner] * 5}}


def test_words_near_and_alike(shop: Shop) -> None:
    for query, count in QUERIES:
        assert shop.client.count(query=query)["count"] == count, query
    refused: list[tuple[Event, str]] = [
        ({"fuzzy": {"level": {"value": "x" * 30}}}, "30 characters"),
        ({"fuzzy": {"level": {"value": "x", "fuzziness": 5}}}, "fuzziness"),
        ({"match_phrase": {"message": {"query": "a b c d e f", "slop": 3}}}, "6 words"),
        ({"intervals": {"level": {"match": {"query": "a"}}}}, "expected message"),
        ({"intervals": {"message": {"wildcard": {"pattern": "a*"}}}}, "wildcard"),
        ({"intervals": {"message": {"match": {"query": "a", "filter": {}}}}}, "filter"),
        ({"intervals": {"message": nest_orders(4)}}, "characters"),
    ]
    for query, part in refused:
        with pytest.raises(BadRequestError) as refusal:
            shop.client.count(query=query)
        assert part in refusal.value.body["error"]["reason"], query


def test_one_hit_for_each_value(shop: Shop) -> None:
    def ask(**body: object) -> Event:
        found: Event = shop.search(source=["n"], **body)["hits"]
        return found

    newest = ask(collapse={"field": "host.name.keyword"}, size=3)
    assert [hit["_source"]["n"] for hit in newest["hits"]] == [239, 238, 237]
    assert newest["hits"][0]["fields"] == {"host.name": ["web-3"]}
    assert newest["total"]["value"] == COUNT
    inner = {"name": "first", "size": 2, "from": 1, "sort": [{"n": "asc"}], "_source": ["n"]}
    options: Event = {
        "sort": [{"took": "desc"}, {"n": "asc"}],
        "query": {"range": {"n": {"gte": 100}}},
    }
    hits = ask(collapse={"field": "user", "inner_hits": inner}, **options)["hits"]
    assert [hit.get("fields") for hit in hits] == [None, {"user": ["User-0"]}, {"user": ["User-2"]}]
    first = hits[1]["inner_hits"]["first"]["hits"]
    users = [
        event["n"] for event in shop.events if event.get("user") == "User-0" and event["n"] >= 100
    ]
    assert first["total"]["value"] == len(users)
    assert [hit["_source"]["n"] for hit in first["hits"]] == users[1:3]
    assert [
        hit["_source"]["n"] for hit in ask(collapse={"field": "host.name"}, size=2, from_=1)["hits"]
    ] == [238, 237]
    for body in (
        {"collapse": {"field": "level"}, "sort": ["n"], "search_after": [3]},
        {"sort": {"_script": {"type": "number", "script": "1"}}},
        {
            "runtime_mappings": {"x": {"type": "long", "script": "emit(1)"}},
            "query": {"exists": {"field": "x"}},
        },
    ):
        answer = shop.service.client.post("/_search", params={"env": shop.env}, json=body)
        assert answer.status_code == 400, body
    unused = {"x": {"type": "long", "script": "emit(1)"}, "took": {"type": "double"}}
    assert ask(runtime_mappings=unused)["total"]["value"] == COUNT

"""The event cache: what was read comes again as it was, and stays within its size."""

from tests.engine.stored import NOW_NS, Stored

from logboom.engine.blocks.events import EventCache

EVENT: dict[str, object] = {"text": "a" * 100, "list": [1, 2.5, True, None], "n": 2**63 - 1}


def test_what_is_kept_comes_again_as_it_was() -> None:
    cache = EventCache(10_000)
    cache.keep("block", {1: EVENT, 7: {}})
    assert cache.find("block", [1, 2, 7]) == {1: EVENT, 7: {}}
    assert cache.find("other", [1]) == {}


def test_what_an_asker_changes_stays_with_the_asker() -> None:
    cache = EventCache(10_000)
    cache.keep("block", {1: EVENT})
    cache.find("block", [1])[1]["list"] = []
    assert cache.find("block", [1]) == {1: EVENT}


def test_the_least_recently_used_events_go_first() -> None:
    cache = EventCache(1000)
    for row in range(50):
        cache.keep("block", {row: EVENT})
        cache.find("block", [0])
    assert cache.find("block", range(50)).keys() == {0, 49}
    assert cache.size_bytes <= 1000


def test_blocks_that_are_gone_take_nothing() -> None:
    cache = EventCache(10_000)
    cache.keep("one", {1: EVENT})
    cache.keep("two", {1: EVENT})
    cache.drop(["one"])
    assert (cache.find("one", [1]), cache.find("two", [1])) == ({}, {1: EVENT})
    cache.clear()
    assert (cache.find("two", [1]), cache.size_bytes) == ({}, 0)


def test_numbers_that_are_too_large_are_not_kept() -> None:
    cache = EventCache(10_000)
    cache.keep("block", {1: {"n": 2**80}, 2: EVENT})
    assert cache.find("block", [1, 2]) == {2: EVENT}


def test_answers_are_the_same_the_second_time(wide: Stored) -> None:
    env = wide.make_env()
    events = [
        {"timestamp": NOW_NS + at, "id": at, "a": {"b": [1, "x", None]}, "big": 2**70, "f": 1e300}
        for at in range(30)
    ]
    wide.keep(env, events)
    for query in ("*", "* | fields id, a.b", "* | eval a = 1", "* | mvexpand a.b", "id>20"):
        first = wide.search(env, query)
        assert wide.search(env, query).rows == first.rows
        in_parts = [wide.search(env, query, raw=True).rows, wide.search(env, query).rows]
        assert all("_raw" in row for row in in_parts[0])
        assert in_parts[1] == first.rows
        wide.engine.forget()
        assert wide.search(env, query).rows == first.rows

"""What indexes hold, told from the blocks' own indexes."""

import msgspec
from tests.engine.stored import Stored

from logboom.control.access.globs import IndexBounds
from logboom.engine.answers.indexes import IndexSummary, list_indexes
from logboom.engine.terms.request import Request
from logboom.lang.parse import parse


def test_every_index_is_summed_up_over_its_blocks(stored: Stored) -> None:
    env = stored.make_env()
    day_s = 86_400
    stored.add(env, [{"timestamp": day_s * 10}, {"timestamp": day_s * 11}], index="web")
    stored.keep(env, [{"timestamp": day_s * 10 + 1}], index="db")
    stored.keep(env, [{"timestamp": day_s * 10 + 2}], index="web")
    found = list_indexes(stored.make_finder(env))
    assert [(each.index, each.events, each.days) for each in found] == [
        ("db", 1, 1),
        ("web", 3, 2),
    ]
    web = found[1]
    assert (web.first, web.last) == ("1970-01-11T00:00:00Z", "1970-01-12T00:00:00Z")
    blocks = list(stored.store.snapshot().list_blocks(env))
    total = sum(each.bytes for each in found)
    assert abs(total - sum(info.size_bytes for info in blocks)) <= 1


def test_environments_are_told_apart_if_asked_for(stored: Stored) -> None:
    first, second = sorted((stored.make_env(), stored.make_env()))
    stored.add(first, [{"a": 1}, {"a": 2}], index="web")
    stored.keep(second, [{"a": 1}], index="web")
    stored.keep(second, [{"a": 1}], index="db")
    finder = stored.engine.make_finder(Request(parse(""), (first, second)))
    together = [(each.env, each.index, each.events) for each in list_indexes(finder)]
    assert together == [(msgspec.UNSET, "db", 1), (msgspec.UNSET, "web", 3)]
    apart = [(each.env, each.index, each.events) for each in list_indexes(finder, by_env=True)]
    assert apart == [(first, "web", 2), (second, "db", 1), (second, "web", 1)]


def test_only_indexes_in_bounds_are_told(stored: Stored) -> None:
    env = stored.make_env()
    stored.add(env, [{"a": 1}], index="web")
    stored.keep(env, [{"a": 1}], index="db")
    found: list[IndexSummary] = list_indexes(stored.make_finder(env, allowed=IndexBounds(("w*",))))
    assert [each.index for each in found] == ["web"]
    assert list_indexes(stored.make_finder(stored.make_env())) == []

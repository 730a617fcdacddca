"""The histogram: every bucket of the range, exact counts, nothing lost."""

from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.stored import Stored
from tests.properties import examples

from logboom.base.clock import NS_PER_S, format_time
from logboom.base.errors import Invalid
from logboom.control.access.globs import IndexBounds
from logboom.engine.answers.histogram import (
    INTERVALS,
    Bars,
    Histogram,
    choose_interval,
    compute_histogram,
    list_starts,
)
from logboom.lang.ast import Quantity
from logboom.lang.times import parse_moment

BERLIN = ZoneInfo("Europe/Berlin")
MINUTE = Quantity(1, "m")


def at(text: str) -> int:
    return parse_moment(text, 0)


def ask(
    stored: Stored, env: str, bars: Bars | None = None, query: str = "", **options: Any
) -> Histogram:
    return compute_histogram(stored.make_finder(env, query, **options), bars or Bars())


@pytest.fixture
def env(stored: Stored) -> str:
    name = stored.make_env()
    times = ["10:00:00", "10:00:59", "10:02:00"]
    stored.keep(
        name,
        [
            {"timestamp": f"2026-03-01T{time}Z", "level": level}
            for time, level in zip(times, ["error", "info", "error"], strict=True)
        ],
    )
    stored.keep(name, [{"timestamp": "2026-03-01T10:02:30Z", "n": 1}], index="other")
    return name


def test_empty_buckets_are_there_too(stored: Stored, env: str) -> None:
    found = ask(stored, env, Bars(interval=MINUTE))
    assert found.interval == "1m"
    assert [(each.time, each.count, each.by) for each in found.buckets] == [
        ("2026-03-01T10:00:00Z", 2, None),
        ("2026-03-01T10:01:00Z", 0, None),
        ("2026-03-01T10:02:00Z", 2, None),
    ]
    assert found.complete
    assert found.warnings == []


def test_the_request_says_what_the_range_is(stored: Stored, env: str) -> None:
    options: dict[str, Any] = {
        "from_ns": at("2026-03-01T09:59:30Z"),
        "to_ns": at("2026-03-01T10:02:10Z"),
    }
    found = ask(stored, env, Bars(interval=MINUTE), **options)
    assert [each.count for each in found.buckets] == [0, 2, 0, 1]
    assert found.buckets[0].time == "2026-03-01T09:59:00Z"


def test_a_range_open_at_one_end_takes_the_other_from_the_data(stored: Stored, env: str) -> None:
    found = ask(stored, env, Bars(interval=MINUTE), from_ns=at("2026-03-01T10:01:30Z"))
    assert [each.count for each in found.buckets] == [0, 2]


def test_no_more_buckets_than_asked_for(stored: Stored, env: str) -> None:
    assert ask(stored, env, Bars(buckets=60)).interval == "5s"
    assert ask(stored, env, Bars(buckets=3)).interval == "1m"
    assert ask(stored, env, Bars(buckets=2)).interval == "5m"


def test_buckets_are_split_by_the_values_of_a_field(stored: Stored, env: str) -> None:
    found = ask(stored, env, Bars(interval=MINUTE, by="LEVEL"))
    assert [each.by for each in found.buckets] == [
        {"error": 1, "info": 1},
        {},
        {"error": 1, "null": 1},
    ]


def test_rare_values_are_counted_together(stored: Stored) -> None:
    env = stored.make_env()
    events = [{"timestamp": 1_700_000_000, "n": number} for number in range(15)]
    stored.keep(env, [*events, *events[:10]])
    (bucket,) = ask(stored, env, Bars(by="n")).buckets
    assert bucket.by == {**{str(number): 2 for number in range(10)}, "other": 5}
    assert bucket.count == 25


def test_values_that_look_like_reserved_names_are_in_quotes(stored: Stored) -> None:
    env = stored.make_env()
    texts = ["null", "null", "other", '"other"', "Other"]
    events = [{"timestamp": 1_700_000_000, "n": text} for text in texts]
    stored.keep(env, [*events, {"timestamp": 1_700_000_000}])
    (bucket,) = ask(stored, env, Bars(by="n")).buckets
    expected = {'"null"': 2, '"other"': 1, '""other""': 1, "Other": 1, "null": 1}
    assert bucket.by == expected


def test_the_query_filters_and_its_row_pipes_work(stored: Stored, env: str) -> None:
    assert sum(each.count for each in ask(stored, env, query="level:error").buckets) == 2
    piped = ask(stored, env, Bars(by="l"), "* | eval l = upper(level) | where l:ERROR")
    assert [each.by for each in piped.buckets if each.count] == [{"ERROR": 1}, {"ERROR": 1}]


@pytest.mark.parametrize("query", ["* | stats count", "* | limit 1", "* | sort n", "* | explain"])
def test_a_pipe_that_needs_all_rows_is_refused(stored: Stored, env: str, query: str) -> None:
    with pytest.raises(Invalid, match="a histogram works on events"):
        ask(stored, env, query=query)


def test_other_refusals(stored: Stored, env: str) -> None:
    with pytest.raises(Invalid, match="expected another field"):
        ask(stored, env, Bars(by="_time"))
    with pytest.raises(Invalid, match="more than 10000 buckets, expected 50ms or longer"):
        ask(stored, env, Bars(interval=Quantity(1, "ms")))


def test_nothing_has_no_buckets(stored: Stored) -> None:
    assert ask(stored, stored.make_env()).buckets == []
    bounded = ask(stored, stored.make_env(), Bars(interval=MINUTE), from_ns=0, to_ns=60 * NS_PER_S)
    assert [(each.time, each.count) for each in bounded.buckets] == [("1970-01-01T00:00:00Z", 0)]


def test_an_index_out_of_bounds_is_not_in_the_range(stored: Stored, env: str) -> None:
    found = ask(stored, env, Bars(interval=Quantity(10, "s")), allowed=IndexBounds(("def*",)))
    assert found.buckets[-1].time == "2026-03-01T10:02:00Z"
    assert sum(each.count for each in found.buckets) == 3


def test_days_begin_at_midnight_of_the_zone(stored: Stored) -> None:
    env = stored.make_env()
    times = ["2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z"]
    stored.keep(env, [{"timestamp": time} for time in [*times, "2026-03-29T22:00:00Z"]])
    found = ask(stored, env, Bars(interval=Quantity(1, "d")), zone=BERLIN)
    assert [(each.time, each.count) for each in found.buckets] == [
        ("2026-03-27T23:00:00Z", 1),
        ("2026-03-28T23:00:00Z", 2),
        ("2026-03-29T22:00:00Z", 1),
    ]


@settings(max_examples=examples(100), deadline=None)
@given(
    st.integers(0, 2**61),
    st.integers(1, 10**18),
    st.integers(1, 100),
    st.sampled_from([UTC, BERLIN]),
)
def test_the_shortest_interval_that_fits_is_chosen(
    first_ns: int, length_ns: int, most: int, zone: Any
) -> None:
    end_ns = first_ns + length_ns
    chosen = choose_interval(first_ns, end_ns, most, zone)
    place = INTERVALS.index(chosen)
    starts = list_starts(first_ns, end_ns, chosen, zone)
    assert starts[0] <= first_ns, format_time(starts[0])
    assert len(starts) <= most or place == len(INTERVALS) - 1
    if place:
        try:
            shorter = list_starts(first_ns, end_ns, INTERVALS[place - 1], zone)
        except Invalid:
            return
        assert len(shorter) > most

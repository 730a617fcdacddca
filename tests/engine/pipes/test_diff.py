"""`diff`: counts now and before."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.pipes.tables import (
    Row,
    cut_lists,
    make_key,
    make_table,
    mixed_rows,
    read,
    run,
    run_split,
)

from logboom.base.errors import Invalid
from logboom.engine.pipes.combine.diff import Diff, make_diff
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def diff(*by: str, previous_ns: int = 2, from_ns: int = 2, to_ns: int = 4) -> Diff:
    conditions = Conditions(now_ns=100, from_ns=from_ns, to_ns=to_ns)
    return make_diff(ast.Diff(ast.Quantity(previous_ns, "ns"), by), conditions)


def test_each_value_is_counted_now_and_before() -> None:
    times = {"a": [0, 2, 3, 3], "b": [0, 1, 1], "c": [2], "d": [9]}
    rows = [{"level": level, "_time": time} for level, found in times.items() for time in found]
    assert read(run_split(diff("level"), make_table(rows, events=True), [3])) == [
        {"level": "b", "current": 0, "previous": 3, "change": -3, "ratio": 0.0},
        {"level": "a", "current": 3, "previous": 1, "change": 2, "ratio": 3.0},
        {"level": "c", "current": 1, "previous": 0, "change": 1},
    ]


def test_a_range_without_bounds_ends_now() -> None:
    pipe = make_diff(ast.Diff(ast.Quantity(10, "ns"), ()), Conditions(now_ns=100))
    assert (pipe.start_ns, pipe.from_ns, pipe.to_ns) == (81, 91, 101)


@given(mixed_rows, st.sampled_from([("a",), ("a", "b"), ()]), cut_lists)
def test_it_counts_the_same_however_rows_are_split(
    rows: list[Row], by: tuple[str, ...], cuts: list[int]
) -> None:
    counts: Counter[tuple[bool, object]] = Counter()
    for row in rows:
        if row["_time"] < 4:
            counts[row["_time"] >= 2, tuple(make_key(row.get(field)) for field in by)] += 1
    found = read(run_split(diff(*by), make_table(rows, events=True), cuts))
    groups = [tuple(make_key(row.get(field)) for field in by) for row in found]
    assert len(set(groups)) == len(groups)
    assert {(True, group) for group in groups} | {(False, group) for group in groups} >= set(counts)
    for row, group in zip(found, groups, strict=True):
        assert (row["current"], row["previous"]) == (counts[True, group], counts[False, group])
        assert row["change"] == row["current"] - row["previous"]
    changes = [abs(row["change"]) for row in found]
    assert changes == sorted(changes, reverse=True)


def test_nothing_has_no_values_but_a_count() -> None:
    assert read(run(diff("a"), make_table([], events=True))) == []
    assert read(run(diff(), make_table([]))) == [{"current": 0, "previous": 0, "change": 0}]
    missing = run(diff("a"), make_table([{"_time": 3}]))
    assert read(missing) == [{"current": 1, "previous": 0, "change": 1}]


def test_a_field_that_is_named_like_a_result_is_refused() -> None:
    with pytest.raises(Invalid, match="two columns 'current'"):
        diff("Current")


def test_the_time_before_may_be_longer_than_all_time() -> None:
    rows = [{"_time": 1}, {"_time": 3}]
    found = read(run(diff(previous_ns=10**30), make_table(rows, events=True)))
    assert [(row["current"], row["previous"]) for row in found] == [(1, 1)]

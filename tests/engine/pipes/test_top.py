"""`top`: the most frequent combinations of values."""

from collections import Counter, defaultdict
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.aggregates.naive import order_key, unify
from tests.engine.pipes.tables import (
    Row,
    cut_lists,
    find_first,
    make_key,
    make_table,
    mixed_rows,
    read,
    run,
    run_split,
)

from logboom.engine.pipes.groups.rare import make_rare
from logboom.engine.pipes.groups.top import Top, make_top
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def top(*fields: str, limit: int = 10, by: tuple[str, ...] = ()) -> Top:
    return make_top(ast.Top(fields, limit, by), Conditions())


def rank(rows: list[Row], field: str, limit: int, by: str | None, sign: int) -> list[Row]:
    """What `top` must give, or `rare` with the other sign."""
    groups: defaultdict[Any, Counter[Any]] = defaultdict(Counter)
    shown: dict[Any, Any] = {}
    for row in rows:
        value, group = find_first(row.get(field)), find_first(row.get(by)) if by else None
        shown |= {make_key(value): unify(value), make_key(group): unify(group)}
        if value is not None:
            groups[make_key(group)][make_key(value)] += 1
    answers = []
    for group in sorted(groups, key=lambda key: order_key(shown[key])):
        counts = groups[group]
        ordered = sorted(counts, key=lambda key: (sign * counts[key], order_key(shown[key])))
        for value in ordered[:limit]:
            percent = round(100 * counts[value] / counts.total(), 6)
            answer = {field: shown[value], "count": counts[value], "percent": percent}
            answers.append(
                {by: shown[group]} | answer if by and shown[group] is not None else answer
            )
    return answers


def test_the_most_frequent_values_come_first_with_their_share() -> None:
    rows = [{"Host": host} for host in ["b", "a", "b", "c", None]]
    assert read(run_split(top("host", limit=2), make_table(rows, events=True), [2])) == [
        {"host": "b", "count": 2, "percent": 50.0},
        {"host": "a", "count": 1, "percent": 25.0},
    ]


@settings(deadline=None)
@given(mixed_rows, cut_lists, st.integers(1, 3), st.sampled_from(["b", None]), st.booleans())
def test_pieces_of_events_give_what_plain_python_does(
    rows: list[Row], cuts: list[int], limit: int, by: str | None, is_rare: bool
) -> None:
    groups = (by,) if by else ()
    rare = make_rare(ast.Rare(("a",), limit, groups), Conditions())
    pipe = rare if is_rare else top("a", limit=limit, by=groups)
    found = read(run_split(pipe, make_table(rows, events=True), cuts))
    expected = rank(rows, "a", limit, by, 1 if is_rare else -1)
    assert [list(map(make_key, row.values())) for row in found] == [
        list(map(make_key, row.values())) for row in expected
    ]


def test_each_group_has_its_own() -> None:
    rows = [{"env": env, "host": host} for env, host in ("pa", "pb", "pb", "qa")]
    found = read(run(top("host", limit=1, by=("env",)), make_table(rows)))
    assert [(row["env"], row["host"], row["percent"]) for row in found] == [
        ("p", "b", 66.666667),
        ("q", "a", 100.0),
    ]


def test_combinations_of_values_are_counted() -> None:
    rows: list[Row] = [{"a": 1, "b": "x"}, {"a": 1.0, "b": "x"}, {"a": 1}, {"b": "x"}]
    found = read(run_split(top("a", "b"), make_table(rows, events=True), [1]))
    assert found == [{"a": 1, "b": "x", "count": 2, "percent": 100.0}]


def test_no_rows_and_no_field_give_no_rows() -> None:
    assert read(run(top("a"), make_table([], events=True))) == []
    assert read(run(top("none", by=("a",)), make_table([{"a": 1}]))) == []


def test_it_works_on_the_table_of_an_earlier_pipe() -> None:
    first = run(top("a"), make_table([{"a": value} for value in "xxyyz"], events=True))
    again = top("percent")
    assert [row["percent"] for row in read(run(again, first))] == [66.666667, 33.333333]

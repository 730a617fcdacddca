"""Aggregates: each agrees with plain Python however its rows are split."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.aggregates.naive import aggregate, agrees, read_number
from tests.engine.pipes.tables import (
    Row,
    cells,
    cut_lists,
    find_first,
    make_table,
    mixed_rows,
    read,
    run,
    run_split,
    sort_newest,
    split,
)
from tests.properties import examples
from tests.together import together

from logboom.base.errors import Invalid
from logboom.engine.aggregates import AGGREGATES
from logboom.engine.pipes.groups.stats import make_stats
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast, functions

EXACT = sorted({*AGGREGATES} - {"approx_percentile", "rate", "rate_sum"})
SPREAD = ("var", "stdev", "varp", "stdevp")
small_cells = st.one_of(
    st.none(),
    st.integers(-1000, 1000),
    st.floats(-1e6, 1e6, allow_nan=False),
    st.sampled_from(["12", "-1.5", "x", "", True]),
)
small_rows = st.lists(small_cells, max_size=12).map(
    lambda values: [{"_time": 0, "id": place, "a": value} for place, value in enumerate(values)]
)


def stats(
    function: str, parameter: float | None = None, *, field: str = "a", **given: Any
) -> MergePipe:
    argument = ast.Field(field)
    result = ast.Aggregate(function, argument, parameter, given.get("condition"), name="result")
    return make_stats(ast.Stats((result,)), given.get("conditions", Conditions()))


def compute(function: str, values: list[Any], parameter: float | None = None) -> Any:
    rows = [{"id": place, "a": value} for place, value in enumerate(values)]
    (row,) = read(run(stats(function, parameter), make_table(rows)))
    return row.get("result")


def test_the_language_and_the_engine_know_the_same_aggregates() -> None:
    assert set(AGGREGATES) == set(functions.AGGREGATES)


@pytest.mark.parametrize("function", EXACT)
@settings(max_examples=examples(50), deadline=None)
@given(rows=mixed_rows, cuts=cut_lists, percent=st.sampled_from([0, 12.5, 50, 99, 100]))
def test_events_in_pieces_give_what_plain_python_does(
    function: str, rows: list[Row], cuts: list[int], percent: float
) -> None:
    if function in SPREAD:
        rows = [{**row, "a": None} if is_huge(row.get("a")) else row for row in rows]
    parameter = percent if function in functions.PERCENTILES else None
    expected = aggregate(function, sort_newest(rows), "a", parameter)
    (found,) = read(run_split(stats(function, parameter), make_table(rows, events=True), cuts))
    assert agrees(found.get("result"), expected, measure(rows)), (found, expected)


@pytest.mark.parametrize("function", EXACT)
@settings(max_examples=examples(50), deadline=None)
@given(rows=small_rows)
def test_rows_of_a_table_are_in_order_as_they_stand(function: str, rows: list[Row]) -> None:
    parameter = 75 if function in functions.PERCENTILES else None
    expected = aggregate(function, rows, "a", parameter)
    (found,) = read(run(stats(function, parameter), make_table(rows)))
    assert agrees(found.get("result"), expected, measure(rows)), (found, expected)


def is_huge(cell: Any) -> bool:
    number = read_number(find_first(cell))
    return number is not None and abs(number) > 1e100


SMALLEST_SQUARED = 1e-140


def measure(rows: list[Row]) -> float:
    """How large the numbers are, against which errors of floats are small."""
    numbers = [read_number(find_first(row.get("a"))) for row in rows]
    total = math.fsum(abs(float(number)) for number in numbers if number is not None)
    # The squares of numbers smaller than this are zero for a float.
    return max(total, SMALLEST_SQUARED)


@settings(deadline=None)
@given(
    st.lists(st.floats(-1e9, 1e9, allow_nan=False), min_size=1, max_size=30),
    st.sampled_from([0, 10, 50, 95, 100]),
    cut_lists,
)
def test_an_approximate_percentile_is_off_by_a_percent_at_most(
    numbers: list[float], percent: int, cuts: list[int]
) -> None:
    rows = [{"a": number} for number in numbers]
    (found,) = read(
        run_split(stats("approx_percentile", percent), make_table(rows, events=True), cuts)
    )
    exact = sorted(numbers)[math.floor(percent / 100 * (len(numbers) - 1))]
    assert math.isclose(found["result"], exact, rel_tol=0.0101)


def test_an_estimate_of_distinct_values_is_close_however_rows_are_split() -> None:
    rows = [{"a": f"id-{place % 20_000}"} for place in range(40_000)]
    table = make_table(rows, events=True)
    whole = read(run_split(stats("approx_count_uniq"), table, []))
    assert whole == read(run_split(stats("approx_count_uniq"), table, [7, 30_000, 11_111]))
    assert math.isclose(whole[0]["result"], 20_000, rel_tol=0.08)


def test_sums_of_integers_are_exact_beyond_64_bits_on_the_way() -> None:
    assert compute("sum", [2**63 - 1, 2**63 - 1, -(2**63)]) == 2**63 - 2
    assert compute("sum", [2**63 - 1, 1]) == 2.0**63
    assert type(compute("sum", [1, 2])) is int
    assert type(compute("avg", [1, 2, 3])) is float


def test_numbers_win_over_texts_and_texts_over_booleans() -> None:
    assert compute("max", ["zebra", 5, True]) == 5
    assert compute("min", ["b", "A", True]) == "A"
    assert compute("max", [False, True]) is True
    assert compute("min", ["10", "9"]) == 9


def test_extremes_are_exact_where_floats_are_not() -> None:
    assert compute("min", [2**53 + 1, 2.0**53]) == 2**53
    assert compute("max", [2**53 + 1, 2.0**53]) == 2**53 + 1
    assert compute("range", [-(2**62), 2**62 - 1]) == 2**63 - 1


def test_times_stay_times() -> None:
    rows = [{"_time": 5}, {"_time": 9}]
    for function, expected in (("min", 5), ("max", 9), ("values", [5, 9])):
        (row,) = read(run(stats(function, field="_time"), make_table(rows)))
        assert row["result"] == expected


def test_a_result_that_is_no_number_is_none() -> None:
    assert compute("sum", [1e308, 1e308]) is None
    assert compute("var", [5]) is None
    assert compute("avg", ["x"]) is None


def test_a_percentile_beyond_all_is_refused() -> None:
    with pytest.raises(Invalid, match="percentile 101, expected a number from 0 to 100"):
        stats("percentile", 101)


def test_lists_are_cut_and_say_how_much_they_left_out() -> None:
    rows = [{"a": place} for place in range(1500)]
    table = make_table(rows, events=True)
    for function in ("values", "list"):
        pipe = stats(function)
        merged = pipe.merge([pipe.compute(table)])
        assert read(pipe.finish(merged))[0]["result"] == list(range(1000))
        assert pipe.read_remarks(merged) == {("too_many_values", "a"): 500}


def test_what_is_no_number_and_what_lacks_the_field_is_counted() -> None:
    rows: list[Row] = [{"a": 1}, {"a": "x"}, {"a": True}, {"b": 1}, {"b": 2}, {"a": "2"}]
    pipe = stats("sum", field="A")
    pieces = split(make_table(rows, events=True), [1, 3, 5])
    assert pipe.read_remarks(pipe.merge(list(map(pipe.compute, pieces)))) == {
        ("not_numeric", "A"): 2,
        ("lacks_field", "A"): 2,
    }


@together("function", sorted(AGGREGATES))
def test_a_condition_leaves_out_rows(function: str) -> None:
    rows = [{"a": 1, "b": 1, "message": "m"}, {"a": 100, "b": 2, "message": "n"}]
    parameter = 50 if function in functions.PERCENTILES else None
    only = ast.Match("b", ast.Pattern.literal("1"))
    conditions = Conditions(from_ns=0, to_ns=10**9)
    with_condition = stats(function, parameter, condition=only, conditions=conditions)
    (found,) = read(run(with_condition, make_table(rows, events=True)))
    (alone,) = read(
        run(stats(function, parameter, conditions=conditions), make_table(rows[:1], events=True))
    )
    assert found == alone


def rate(
    rows: list[Row], bounds: Conditions | None = None, function: str = "rate", field: str = ""
) -> float | None:
    argument = ast.Field(field) if field else None
    result = ast.Aggregate(function, argument, name="result")
    pipe = make_stats(ast.Stats((result,)), bounds or Conditions())
    (row,) = read(run_split(pipe, make_table(rows, events=True), [1]))
    found: float | None = row.get("result")
    return found


def test_a_rate_is_per_second_of_the_range_or_of_the_rows() -> None:
    rows = [{"_time": second * 10**9} for second in (0, 1, 4)]
    assert rate(rows) == 0.75
    assert rate(rows, Conditions(from_ns=0, to_ns=6 * 10**9)) == 0.5
    assert rate(rows[:1]) is None


def test_a_rate_of_sums_is_per_second_of_the_range_or_of_the_rows() -> None:
    rows = [
        {"_time": second * 10**9, "size": size} for second, size in ((0, 3), (1, "4"), (4, 0.5))
    ]
    assert rate(rows, None, "rate_sum", "size") == 7.5 / 4
    assert rate(rows, Conditions(from_ns=0, to_ns=10 * 10**9), "rate_sum", "size") == 0.75
    assert rate(rows, None, "rate_sum", "nothing") is None


@settings(deadline=None)
@given(st.lists(cells, max_size=8))
def test_a_count_without_argument_is_of_rows(values: list[Any]) -> None:
    pipe = make_stats(ast.Stats((ast.Aggregate("count", name="n"),)), Conditions())
    table = make_table([{"a": value} for value in values], events=True)
    assert read(run_split(pipe, table, [3])) == [{"n": len(values)}]

"""Division: as Python divides, by constants and by columns, in one row and in many."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.stored import Stored

from logboom.engine.rows.division import divide

numbers = st.floats(-1e12, 1e12)
divisors = st.floats(1e-6, 1e9)


@given(st.lists(numbers, min_size=1, max_size=5), divisors)
def test_it_is_exact(dividends: list[float], divisor: float) -> None:
    frame = pl.DataFrame({"a": dividends, "b": [divisor] * len(dividends)})
    exact = [each / divisor for each in dividends]
    for by in (divisor, pl.lit(divisor), pl.col("b")):
        assert frame.select(divide(pl.col("a"), by)).to_series().to_list() == exact


def test_nothing_divided_is_nothing() -> None:
    frame = pl.DataFrame({"a": [None, 3]})
    assert frame.select(divide(pl.col("a"), 10)).to_series().to_list() == [None, 0.3]


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    """The same values in a block of several events, and each in a block of its own."""
    env = wide.make_env()
    events = [
        {"n": 3, "x": 0.3, "took": "300ms"},
        {"n": 7, "x": 0.7, "took": "700ms"},
        {"n": 23, "x": 2.3, "took": "2.3s"},
    ]
    wide.keep(env, events)
    for event in events:
        wide.keep(env, [event])
    return env


@pytest.mark.parametrize("expression", ["n/10", "duration(took)", "round(x, 1)", "bucket(x, 0.1)"])
def test_equal_values_are_equal_in_every_block(wide: Stored, env: str, expression: str) -> None:
    rows = wide.search(env, f"* | eval q={expression} | stats count by q | sort q").rows
    assert [(row["q"], row["count"]) for row in rows] == [(0.3, 2), (0.7, 2), (2.3, 2)]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("took<=300ms", 2),
        ("took>300ms", 4),
        ("took:[700ms TO 700ms]", 2),
        ("took<=2.3s took>=2.3s", 2),
        ("* | where eval(duration(took)==300ms)", 2),
        ("* | where eval(n/10==x)", 6),
    ],
)
def test_durations_and_quotients_compare_exactly(
    wide: Stored, env: str, query: str, count: int
) -> None:
    assert wide.search(env, f"{query} | stats count").rows == [{"count": count}]

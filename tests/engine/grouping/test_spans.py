"""Times in order are counted by spans as they are when each is looked at."""

from collections import Counter
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logboom.engine.grouping.spans import MOST_SPANS, count_spans
from logboom.engine.terms.spans import begin_span
from logboom.lang import ast

HOUR_NS = 3600 * 10**9
BERLIN = ZoneInfo("Europe/Berlin")
AUTUMN_NS = 1_793_491_200 * 10**9
"""A week in which clocks there are changed begins."""
SPANS = [ast.Quantity(1, "h"), ast.Quantity(3, "h"), ast.Quantity(1, "d"), ast.Quantity(7, "d")]


@given(
    st.lists(st.integers(AUTUMN_NS, AUTUMN_NS + 72 * HOUR_NS), min_size=1, max_size=50),
    st.sampled_from(SPANS),
    st.booleans(),
)
def test_counts_are_those_of_single_times(
    times: list[int], span: ast.Quantity, is_descending: bool
) -> None:
    ordered = pl.Series(sorted(times, reverse=is_descending), dtype=pl.Int64)
    expected = Counter(begin_span(time_ns, span, BERLIN) for time_ns in times)
    assert count_spans(ordered, None, span, BERLIN) == expected


@given(
    st.lists(
        st.tuples(st.integers(AUTUMN_NS, AUTUMN_NS + 72 * HOUR_NS), st.booleans()),
        min_size=1,
        max_size=50,
    ),
    st.sampled_from(SPANS),
    st.booleans(),
)
def test_only_selected_times_are_counted(
    rows: list[tuple[int, bool]], span: ast.Quantity, is_descending: bool
) -> None:
    rows = sorted(rows, reverse=is_descending)
    times = pl.Series([time_ns for time_ns, _ in rows], dtype=pl.Int64)
    selection = pl.Series([is_selected for _, is_selected in rows], dtype=pl.Boolean)
    selected = [time_ns for time_ns, is_selected in rows if is_selected]
    expected = Counter(begin_span(time_ns, span, BERLIN) for time_ns in selected)
    assert count_spans(times, selection, span, BERLIN) == expected


@pytest.mark.parametrize(
    "times", [[], [None], [1, None], [3, 1, 2], [0, (MOST_SPANS + 1) * HOUR_NS]]
)
def test_others_are_left_to_be_looked_at(times: list[int | None]) -> None:
    assert count_spans(pl.Series(times, dtype=pl.Int64), None, SPANS[0], BERLIN) is None

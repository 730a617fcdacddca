"""Groups of many rows, too many to keep them side by side until the end; and groups of none."""

from datetime import UTC

import polars as pl
import pytest

from logboom.engine.aggregates import AGGREGATES
from logboom.engine.grouping import groups
from logboom.engine.grouping.groups import MAX_LOOSE_ROWS, STREAMED_ROWS
from logboom.engine.pipes.groups.stats import make_stats
from logboom.engine.pipes.groups.timechart import make_timechart
from logboom.engine.pipes.groups.top import make_top
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.table import TIME, OwnFields, Table
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.spans import choose_span, list_starts
from logboom.lang import ast
from logboom.lang.parse import parse
from logboom.model.columns import DTYPES, Column, Kind, parse_column

USER = Column("user", Kind.INT).name
COUNT = ast.Aggregate("count", name="count")
SECOND = 10**9


def make_events(users: range, first_ns: int, step_ns: int) -> Table:
    times = pl.int_range(len(users), eager=True) * step_ns + first_ns
    numbers = pl.int_range(users.start, users.stop, users.step, eager=True)
    return Table(pl.DataFrame({TIME.name: times, USER: numbers}), own=OwnFields())


def reduce(pipe: MergePipe, tables: list[Table]) -> Table:
    return pipe.finish(pipe.merge([pipe.compute(table) for table in tables]))


def test_many_groups_are_merged_exactly() -> None:
    count = 6 * MAX_LOOSE_ROWS // 10
    assert count > STREAMED_ROWS
    tables = [make_events(range(count), 0, 1), make_events(range(count // 2, 2 * count), 0, 1)]
    stats = make_stats(ast.Stats((COUNT,), (ast.Key("user"),)), Conditions())
    found = reduce(stats, tables).frame
    assert found.height == 2 * count
    assert found["count:int"].sum() == tables[0].height + tables[1].height
    assert found[USER].head(3).to_list() == [count // 2, count // 2 + 1, count // 2 + 2]
    top = make_top(ast.Top(("user",), 2), Conditions())
    assert reduce(top, tables).frame[USER].to_list() == [count // 2, count // 2 + 1]


@pytest.mark.parametrize("function", ["approx_p95", "p95", "mode", "values", "list", "count_uniq"])
def test_many_lists_are_merged_part_by_part(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = (0, 100, 200)
    tables = [Table(make_events(range(start, start + 300), 0, 1).frame) for start in starts]
    pipe = parse(f"* | stats {function}(user) as x, list(user) as l by user").pipes[0]
    assert isinstance(pipe, ast.Stats)
    stats = make_stats(pipe, Conditions())
    expected = reduce(stats, tables).frame
    monkeypatch.setattr(groups, "PART_ROWS", 7)
    assert reduce(stats, tables).frame.equals(expected)
    assert expected["l:int[]"].list.len().sum() == 900


def test_spans_of_different_lengths_become_those_of_the_longest() -> None:
    count = 6 * MAX_LOOSE_ROWS // 10
    tables = [make_events(range(count), 0, 1000), make_events(range(count), 0, SECOND)]
    shortest, longest = (choose_span(0, count * step, 100, UTC) for step in (1000, SECOND))
    assert shortest != longest
    chart = make_timechart(ast.Timechart((COUNT,), None, ast.Key("user"), 1), Conditions())
    found = reduce(chart, tables).frame
    assert found[TIME.name].to_list() == list_starts(0, (count - 1) * SECOND + 1, longest, UTC)
    assert found.select(pl.col("0:int", "other:int").sum()).row(0) == (2, 2 * count - 2)
    # Every row of the first table lies in the first span of the second one.
    assert found["other:int"][0] == count + longest.scaled // SECOND - 2


@pytest.mark.parametrize("function", sorted(AGGREGATES))
@pytest.mark.parametrize("field", ["user", "nobody"])
def test_results_have_the_types_that_their_columns_say(function: str, field: str) -> None:
    aggregate = ast.Aggregate(function, ast.Field(field), 90, name="result")
    stats = make_stats(ast.Stats((aggregate,), (ast.Key("user"),)), Conditions())
    for count in (0, 3):
        table = Table(make_events(range(count), 0, 1).frame)
        found = reduce(stats, [table, table]).frame
        assert found.height == count
        for name, dtype in found.schema.items():
            assert dtype == DTYPES[parse_column(name).kind], name

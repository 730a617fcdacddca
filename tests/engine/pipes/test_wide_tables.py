"""Tables of very many columns: no pipe takes time for each pair of them, and long steps end when nobody waits."""

from collections.abc import Callable
from typing import Any, cast

import polars as pl
import pytest
from tests.engine.pipes.tables import read

from logboom.base.errors import DeadlineExceeded
from logboom.base.process.deadline import Deadline
from logboom.engine.pipes import PIPES
from logboom.engine.pipes.kinds import Finder, MergePipe, run_locally
from logboom.engine.rows.table import TIME, Table
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.limits import Budget, Limits
from logboom.lang.parse import parse
from logboom.model.columns import Column, Kind

WIDTH, LABELS = 1000, 20_000
NOBODY = cast("Finder", None)
"""These pipes ask nothing else."""
STEPS = ("with_columns", "select", "filter", "with_row_index", "drop", "drop_in_place", "lazy")
"""What pipes do with frames; each takes time for every column."""
MOST_PASSES = 20


@pytest.fixture(scope="module")
def wide() -> Table:
    names = [f"f{number}" for number in range(WIDTH)]
    columns = {Column(name, Kind.INT).name: [1, None] for name in names}
    return Table(pl.DataFrame(columns), tuple(names))


def run(table: Table, query: str) -> Table:
    parsed = parse(f"* | {query}").pipes[0]
    pipe = PIPES[type(parsed)](parsed, Conditions())
    return run_locally(pipe, table, NOBODY)


@pytest.mark.parametrize(
    "query", ["fillnull", "addtotals", "rename f* as g*", "untable f0 name value", "drop f1*"]
)
def test_columns_are_not_looked_at_once_for_each_other_column(
    wide: Table, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = 0

    def count(step: Callable[..., Any]) -> Callable[..., Any]:
        def counted(frame: pl.DataFrame, *arguments: Any, **options: Any) -> Any:
            nonlocal looked_at
            looked_at += frame.width
            return step(frame, *arguments, **options)

        return counted

    for name in STEPS:
        monkeypatch.setattr(pl.DataFrame, name, count(getattr(pl.DataFrame, name)))
    run(wide, query)
    assert looked_at < MOST_PASSES * WIDTH


def test_a_chart_has_very_many_columns() -> None:
    labels = [f"u{number}" for number in range(LABELS)]
    frame = pl.DataFrame(
        {TIME.name: [0] * LABELS, Column("user", Kind.STR).name: labels},
        {TIME.name: pl.Int64, Column("user", Kind.STR).name: pl.String},
    )
    parsed = parse(f"* | timechart 1d count by user limit={LABELS}").pipes[0]
    pipe = PIPES[type(parsed)](parsed, Conditions())
    assert isinstance(pipe, MergePipe)
    chart = pipe.finish(pipe.merge([pipe.compute(Table(frame))]))
    assert len(chart.columns) == 1 + LABELS


def test_renamed_fields_may_take_the_names_of_others_that_are_renamed_too() -> None:
    columns = {Column(name, Kind.INT).name: [place] for place, name in enumerate(("a", "xa", "b"))}
    table = run(Table(pl.DataFrame(columns), ("a", "xa", "b")), "rename * as x*")
    assert table.columns == ("xa", "xxa", "xb")
    assert read(table) == [{"xa": 0, "xxa": 1, "xb": 2}]


@pytest.mark.parametrize("query", ["fillnull", "addtotals", "untable f0 name value"])
def test_a_step_ends_when_nobody_waits(wide: Table, query: str) -> None:
    gone, late = Deadline(), Budget(Limits(timeout_s=10))
    gone.set()
    late.started_s -= 21
    for budget, message in ((Budget(Limits(), gone), "went away"), (late, "stopped after")):
        with budget.working("a step"), pytest.raises(DeadlineExceeded, match=message):
            run(wide, query)

"""Partial results that come together are counted, merged when there is need, and given back."""

import polars as pl
import pytest

from logboom.base.errors import OverBudget
from logboom.engine.execution.gathered import Gathered
from logboom.engine.pipes.groups.stats import make_stats
from logboom.engine.rows.memory import Memory
from logboom.engine.rows.table import Table
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast
from logboom.lang.parse import parse

ROWS = Table(pl.DataFrame({"host": ["a", "b", "a"]}))


def make_gathered(limit_bytes: int) -> Gathered:
    pipe = parse("* | stats count by host").pipes[0]
    assert isinstance(pipe, ast.Stats)
    return Gathered(make_stats(pipe, Conditions()), Memory(limit_bytes))


def test_the_first_result_may_be_too_large() -> None:
    gathered = make_gathered(10)
    with pytest.raises(OverBudget, match="stats needs"):
        gathered.add(gathered.reducer.compute(ROWS))
    assert gathered.memory.held_bytes == 0


def test_what_was_merged_is_not_merged_again() -> None:
    gathered = make_gathered(1 << 20)
    gathered.add(gathered.reducer.compute(ROWS))
    merged = gathered.merge()
    assert gathered.merge() is merged
    gathered.add(gathered.reducer.compute(ROWS))
    found = gathered.reducer.finish(gathered.merge())
    assert found.frame.rows() == [("a", 4), ("b", 2)]
    gathered.close()
    assert gathered.memory.held_bytes == 0

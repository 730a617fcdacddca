"""The memory of answers: the bound that is computed first never falls short."""

import polars as pl
import pytest

from logboom.engine.answers.fit import bound_answer, fit_answer, measure_answer
from logboom.engine.rows.memory import Memory
from logboom.engine.rows.table import Table

TEXTS = pl.Series("text", ["", "ä" * 40, None, "long " * 1000])
NUMBERS = pl.Series("n:int", [1, None, 3, 4], pl.Int64)
LISTS = pl.Series("many:str[]", [["a", "b" * 50], [], None, ["c"] * 30])
FLAGS = pl.Series("flag:bool", [True, None, False, True])


@pytest.mark.parametrize(
    "shown",
    [("text",), ("n",), ("many",), ("text", "n", "many", "flag"), ("äöü" * 100, "text"), ()],
)
@pytest.mark.parametrize("rows", [0, 1, 4])
def test_an_answer_is_never_larger_than_its_bound(shown: tuple[str, ...], rows: int) -> None:
    frame = pl.DataFrame([TEXTS, NUMBERS, LISTS, FLAGS]).head(rows)
    table = Table(frame, shown)
    assert bound_answer(table) >= measure_answer(table)


def test_rows_that_do_not_fit_are_left_out() -> None:
    table = Table(pl.DataFrame([NUMBERS, TEXTS]), ("n", "text"))
    needed_bytes = measure_answer(table)
    whole, stop = fit_answer(table, Memory(needed_bytes))
    assert (whole.height, stop) == (4, None)
    cut, stop = fit_answer(table, Memory(needed_bytes // 2))
    assert cut.height == 2
    assert stop is not None
    assert stop.code == "memory"


def test_fields_that_are_not_shown_take_no_memory() -> None:
    table = Table(pl.DataFrame([NUMBERS, TEXTS]), ("n",))
    assert bound_answer(table) > measure_answer(table)
    assert fit_answer(table, Memory(measure_answer(table))) == (table, None)

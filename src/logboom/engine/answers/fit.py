"""How many rows of a table can be answered within the query's memory."""

from collections.abc import Callable
from typing import TypeVar

import polars as pl

from logboom.base.errors import OverBudget
from logboom.engine.answers.events import Take, take_nothing
from logboom.engine.rows.memory import Memory, write_size
from logboom.engine.rows.size import measure, measure_fields
from logboom.engine.rows.table import Table, average_bytes
from logboom.engine.terms.limits import Budget, Stop

T = TypeVar("T")

READING = "reading events"
ROW_BYTES = 64
CELL_BYTES = 64
"""The memory of a row and each of its values as Python objects, beside the texts."""
COPIES = 2
"""Texts and lists are held once as objects, and once in the body of the answer."""


def fit_answer(table: Table, memory: Memory) -> tuple[Table, Stop | None]:
    """Return the table, or its first rows and why the others are left out."""
    spare_bytes = memory.spare_bytes
    # Measuring every field takes longer than finding all the rows of a short answer.
    if not table.height or (not table.shared and bound_answer(table) <= spare_bytes):
        return table, None
    size_bytes = measure_answer(table)
    if size_bytes <= spare_bytes:
        return table, None
    rows = table.height * spare_bytes // size_bytes
    message = (
        f"the first {rows} of {table.height} rows are shown, all of them would need {write_size(size_bytes)} of "
        "memory: request fewer rows or fields"
    )
    return table.with_frame(table.frame.head(rows)), Stop("memory", message)


class Taken:
    """Memory that is taken piece by piece, and given back together. Thread-safe."""

    def __init__(self, memory: Memory, what: str) -> None:
        self._memory = memory
        self._what = what
        self._sizes: list[int] = []

    def take(self, size_bytes: int) -> None:
        """Take memory, or give some back if the size is negative; raise OverBudget if there is not enough left."""
        if size_bytes < 0:
            self._memory.give(-size_bytes)
        else:
            self._memory.take(size_bytes, self._what)
        self._sizes.append(size_bytes)

    def give(self) -> None:
        self._memory.give(sum(self._sizes))
        self._sizes.clear()


def read_fitting(
    rows: int, read: Callable[[int, Take], T], budget: Budget, taken: Taken
) -> tuple[T, int]:
    """Return what is read of as many rows as fit into memory, at least one, and how many these are."""
    few = rows
    while True:
        try:
            return read(few, taken.take if few > 1 else take_nothing), few
        except OverBudget:
            taken.give()
            if budget.check_time():
                raise
            few //= 2


def describe_cut(shown: int, found: int) -> Stop:
    message = f"the first {shown} of {found} events are shown, all of them would need too much memory: request fewer"
    return Stop("memory", message)


def bound_answer(table: Table) -> int:
    """Return at least the memory of a table's rows as an answer, without lists that they share."""
    return measure_objects(table) + COPIES * measure(table.frame)


def measure_answer(table: Table) -> int:
    """Return the memory of a table's rows as an answer."""
    shared = sum(
        measure_lists(lists, table.frame[place])
        for place, by_kind in table.shared.values()
        for lists in by_kind.values()
    )
    return measure_objects(table) + COPIES * measure_fields(table, table.columns) + shared


def measure_objects(table: Table) -> int:
    """Return the memory of a table's rows and names, without their texts and lists."""
    # The body repeats the names in each row; those that are values of a field may be long.
    name_bytes = len("".join(table.columns).encode())
    return table.height * (ROW_BYTES + CELL_BYTES * len(table.columns) + name_bytes)


def measure_lists(lists: pl.Series, places: pl.Series) -> int:
    """Return the memory of lists in the body of an answer, in which each row repeats them."""
    lengths = lists.list.len().cast(pl.Int64) * (average_bytes(lists) + 4)
    return int(lengths.gather(places).sum() or 0)

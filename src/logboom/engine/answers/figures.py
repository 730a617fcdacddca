"""Figures: the table that a query gives for one or more time ranges; events are counted, not listed."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from logboom.base.errors import Invalid
from logboom.base.structs import InternalStruct
from logboom.engine.answers.rowwise import COUNT, check_complete
from logboom.engine.blocks.losses import Losses, Warning_
from logboom.engine.execution.find import Finder
from logboom.engine.pipes.choose.page import Page
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.rows.table import Table
from logboom.engine.terms.request import Request
from logboom.lang import ast
from logboom.lang.numeric import list_numeric


class Figures(NamedTuple):
    """A table; `numeric` are columns that have numbers if they have values, as far as the query says.

    `warnings` name the damaged blocks whose events are missing.
    """

    columns: tuple[str, ...]
    rows: list[dict[str, object]]
    numeric: frozenset[str] = frozenset()
    warnings: Sequence[Warning_] = ()


class Meter(InternalStruct, frozen=True):
    """Runs the request of one finder over several time ranges, within one budget and on one snapshot."""

    finder: Finder

    @property
    def is_out_of_time(self) -> bool:
        return self.finder.budget.check_time() is not None

    @property
    def elapsed_s(self) -> float:
        return self.finder.budget.elapsed_ms / 1000

    def measure(self, from_ns: int, to_ns: int, max_rows: int) -> Figures:
        """Return what the query would have answered at `to_ns` for the range up to then.

        An answer that is cut short or has more rows is an error; one that only lacks damaged blocks has warnings.
        """
        request = replace(self.finder.request, from_ns=from_ns, to_ns=to_ns, now_ns=to_ns)
        finder = replace(self.finder, request=request, runs=[], losses=Losses())
        try:
            return find_figures(finder, max_rows)
        finally:
            self.finder.losses.include(finder.losses)


def find_figures(finder: Finder, max_rows: int) -> Figures:
    request = count_events(finder, finder.prepare(finder.request))
    table = finder.find(request, Page(0))
    check_complete(finder)
    return Figures(
        table.columns,
        read_few(table, max_rows),
        list_numeric(finder.request.query),
        finder.losses.list_warnings(),
    )


def read_few(table: Table, max_rows: int) -> list[dict[str, object]]:
    if table.height > max_rows:
        raise Invalid(
            f"the answer has {table.height} rows, expected at most {max_rows} such as top gives"
        )
    return table.read_rows()


def count_events(finder: Finder, request: Request) -> Request:
    """Return the prepared request; if it finds events they are only counted."""
    plan = finder.plan(request, Page(0))
    pipes = (*plan.row_pipes, plan.reducer, *plan.rest)
    if not all(isinstance(pipe, RowPipe) or pipe.keeps_events for pipe in pipes):
        return request
    counting = ast.Query(request.query.filter, (*request.query.pipes, COUNT))
    return replace(request, query=counting)

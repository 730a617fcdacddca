"""Figures of many time windows from one pass over the events, if a query allows it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import polars as pl
from msgspec.structs import replace

from logboom.base.errors import Invalid
from logboom.base.structs import InternalStruct
from logboom.engine.answers.figures import Figures, Meter, count_events, read_few
from logboom.engine.answers.rowwise import check_complete
from logboom.engine.blocks.losses import Losses
from logboom.engine.execution.find import Finder
from logboom.engine.execution.plan import depends_on_clock
from logboom.engine.execution.run import Run
from logboom.engine.expressions.numeric import as_real, read_numbers
from logboom.engine.pipes.choose.page import Page
from logboom.engine.pipes.groups.stats import Stats
from logboom.engine.pipes.groups.windows import WINDOW, Sliding, make_sliding
from logboom.engine.pipes.kinds import RowPipe, WholePipe
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.request import Request
from logboom.engine.terms.tree import walk
from logboom.lang import ast
from logboom.lang.numeric import list_numeric

TIMED = (ast.During, ast.Between, ast.InQuery, ast.Diff)
"""Expressions whose result depends on the time or the range of the query."""


class Windows(InternalStruct, frozen=True):
    """The rows of every window, and the remaining steps."""

    parts: Mapping[tuple[object, ...], pl.DataFrame]
    empty: Table
    """The rows of an empty window."""
    finish: Callable[[Table], Table]
    numeric: frozenset[str]
    max_rows: int

    def measure(self, window: int) -> Figures:
        """Return what `Meter.measure` answers for this window."""
        part = self.parts.get((window,))
        table = self.finish(self.empty if part is None else self.empty.with_frame(part))
        return Figures(table.columns, read_few(table, self.max_rows), self.numeric)


def find_windows(meter: Meter, sliding: Sliding, max_rows: int) -> Windows | None:
    """Return the windows, or None if only `Meter.measure` can tell. It is an error if the answer is cut short."""
    end_ns = sliding.end_ns
    request = replace(meter.finder.request, from_ns=sliding.first_ns, to_ns=end_ns, now_ns=end_ns)
    if any(is_timed(node) for node in walk((request.query.filter, request.query.pipes))):
        return None
    finder = replace(meter.finder, request=request, runs=[], losses=Losses())
    prepared = count_events(finder, finder.prepare(request))
    run = start(finder, prepared, sliding)
    if run is None or is_ordered(run):
        return None
    found = run.reduce(finder.list_blocks(prepared))
    check_complete(finder)
    if finder.losses:
        # Only some of the windows lack events.
        return None
    return make_windows(finder, run, found, finder.start(prepared, Page(0)).reduce([]), max_rows)


def list_groups(finder: Finder, sliding: Sliding, keys: Sequence[str], figure: str) -> pl.DataFrame:
    """Return the groups of `stats` in every window, in no order: `window`, the keys as texts, and `figure` as a number.

    Keys are columns with their numbers as names, because a field may have any other name. What depends on the clock sees the time of the request. An answer that is cut short is an error.
    """
    request = replace(finder.request, from_ns=sliding.first_ns, to_ns=sliding.end_ns)
    prepared = finder.prepare(request)
    run = start(finder, prepared, sliding)
    if run is None:
        raise Invalid("a range of time needs a query whose steps work on single lines")
    found = run.reduce(finder.list_blocks(prepared))
    check_complete(finder)
    return found.frame.select(
        pl.col(WINDOW).alias("window"),
        *(
            Value.of_field(found, key).text().fill_null("").alias(str(place))
            for place, key in enumerate(keys)
        ),
        as_real(read_numbers(Value.of_field(found, figure))).alias("figure"),
    )


def is_ordered(run: Run) -> bool:
    """Return whether an aggregate picks rows by their order."""
    reducer = run.plan.reducer
    return isinstance(reducer, Stats) and reducer.groups.is_ordered


def make_windows(finder: Finder, run: Run, found: Table, empty: Table, max_rows: int) -> Windows:
    """Return the windows; pipes that work row by row process the rows of all windows at once."""
    finish: Callable[[Table], Table] = partial(finder.run_rest, run)
    if all(isinstance(pipe, RowPipe) for pipe in run.plan.rest):
        finished = finish(found)
        if WINDOW in finished.frame.columns:
            found, empty, finish = finished, finish(empty), keep_as_it_is
    parts = found.frame.partition_by(WINDOW, as_dict=True, include_key=False)
    numeric = list_numeric(finder.request.query)
    return Windows(parts, empty, finish, numeric, max_rows)


def keep_as_it_is(table: Table) -> Table:
    return table


def is_timed(node: object) -> bool:
    return isinstance(node, TIMED) or depends_on_clock(node)


def start(finder: Finder, request: Request, sliding: Sliding) -> Run | None:
    """Start the query, or return None unless it is `stats` of rows with only row-wise pipes before it."""
    # Rates depend on the length of the range, which is that of one window.
    of_last = replace(request, from_ns=request.to_ns - sliding.length_ns)
    plan = finder.plan(of_last, Page(0))
    stats = plan.reducer
    if type(stats) is not Stats:
        return None
    if any(isinstance(pipe, WholePipe) for pipe in plan.rest):
        return None
    windows = make_sliding(stats, sliding, plan.needs.fields)
    needs, piped = plan.needs | windows.needs(), plan.piped | windows.needs()
    text = plan.text and f"{plan.text} in slots {(sliding.slot_ns, sliding.phase_ns)}"
    changes = {"reducer": windows, "needs": needs, "piped": piped}
    return finder.start_plan(
        replace(plan, **changes, text=text, finish_text=f" in windows {sliding}"), request
    )

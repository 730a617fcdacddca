"""The plan of a query: what is computed for each block, how that is merged, and what happens afterwards."""

from collections.abc import Callable, Iterator
from itertools import takewhile

from msgspec import field

from logboom.base.structs import InternalStruct
from logboom.engine.pipes import PIPES
from logboom.engine.pipes.choose.where import Where
from logboom.engine.pipes.collect import Collect
from logboom.engine.pipes.kinds import AnyPipe, MergePipe, RowPipe
from logboom.engine.rows.table import Table
from logboom.engine.terms.bound import Filter
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import CHANGED, NOTHING, Needs, need_node
from logboom.engine.terms.tree import walk
from logboom.lang import ast

ONLY_COUNT = ast.Stats((ast.Aggregate("count", name="count"),))
CLOCK = frozenset({"now", "relative_time"})
"""Functions that depend on the clock."""
STORED_TABLES = frozenset({ast.Lookup, ast.InputLookup})
"""Pipes that read tables, which may change."""


class Plan(InternalStruct, frozen=True):
    """How a query is computed. `row_pipes` and `reducer` run on each block; `rest` runs once on the merged table."""

    filter: Filter
    row_pipes: tuple[RowPipe, ...]
    reducer: MergePipe
    rest: tuple[AnyPipe, ...]
    needs: Needs
    """The fields that the filter, the pipes and the reducer read."""
    piped: Needs
    """The fields that are read of matching rows after the filter."""
    is_page: bool
    """Whether the answer is events in order of time, which comes in pages."""
    text: str
    """Plans with the same text have the same partial results."""
    finish_text: str = ""
    """With the same text and the same `finish_text`, plans also have the same result."""
    conditions: Conditions = field(default_factory=Conditions)
    """The clock, time zone and limits for the filter's expressions."""

    @property
    def count_rows(self) -> Callable[[int], Table] | None:
        """Makes the partial result for a number of rows; None unless the plan needs only that number."""
        return None if self.row_pipes else self.reducer.count_rows

    @property
    def counts_selected(self) -> bool:
        """Whether the reducer may count rows without loading them."""
        return not self.row_pipes and self.reducer.counts_selected


def make_plan(query: ast.Query, conditions: Conditions, page: MergePipe) -> Plan:
    """Make a plan; nothing is read. `page` is the reducer of a query that has none."""
    pipes = [PIPES[type(pipe)](pipe, conditions) for pipe in query.pipes]
    row_pipes = [*list_row_pipes(pipes)]
    if len(row_pipes) == len(pipes):
        # Pages end between events, so rows are multiplied only after all events are found.
        row_pipes = [*takewhile(lambda pipe: not pipe.multiplies, row_pipes)]
    mapped = len(row_pipes)
    reducer: MergePipe
    match pipes[mapped:]:
        case []:
            reducer, pipes = page, []
        case [MergePipe() as first, *others]:
            reducer, pipes = first, others
        case others:
            reducer, pipes = Collect(), others
    unnamed = reducer if reducer is page or isinstance(reducer, Collect) else None
    piped = sum_needs([*row_pipes, reducer, *pipes])
    needs = need_node(query.filter) | piped
    read = query.pipes[: mapped + 1]
    if not row_pipes and reducer.count_rows is not None:
        # What the count is called makes no difference to partial results.
        read = (ONLY_COUNT,)
    return Plan(
        filter=query.filter,
        row_pipes=tuple(row_pipes),
        reducer=reducer,
        rest=tuple(pipes),
        needs=needs,
        piped=piped,
        is_page=reducer is page,
        text=write_text(query.filter, read, (unnamed, needs, piped), conditions),
        conditions=conditions,
    )


def list_row_pipes(pipes: list[AnyPipe]) -> Iterator[RowPipe]:
    """Yield the pipes up to the first that must see more than one row."""
    for pipe in pipes:
        if not isinstance(pipe, RowPipe):
            return
        yield pipe


def write_text(
    filter_: Filter, pipes: tuple[ast.Pipe, ...], rest: tuple[object, ...], conditions: Conditions
) -> str:
    """Return the text that identifies the plan; empty if the result depends on more than the block and this text.

    `rest` is what else the partial results depend on.
    """
    nodes = list(walk((filter_, pipes)))
    if not STORED_TABLES.isdisjoint(map(type, nodes)):
        return ""
    parts: list[object] = [filter_, pipes, rest, str(conditions.zone)]
    if any(map(depends_on_clock, nodes)):
        parts.append(conditions.now_ns)
    if any(map(depends_on_range, nodes)):
        parts += [conditions.from_ns, conditions.to_ns]
    return repr(parts)


def depends_on_clock(node: object) -> bool:
    return isinstance(node, ast.Diff) or (isinstance(node, ast.Call) and node.function in CLOCK)


def depends_on_range(node: object) -> bool:
    match node:
        case ast.Timechart(span=None) | ast.Aggregate(function="rate") | ast.Diff():
            return True
        case _:
            return False


def sum_needs(pipes: list[AnyPipe]) -> Needs:
    """Return the fields to load for all pipes up to the first whose rows are no longer events."""
    needs, is_changed = NOTHING, False
    for pipe in pipes:
        own = pipe.needs()
        needs |= own | CHANGED if is_changed and own.texts else own
        is_changed = is_changed or not isinstance(pipe, Where)
        if not (isinstance(pipe, RowPipe) or pipe.keeps_events):
            break
    return needs

"""`explain`: shows how a query is run, as a table of steps, instead of running it."""

from collections.abc import Iterator

import polars as pl

from logboom.base.wording import count_events
from logboom.engine.execution.find import Finder
from logboom.engine.execution.plan import Plan
from logboom.engine.execution.run import Run
from logboom.engine.filters.skip import may_match
from logboom.engine.pipes.choose.page import Page
from logboom.engine.pipes.collect import Collect
from logboom.engine.rows.internal import is_internal
from logboom.engine.rows.table import Table
from logboom.engine.terms.needs import Needs, Texts
from logboom.engine.terms.request import Request
from logboom.engine.terms.written import write_node, write_range
from logboom.lang import ast

Step = tuple[str, str]

TEXTS = {
    Texts.NONE: "",
    Texts.WITHOUT_MESSAGE: "all texts of events without a message",
    Texts.ALL: "every value",
}


def describe_plan(finder: Finder, request: Request, page: Page) -> Table:
    """Return the steps of a prepared request; reads block indexes but no blocks."""
    run = finder.start(request, page)
    steps = [
        ("time", write_range(run.scope.from_ns, run.scope.to_ns)),
        ("environments", ", ".join(sorted(run.scope.envs))),
        ("indexes", ", ".join(run.scope.indexes)),
        ("filter", write_node(run.plan.filter)),
        ("fields", write_needs(run.plan.needs)),
        *describe_blocks(finder, request, run),
        *describe_pipes(request.query.pipes, run.plan),
    ]
    frame = pl.DataFrame(steps, {"step": pl.String, "detail": pl.String}, orient="row")
    return Table(frame, ("step", "detail"))


def write_needs(needs: Needs) -> str:
    if needs.everything:
        return "every field"
    fields = sorted(field for field in needs.fields if not is_internal(field))
    return ", ".join(filter(None, (*fields, TEXTS[needs.texts]))) or "none"


def describe_blocks(finder: Finder, request: Request, run: Run) -> Iterator[Step]:
    """Yield how many blocks are in scope, and how much is left to read, if the user may know."""
    if not request.allowed.is_unlimited:
        yield "blocks", f"{finder.count_reached(run.scope)} in scope"
        return
    infos = finder.list_blocks(request)
    blocks = [block for info in infos if (block := finder.try_open(info))]
    wanted = [
        block for block in blocks if run.scope.touches(block) and may_match(run.plan.filter, block)
    ]
    rows = sum(block.index.rows for block in wanted)
    yield "blocks", f"{len(infos)} in scope, {len(blocks) - len(wanted)} skipped by their indexes"
    yield "read", f"{count_events(rows)} in {len(wanted)} of them"


def describe_pipes(pipes: tuple[ast.Pipe, ...], plan: Plan) -> Iterator[Step]:
    """Yield what runs on each block, how the results are merged, and what happens to the merged result."""
    of_rows = len(plan.row_pipes)
    for pipe in pipes[:of_rows]:
        yield "in each block", write_node(pipe)
    rest = pipes[of_rows:]
    if plan.is_page and isinstance(plan.reducer, Page):
        yield "reduce", f"the newest {plan.reducer.limit} events"
    elif isinstance(plan.reducer, Collect):
        yield "reduce", "all rows together"
    else:
        yield "reduce", write_node(rest[0])
        rest = rest[1:]
    for pipe in rest:
        yield "then", write_node(pipe)

"""Search: turns a request into rows."""

import msgspec
import polars as pl
from msgspec.structs import replace

from logboom.base.errors import Invalid
from logboom.engine.answers.empty import Explanation
from logboom.engine.answers.events import Take, list_columns, read_events
from logboom.engine.answers.explain import describe_plan
from logboom.engine.answers.fit import READING, Taken, describe_cut, fit_answer, read_fitting
from logboom.engine.answers.rowwise import COUNT
from logboom.engine.answers.warnings import list_warnings
from logboom.engine.execution.find import Finder
from logboom.engine.execution.run import Extent
from logboom.engine.pipes.choose.page import Page
from logboom.engine.rows.table import NODE, SEQ, TIME, OwnFields, Table
from logboom.engine.terms.limits import Stop
from logboom.engine.terms.request import EventKey, Request, encode_cursor
from logboom.lang import ast
from logboom.lang.format import format_query

MAX_EVENTS = 10_000
"""Events in one answer if the query itself limits them."""
MAX_SPARE = 100
"""How many events of the next page are read with this one, if that takes no further reading."""


class SearchAnswer(msgspec.Struct):
    """The answer to a search; see the HTTP API. `explanation` says why it has no rows."""

    type: str
    columns: list[str]
    rows: list[dict[str, object]]
    cursor: str | None
    total: int | None
    complete: bool
    warnings: list[dict[str, object]]
    query: str
    took_ms: float
    stats: Extent
    explanation: Explanation | None = None


class Search:
    """A search in progress."""

    def __init__(self, finder: Finder, request: Request) -> None:
        self._finder = finder
        self._written = request.query
        self.request = finder.prepare(request)
        """The request in its cheapest form."""

    def answer(self) -> SearchAnswer:
        *pipes, last = self.request.query.pipes or (None,)
        if isinstance(last, ast.Explain):
            return self._answer_plan(tuple(filter(None, pipes)))
        run = self._finder.start(self.request, self._page)
        if self.request.after and not run.plan.is_page:
            raise Invalid(
                "cursor continues events in order of time, not the result of other pipes",
                field="cursor",
            )
        table = self._finder.complete(run, self.request)
        if table.has_events:
            return self._answer_events(table, is_page=run.plan.is_page)
        return self._answer_table(table)

    @property
    def _page(self) -> Page:
        request = self.request
        return Page(request.limit, request.after, min(request.limit, MAX_SPARE))

    def _answer_plan(self, pipes: tuple[ast.Pipe, ...]) -> SearchAnswer:
        request = replace(self.request, query=ast.Query(self.request.query.filter, pipes))
        return self._answer_table(describe_plan(self._finder, request, self._page))

    def _answer_events(self, table: Table, *, is_page: bool) -> SearchAnswer:
        """Return an answer of events: a page of the newest, or all that pipes have chosen and ordered."""
        own, request = table.own or OwnFields(), self.request
        spare = table.frame[request.limit :] if is_page else None
        found = min(table.height, request.limit) if is_page else table.height
        table = table.with_frame(table.frame.head(request.limit if is_page else self._most_rows()))
        table, stop = fit_answer(table, self._finder.budget.memory)
        rows, few = self._read_fitting(table, spare)
        if few is not None:
            table, stop = table.with_frame(table.frame.head(few)), describe_cut(few, table.height)
        total = self._count_all(found, is_page=is_page) if request.count else None
        answer = self._make("events", list_columns(rows, own), rows, total)
        self._note(answer, stop)
        if is_page and table.height and (table.height == request.limit or stop):
            last = table.frame.row(-1, named=True)
            answer.cursor = encode_cursor(EventKey(last[TIME.name], last[NODE], last[SEQ]))
        if found > table.height:
            message = f"the first {table.height} of {found} events are shown"
            answer.warnings.append({"code": "limit", "message": message})
        return answer

    def _read_fitting(
        self, table: Table, spare: pl.DataFrame | None
    ) -> tuple[list[dict[str, object]], int | None]:
        """Return the events of as many rows as fit into memory, and how many these are if not all."""
        finder = self._finder

        def read(few: int, take: Take) -> list[dict[str, object]]:
            return read_events(
                table.with_frame(table.frame.head(few)),
                finder.open_block,
                finder.note_loss,
                raw=self.request.raw,
                spare=spare if few == table.height else None,
                take=take,
            )

        # The rows are held until they are sent.
        taken = Taken(finder.budget.memory, READING)
        rows, few = read_fitting(table.height, read, finder.budget, taken)
        return rows, None if few == table.height else few

    def _most_rows(self) -> int:
        """Return how many events are answered: as many as the query says, else as the request says."""
        says = any(
            isinstance(pipe, ast.Limit | ast.Tail | ast.Sort) for pipe in self.request.query.pipes
        )
        return max(MAX_EVENTS, self.request.limit) if says else self.request.limit

    def _count_all(self, found: int, *, is_page: bool) -> int:
        if not is_page:
            return found
        query = ast.Query(self.request.query.filter, (*self.request.query.pipes, COUNT))
        request = replace(self.request, query=query, after=None)
        # The cost and remarks of counting are not reported, but what it had to leave out is.
        counting = replace(self._finder, runs=[])
        total: int = counting.find(request, self._page).read_column("count")[0]
        self._finder.runs += [run for run in counting.runs if run.stops]
        return total

    def _answer_table(self, table: Table) -> SearchAnswer:
        max_groups = self._finder.budget.limits.max_groups
        shown = table.with_frame(table.frame.head(max_groups))
        shown, stop = fit_answer(shown, self._finder.budget.memory)
        answer = self._make("table", list(table.columns), shown.read_rows())
        self._note(answer, stop)
        if table.height > max_groups:
            message = f"{table.height} rows, the first {max_groups} are shown"
            self._note(answer, Stop("max_groups", message))
        if self.request.count:
            answer.total = table.height
        return answer

    @staticmethod
    def _note(answer: SearchAnswer, stop: Stop | None) -> None:
        """Add to the answer why it does not have all rows."""
        if stop:
            answer.complete = False
            answer.warnings.append({"code": stop.code, "message": stop.message})

    def _make(
        self,
        kind: str,
        columns: list[str],
        rows: list[dict[str, object]],
        total: int | None = None,
    ) -> SearchAnswer:
        finder = self._finder
        return SearchAnswer(
            type=kind,
            columns=columns,
            rows=rows,
            cursor=None,
            total=total,
            complete=finder.is_complete,
            warnings=list_warnings(finder, self.request),
            query=format_query(self._written),
            took_ms=round(finder.budget.elapsed_ms, 3),
            stats=finder.extent,
        )

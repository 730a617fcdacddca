"""Every row that a query finds, piece by piece, in little memory."""

import math
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from logboom.base.errors import Unavailable
from logboom.base.structs import InternalStruct
from logboom.engine.answers.events import Take, read_events
from logboom.engine.answers.fields.panel import Panel
from logboom.engine.answers.fit import READING, Taken, read_fitting
from logboom.engine.answers.rowwise import check_complete
from logboom.engine.execution.find import Finder
from logboom.engine.pipes.choose.page import Page
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.rows.table import NODE, SEQ, TIME, Table, match_names
from logboom.engine.terms.needs import NOTHING, Needs
from logboom.engine.terms.request import EventKey, Request
from logboom.model.names import fold_name

PAGE_ROWS = 100_000
"""Events found at a time, of which only their positions are kept."""
FIRST_ROWS, MIN_ROWS, MAX_ROWS = 500, 50, 8_000
CHUNK_BYTES = 16 << 20
"""Rows that are held completely: few at first, then as many as fit by the size of those before."""
SAMPLE_ROWS = 20
CORE = ("_time", "_id", "_env", "_index")

Row = dict[str, object]


class Export(InternalStruct, frozen=True):
    """An export that has begun: its first page is found, which is everything unless it `is_paged`.

    It uses one snapshot throughout, and its results are not cached.
    """

    finder: Finder
    request: Request
    first: Table
    is_paged: bool
    page_rows: int
    extra: Needs

    @classmethod
    def begin(cls, finder: Finder, page_rows: int = PAGE_ROWS, extra: Needs = NOTHING) -> "Export":
        finder.budget = replace(
            finder.budget, limits=replace(finder.budget.limits, timeout_s=math.inf)
        )
        request = finder.prepare(finder.request)
        first, is_paged = find_rows(finder, request, Page(page_rows), extra)
        return cls(finder, request, first, is_paged, page_rows, extra)

    def list_pages(self) -> Iterator[Table]:
        """Yield every row, in consecutive tables."""
        page = self.first
        yield page
        while self.is_paged and page.height == self.page_rows:
            last = page.frame.row(-1, named=True)
            after = EventKey(last[TIME.name], last[NODE], last[SEQ])
            request = replace(self.request, after=after)
            page, _ = find_rows(self.finder, request, Page(self.page_rows, after), self.extra)
            yield page

    def list_chunks(self) -> Iterator[list[Row]]:
        """Yield every row as it is answered, some at a time."""
        length = FIRST_ROWS
        for page in self.list_pages():
            start = 0
            while start < page.height:
                taken = Taken(self.finder.budget.memory, READING)
                try:
                    chunk, count = self._read(
                        page.with_frame(page.frame.slice(start, length)), taken
                    )
                    start += count
                    if chunk:
                        yield chunk
                        length = choose_length(chunk)
                finally:
                    taken.give()

    def _read(self, rows: Table, taken: Taken) -> tuple[list[Row], int]:
        """Return what can be read of the first rows within the memory of the query, and of how many."""
        if not rows.has_events:
            return rows.read_rows(), rows.height

        def read(few: int, take: Take) -> list[Row]:
            return read_events(
                rows.with_frame(rows.frame.head(few)),
                self.finder.open_block,
                self.finder.note_loss,
                raw=self.request.raw,
                take=take,
            )

        return read_fitting(rows.height, read, self.finder.budget, taken)

    def end(self) -> None:
        """Finish after the last row; raise Unavailable if there should have been more."""
        warnings = self.finder.losses.list_warnings()
        if warnings:
            raise Unavailable(
                "all rows that can be read were sent, but some are in damaged blocks",
                warnings=warnings,
            )

    def list_names(self) -> list[str]:
        """Return the names of the rows' fields, those of events folded and in order."""
        own = self.first.own
        if own is None:
            return list(self.first.columns)
        if self.is_paged:
            panel, _ = find_rows(self.finder, self.request, Panel(has_values=False), NOTHING)
            found = set(panel.frame["field"]) | {name for name in CORE if own.shows(name)}
        else:
            found = {
                fold_name(name) for chunk in self.list_chunks() for row in chunk for name in row
            }
        names = [*(name for name in CORE if name in found), *sorted(found - set(CORE))]
        return names if own.kept is None else match_names(own.kept, names)


def choose_length(chunk: list[Row]) -> int:
    """Return how many rows like these may be held."""
    sample = chunk[:: -(-len(chunk) // SAMPLE_ROWS)]
    row_bytes = len(msgspec.json.encode(sample)) // len(sample) + 1
    return max(MIN_ROWS, min(CHUNK_BYTES // row_bytes, MAX_ROWS))


def find_rows(
    finder: Finder, request: Request, page: MergePipe, extra: Needs
) -> tuple[Table, bool]:
    """Return the next rows, and whether more may follow; never cut short without an error.

    Damaged blocks are skipped, and reported at the end.
    """
    run = finder.start(request, page, extra)
    run.plan = replace(run.plan, text="")
    table = finder.run_rest(run, run.reduce(finder.list_blocks(request)))
    check_complete(finder)
    return table, run.plan.is_page

"""The tail: matching events as they become searchable, block after block."""

import math
import re
from collections import deque
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from logboom.base.errors import Corrupt, Invalid
from logboom.base.ids import ALPHABET
from logboom.engine.answers.events import Take, read_events
from logboom.engine.answers.fit import READING, Taken, read_fitting
from logboom.engine.answers.rowwise import check_rowwise
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.losses import Losses, Warning_
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.execution.find import Finder
from logboom.engine.execution.mapper import Mapper
from logboom.engine.pipes.collect import Collect
from logboom.engine.rows.table import Table
from logboom.engine.terms.limits import Budget
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.snapshot import Snapshot

CHUNK_ROWS = 500
"""Events that are read at once, so that a slow reader does not make us hold more."""
TOKEN = re.compile(rf"[{ALPHABET}]{{26}}")
START = ALPHABET[0] * 26


class Sent(msgspec.Struct, frozen=True):
    """An event, and the token to continue after it."""

    token: str
    row: dict[str, object]


class Tail:
    """One reader's position in the stream of new blocks; not thread-safe.

    A token names the last first-level block that was sent completely, so that nothing is lost when a reader comes
    back with it; what it had received of the block after that is sent again. Of a merged block only the parts that
    were not sent are read, while their files exist; later all of it is sent again.
    """

    def __init__(self, finder: Finder, after: str | None = None) -> None:
        request = finder.prepare(finder.request)
        check_rowwise(finder, request, "a tail")
        reader, reducer = finder.resources.reader, Collect()
        # A tail lasts as long as it is read.
        limits = replace(finder.budget.limits, timeout_s=math.inf)
        self._budget = Budget(limits, memory=finder.budget.memory)
        plan = replace(finder.plan(request, reducer), text="")
        memory = finder.budget.memory
        self._mapper = Mapper(plan, SearchScope.of_request(request), reader, memory)
        self._raw = request.raw
        self._version = -1
        self._pending: deque[BlockInfo] = deque()
        # Holding a snapshot keeps the files of its blocks.
        self._held: Snapshot | None = None
        self._rows: Table | None = None
        self._losses = Losses()
        self.token, self._seen = begin(finder.snapshot, after)

    def has_more(self, snapshot: Snapshot) -> bool:
        """Return whether there may be something to take."""
        return bool(self._pending) or snapshot.version != self._version

    def take(self, snapshot: Snapshot) -> list[Sent]:
        """Return the next events, of each block the oldest first; empty if everything was sent."""
        if not self._pending and snapshot.version != self._version:
            self._watch(snapshot)
        while self._pending:
            rows = self._find(self._pending[0])
            if rows.height:
                return self._read(rows)
            self._end_block()
        return []

    def take_warnings(self) -> list[Warning_]:
        """Return what could not be sent since the last call, because blocks are damaged."""
        warnings = self._losses.list_warnings()
        self._losses = Losses()
        return warnings

    def _lose(self, error: Corrupt) -> None:
        self._losses.note(self._pending[0], error, self._mapper.scope, self._mapper.reader)

    def _watch(self, snapshot: Snapshot) -> None:
        live = self._mapper.scope.list_blocks(snapshot)
        # Blocks that were made together have the same sources.
        new = {info for each in live for info in self._list_unsent(each, snapshot)}
        self._pending.extend(sorted(new, key=lambda info: (info.newest, info.path)))
        self._seen = frozenset(info.path for info in snapshot.list_blocks())
        self._version = snapshot.version
        self._held = snapshot

    def _list_unsent(self, info: BlockInfo, snapshot: Snapshot) -> Iterator[BlockInfo]:
        """Yield the block, or the unsent ones among the blocks it was merged from."""
        if info.path in self._seen:
            return
        sources = snapshot.list_sources(info.path)
        for source in sources:
            yield from self._list_unsent(source, snapshot)
        if not sources:
            yield info

    def _find(self, info: BlockInfo) -> Table:
        """Return what is still to be sent of a block."""
        if self._rows is None:
            newest_first = Collect().finish(self._map(info))
            self._rows = newest_first.with_frame(newest_first.frame.reverse())
        return self._rows

    def _map(self, info: BlockInfo) -> Table:
        try:
            found = [self._mapper.map_all(work) for work in self._mapper.identify(info)]
            if found:
                return self._mapper.plan.reducer.merge(found)
        except Corrupt as error:
            self._lose(error)
        return self._mapper.make_empty()

    def _read(self, rows: Table) -> list[Sent]:
        def read(few: int, take: Take) -> list[dict[str, object]]:
            return read_events(
                rows.with_frame(rows.frame.head(few)),
                self._open_block,
                lambda _path, error: self._lose(error),
                raw=self._raw,
                take=take,
            )

        budget, taken = self._budget, Taken(self._budget.memory, READING)
        try:
            events, count = read_fitting(min(rows.height, CHUNK_ROWS), read, budget, taken)
        finally:
            taken.give()
        before = self.token
        self._rows = rows.with_frame(rows.frame.slice(count))
        if not self._rows.height or not events:
            self._end_block()
        return [
            *(Sent(before, event) for event in events[:-1]),
            *(Sent(self.token, event) for event in events[-1:]),
        ]

    def _open_block(self, _path: str) -> Block:
        return self._mapper.reader.open(self._pending[0])

    def _end_block(self) -> None:
        # A block of another node may become live after a newer one.
        self.token = max(self.token, self._pending.popleft().newest)
        self._rows = None
        if not self._pending:
            self._held = None


def begin(snapshot: Snapshot, after: str | None) -> tuple[str, frozenset[str]]:
    """Return where a tail starts, and the blocks before that: those up to a token, or all."""
    if after is not None and not TOKEN.fullmatch(after):
        raise Invalid(f"after {after[:80]!r}, expected the id of an event that a tail sent")
    tokens = {info.path: info.newest for info in snapshot.list_readable()}
    if after is None:
        return max(tokens.values(), default=START), frozenset(tokens)
    return after, frozenset(path for path, token in tokens.items() if token <= after)

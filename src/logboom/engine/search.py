"""Runs a request: choose blocks, map each on the executor, merge, finish."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Protocol, TypeVar

import msgspec

from logboom.engine.blocks import Block, blame_block
from logboom.engine.events import Hit, find_hits, read_rows
from logboom.engine.pipes import PIPES
from logboom.engine.request import Request, encode_cursor
from logboom.engine.scope import list_blocks, open_block
from logboom.lang.format import format_query
from logboom.store.block.writer import BlockInfo
from logboom.store.store import Store

WAVE = 4
"""Blocks mapped before the merged result is looked at again."""


class HasCost(Protocol):
    """Every partial result says how many rows it took to find."""

    @property
    def rows_scanned(self) -> int: ...


Partial = TypeVar("Partial", bound=HasCost)


class Cost(msgspec.Struct):
    """What a query touched; `bytes_read` is the size of the blocks it opened."""

    blocks: int = 0
    blocks_skipped: int = 0
    rows_scanned: int = 0
    bytes_read: int = 0


class Answer(msgspec.Struct):
    """The answer to a search; see the HTTP API."""

    type: str
    columns: list[str]
    rows: list[dict[str, object]]
    cursor: str | None
    total: int | None
    complete: bool
    warnings: list[dict[str, object]]
    query: str
    took_ms: float
    stats: Cost


class Engine:
    """Searches one store. May be called from any thread; the map runs on `executor`."""

    def __init__(self, store: Store, executor: Executor, timeout_s: float, max_groups: int) -> None:
        self._store = store
        self._executor = executor
        self._timeout_s = timeout_s
        self._max_groups = max_groups

    def search(self, request: Request) -> Answer:
        """Answer a request; a limit that was met is named in the answer, never passed over."""
        started = time.monotonic()
        run = Run(request, self._store, self._executor, started + self._timeout_s)
        if request.query.pipes:
            answer = run.make_table(self._max_groups)
        else:
            answer = run.find_events()
        answer.took_ms = round((time.monotonic() - started) * 1000, 3)
        return answer


class Run:
    """One request under way."""

    def __init__(
        self, request: Request, store: Store, executor: Executor, deadline_s: float
    ) -> None:
        self._request = request
        self._store = store
        self._executor = executor
        self._deadline_s = deadline_s
        self._blocks = list_blocks(request, store)
        self._cost = Cost(blocks=len(self._blocks))
        self._warnings: list[dict[str, object]] = []
        self._complete = True

    def find_events(self) -> Answer:
        request = self._request
        blocks = self._blocks
        if request.after and not request.count:
            # Blocks that begin after the cursor were answered by earlier pages.
            blocks = [info for info in blocks if info.first_ns <= request.after.time_ns]
        if not (request.limit or request.count):
            blocks = []
        hits: list[Hit] = []
        total = 0
        for partial, next_block in self._map(blocks, lambda block: find_hits(request, block)):
            hits = sorted([*hits, *partial.newest], reverse=True, key=lambda hit: hit.key)[
                : request.limit
            ]
            total += partial.total
            if not request.count and next_block and self._is_settled(hits, next_block):
                break
        rows = read_rows(hits, raw=request.raw)
        answer = self._answer(
            "events", list(dict.fromkeys(name for row in rows for name in row)), rows
        )
        if hits and len(hits) == request.limit:
            answer.cursor = encode_cursor(hits[-1].key)
        if request.count:
            answer.total = total
        return answer

    def _is_settled(self, hits: list[Hit], next_block: BlockInfo) -> bool:
        """Whether the page is full and no block still to come holds anything newer."""
        is_full = len(hits) == self._request.limit
        return is_full and next_block.last_ns < hits[-1].key.time_ns

    def make_table(self, max_groups: int) -> Answer:
        request = self._request
        first, *others = request.query.pipes
        stats = PIPES[type(first)](first)
        partials = []
        for partial, _ in self._map(
            self._blocks, lambda block: stats.compute_partial(request, block)
        ):
            partials.append(partial)
        rows = stats.finish(stats.merge(partials))
        for pipe in others:
            stats = PIPES[type(pipe)](pipe)
            rows = stats.aggregate(rows)
        if len(rows) > max_groups:
            self._give_up("max_groups", f"{len(rows)} groups, the first {max_groups} are shown")
        answer = self._answer("table", list(stats.columns), rows[:max_groups])
        answer.total = len(rows) if request.count else None
        return answer

    def _map(
        self, blocks: list[BlockInfo], work: Callable[[Block], Partial]
    ) -> Iterator[tuple[Partial, BlockInfo | None]]:
        """Partial results in order, each with the next block that would be looked at."""
        for start in range(0, len(blocks), WAVE):
            if time.monotonic() > self._deadline_s:
                self._give_up("timeout", f"stopped with {len(blocks) - start} blocks left")
                return
            wave = blocks[start : start + WAVE]
            results = self._executor.map(lambda info: self._map_one(info, work), wave)
            for place, result in enumerate(results, start + 1):
                if result is None:
                    self._cost.blocks_skipped += 1
                    continue
                self._cost.rows_scanned += result.rows_scanned
                self._cost.bytes_read += blocks[place - 1].size_bytes if result.rows_scanned else 0
                yield result, blocks[place] if place < len(blocks) else None

    def _map_one(self, info: BlockInfo, work: Callable[[Block], Partial]) -> Partial | None:
        with blame_block(info.path):
            block = open_block(self._request, self._store, info)
            return None if block is None else work(block)

    def _give_up(self, code: str, message: str) -> None:
        self._complete = False
        self._warnings.append({"code": code, "message": message})

    def _answer(self, kind: str, columns: list[str], rows: list[dict[str, object]]) -> Answer:
        return Answer(
            type=kind,
            columns=columns,
            rows=rows,
            cursor=None,
            total=None,
            complete=self._complete,
            warnings=self._warnings,
            query=format_query(self._request.query),
            took_ms=0.0,
            stats=self._cost,
        )

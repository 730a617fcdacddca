"""The engine: searches one store within limits, from any number of threads."""

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import Protocol, TypeVar

from logboom.base.process.deadline import Deadline
from logboom.engine.answers.empty import explain_empty, is_blank
from logboom.engine.answers.search import Search, SearchAnswer
from logboom.engine.blocks.reader import BlockReader
from logboom.engine.execution.find import Finder
from logboom.engine.execution.gate import Gate
from logboom.engine.execution.partials import PartialCache
from logboom.engine.execution.remote import Cluster
from logboom.engine.execution.run import Resources
from logboom.engine.rows.memory import Memory, Pool
from logboom.engine.terms.limits import Budget, Limits, OnProgress
from logboom.engine.terms.request import Request
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.indexes import IndexCache
from logboom.store.integrity.access import BlockAccess

T = TypeVar("T")

PARTIALS_SHARE = 4
"""One part in this many of the cache is for partial results, the rest for columns."""


class BlockSource(Protocol):
    """A store as the engine needs it."""

    @property
    def access(self) -> BlockAccess: ...

    @property
    def indexes(self) -> IndexCache: ...

    def snapshot(self) -> Snapshot: ...

    def follow(self) -> Snapshot:
        """Return the live blocks as of now; slower."""

    def count_buffered(self, env: str) -> int: ...


class Engine:
    """Searches one store. Thread-safe; blocks are mapped on `executor`, or on the cluster if there is much to do."""

    def __init__(
        self,
        store: BlockSource,
        executor: Executor,
        limits: Limits,
        gate: Gate,
        cache_bytes: int,
        cluster: Cluster | None = None,
    ) -> None:
        self.store = store
        self.limits = limits
        self.pool = Pool.of_limit(limits.memory_bytes)
        self._gate = gate
        for_partials = cache_bytes // PARTIALS_SHARE
        reader = BlockReader(store.access, store.indexes, cache_bytes - for_partials)
        self.resources = Resources(reader, executor, PartialCache(for_partials), cluster)

    def search(
        self,
        request: Request,
        deadline: Deadline | None = None,
        on_progress: OnProgress | None = None,
        *,
        explains: bool = False,
        snapshot: Snapshot | None = None,
    ) -> SearchAnswer:
        """Answer a request; if a limit is reached, the answer says so.

        With `explains` an empty first page has an explanation.
        """

        def find(finder: Finder) -> SearchAnswer:
            finder.budget.on_progress = on_progress
            search = Search(finder, request)
            answer = search.answer()
            if explains and request.limit and not request.after and is_blank(answer.rows):
                count, has_rows = self.store.count_buffered, bool(answer.rows)
                answer.explanation = explain_empty(finder, search.request, count, has_rows=has_rows)
            return answer

        return self.ask(find, request, deadline, snapshot)

    def drop(self, paths: Iterable[str]) -> None:
        """Drop what is cached about removed blocks."""
        gone = set(paths)
        self.resources.reader.drop(gone)
        self.resources.partials.drop(gone)

    def forget(self) -> None:
        """Drop everything that is cached about blocks."""
        self.resources.reader.forget()
        self.resources.partials.clear()

    def ask(
        self,
        work: Callable[[Finder], T],
        request: Request,
        deadline: Deadline | None = None,
        snapshot: Snapshot | None = None,
    ) -> T:
        """Run work that needs a finder, as one query among others, on a snapshot or on the newest one.

        It is repeated if blocks are gone that another node has merged or removed: a node that was away for longer
        than files are kept learns of it only now.
        """
        with self._gate.enter(deadline):
            finder = self.make_finder(request, deadline, snapshot)
            result = work(finder)
            if finder.losses and finder.losses.are_outdated(self.store.follow()):
                again = self.make_finder(request, deadline)
                again.budget.started_s = finder.budget.started_s
                return work(again)
            return result

    def make_finder(
        self,
        request: Request,
        deadline: Deadline | None = None,
        snapshot: Snapshot | None = None,
    ) -> Finder:
        memory = Memory(self.limits.memory_bytes, self.pool)
        budget = Budget(self.limits, deadline or Deadline(), memory=memory)
        return Finder(request, snapshot or self.store.snapshot(), self.resources, budget)

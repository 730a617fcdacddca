"""The tasks that nodes send to workers."""

import pickle
import platform
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from distributed import WorkerPlugin, get_worker

from logboom.base.errors import Corrupt, LogboomError, OverBudget, Unavailable
from logboom.base.stores.objects import ObjectStore
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import Bucket, parse_place
from logboom.base.structs import MutableStruct
from logboom.base.version import __version__
from logboom.engine.blocks.reader import BlockReader, open_reader
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.execution.mapper import Mapper
from logboom.engine.execution.partials import Key, Piece, Work
from logboom.engine.execution.plan import Plan
from logboom.engine.execution.remote import Build
from logboom.engine.rows.memory import Memory, Pool

PLUGIN = "logboom"
READ_AHEAD = 4
"""How many blocks of a bucket a task reads at the same time."""


def describe_build() -> Build:
    """Return the versions that must be equal on both sides, because plans and tables are pickled."""
    python = ".".join(platform.python_version_tuple()[:2])
    return f"Logboom {__version__}", f"Python {python}", f"Polars {pl.__version__}"


class JobContext(NamedTuple):
    """What all tasks of a query share."""

    plan: Plan
    scope: SearchScope
    store_url: str
    memory_bytes: int
    """The memory of the query on the node that asks."""
    answer_bytes: int
    """A task stops when its results exceed this; the node does the rest."""


class Outcome(MutableStruct):
    """The result of a task; work that is missing in it is left to the node."""

    done: dict[Key, list[Piece]]
    problem: str | None = None


def pack(content: object) -> bytes:
    return pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)


def unpack(content: bytes) -> Any:
    """Unpickle data, which must come from Dask: its peers can run any code here anyway."""
    return pickle.loads(content)  # noqa: S301


def pass_on(context: bytes) -> bytes:
    """Put a job context onto the cluster, whose workers then copy it from each other."""
    return context


def run_task(build: Build, context: bytes, work: bytes) -> bytes:
    """Map the blocks of a task on a worker; called by Dask."""
    try:
        readers = find_readers(build)
    except Unavailable as error:
        return pack(Outcome({}, error.message))
    return pack(readers.map_blocks(context, unpack(work), is_wanted))


def find_readers(build: Build) -> "WorkerReaders":
    """Return the readers of this worker; raise Unavailable if it cannot work for a node of this build."""
    worker = get_worker()
    readers = worker.plugins.get(PLUGIN)
    if not isinstance(readers, WorkerReaders):
        raise Unavailable(f"the worker {worker.address} was not started by logboom worker")
    if build != describe_build():
        here, there = ", ".join(describe_build()), ", ".join(build)
        raise Unavailable(f"the worker {worker.address} has {here}, and this node has {there}")
    return readers


def is_distant(store_url: str) -> bool:
    """Return whether reads are slow, so that several should run at the same time."""
    return isinstance(parse_place(store_url), Bucket)


def is_wanted() -> bool:
    """Return whether the task of this thread is still wanted; needs no network."""
    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    return task is not None and task.state == "executing"


Mapped = tuple[Work, Callable[[], list[Piece]]]
"""A piece of work, and a function that returns its result."""


def map_in_turn(mapper: Mapper, work: list[Work]) -> Iterator[Mapped]:
    """Map each block when its result is asked for."""
    return ((each, partial(mapper.map_pieces, each)) for each in work)


def map_ahead(mapper: Mapper, work: list[Work]) -> Iterator[Mapped]:
    """Map some blocks ahead of the one whose result is asked for; never more, because results take memory."""
    waiting = iter(work)
    with ThreadPoolExecutor(READ_AHEAD, "ahead") as pool:

        def start(count: int) -> Iterator[Mapped]:
            for each in islice(waiting, count):
                yield each, pool.submit(mapper.map_pieces, each).result

        started = deque(start(READ_AHEAD))
        try:
            while started:
                yield started.popleft()
                started.extend(start(1))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


class WorkerReaders(WorkerPlugin):
    """The open stores of a worker, and its memory for all queries. Thread-safe."""

    name = PLUGIN

    def __init__(self, cache_dir: Path, files_bytes: int, memory_bytes: int, cache_bytes: int):
        self._cache_dir = cache_dir
        self._files_bytes = files_bytes
        self._memory_bytes = memory_bytes
        self._cache_bytes = cache_bytes
        self._pool = Pool.of_limit(memory_bytes)
        self._lock = threading.Lock()
        self._objects: dict[str, ObjectStore] = {}
        self._readers: dict[str, BlockReader] = {}

    def map_blocks(
        self, context: bytes, work: list[Work], is_wanted: Callable[[], bool]
    ) -> Outcome:
        """Map every block of a task, unless the task was cancelled."""
        outcome, size_bytes = Outcome({}), 0
        try:
            asked: JobContext = unpack(context)
            mapper = self._make_mapper(asked)
        except LogboomError as error:
            return Outcome({}, error.message)
        map_all = map_ahead if is_distant(asked.store_url) else map_in_turn
        for each, mapped in map_all(mapper, work):
            if not is_wanted() or size_bytes > asked.answer_bytes:
                break
            try:
                pieces = mapped()
            except (Corrupt, OverBudget):
                # This is left to the node, which reports damage and has a budget of its own.
                continue
            except LogboomError as error:
                outcome.problem = error.message
                continue
            outcome.done[each.key] = pieces
            size_bytes += sum(piece.partial.size_bytes for piece in pieces)
        return outcome

    def _make_mapper(self, context: JobContext) -> Mapper:
        memory = Memory(min(context.memory_bytes, self._memory_bytes), self._pool)
        return Mapper(context.plan, context.scope, self._open(context.store_url), memory)

    def _open(self, url: str) -> BlockReader:
        objects = self.open_objects(url)
        with self._lock:
            if url not in self._readers:
                self._readers[url] = open_reader(objects, self._cache_bytes)
            return self._readers[url]

    def open_objects(self, url: str) -> ObjectStore:
        """Return the objects of the store at a URL."""
        with self._lock:
            if url not in self._objects:
                place = parse_place(url)
                self._objects[url] = open_objects(place, self._cache_dir, self._files_bytes)
            return self._objects[url]

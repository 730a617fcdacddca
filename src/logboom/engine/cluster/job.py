"""The tasks of one run on a Dask cluster."""

import threading
import time
from collections import deque
from functools import partial
from itertools import chain, islice, takewhile
from typing import Any, NamedTuple, Protocol
from uuid import uuid4

from dask.base import annotate
from dask.delayed import delayed
from distributed import Client, Future
from distributed.client import ClosedClientError

from logboom.engine.cluster.chunks import Chunk
from logboom.engine.cluster.counts import blocks_taken_back, tasks_failed, tasks_sent
from logboom.engine.cluster.tasks import Outcome, describe_build, pack, pass_on, run_task, unpack
from logboom.engine.execution.partials import Key, Piece, Work
from logboom.engine.execution.remote import ClusterState
from logboom.engine.terms.limits import Budget

LOOK_S = 0.1
"""How often to check whether the query must stop or the scheduler is gone."""
PATIENCE_S = 10.0
"""If there is no result for this long, the node does the outstanding task itself. Each time it waits less."""
FETCH_S = 10.0
"""How long a worker may take to send a finished result."""
AHEAD_PER_THREAD = 4
"""The number of tasks in progress per thread: enough to keep threads busy, few enough that results do not pile up."""
INLINE_BYTES = 64 << 10
"""Up to this size, what the tasks of a query share is sent with each of them; beyond it, once to each worker."""


FETCHED_SHARE = 8
"""Results fetched ahead of their turn take about 1/8 of the memory of a query."""


class ObservedCluster(Protocol):
    """Has the current state of the cluster."""

    state: ClusterState


class SentTask(NamedTuple):
    """A task in progress."""

    work: list[Work]
    future: Future[bytes]


class DaskJob:
    """Work in progress on a Dask cluster. Not thread-safe; the caller must close it.

    If a worker dies, Dask gives its tasks to others. What the cluster cannot do is left to the node. Whatever is no
    longer needed is released: Dask drops tasks that wait, and a running task ends after its current block.
    """

    def __init__(
        self,
        client: Client,
        context: bytes,
        chunks: list[Chunk],
        budget: Budget,
        cluster: ObservedCluster,
    ) -> None:
        self.problem: str | None = None
        self._client = client
        self._budget = budget
        self._cluster = cluster
        self._ahead = AHEAD_PER_THREAD * max(cluster.state.threads, 1)
        self._patience_s = PATIENCE_S
        self._name = f"logboom-{uuid4().hex}"
        self._waiting = deque(chunks)
        self._sent = 0
        self._running: deque[SentTask] = deque()
        self._parts: dict[Key, list[Work]] = {}
        """The work in tasks, by the key of what was asked for."""
        for part in chain(*(chunk.parts for chunk in chunks)):
            self._parts.setdefault(part.whole.key, []).append(part.work)
        self._available: set[Key] = set()
        self._done: dict[Key, list[Piece]] = {}
        self._changed = threading.Event()
        self._fetched: dict[Any, Outcome] = {}
        self._largest_bytes = 0
        self._room_bytes = budget.memory.limit_bytes // FETCHED_SHARE
        self._context: bytes | Future[bytes] = context
        self._send_some()

    def take(self, work: Work) -> list[Piece] | None:
        """Return the result, or None if the node must do the work. Call it in the order of the work."""
        if work.key not in self._parts:
            return None
        taken = [self._take_part(part) for part in self._parts[work.key]]
        pieces = [each for each in taken if each is not None]
        if len(pieces) < len(taken):
            blocks_taken_back.inc()
            return None
        return [*chain(*pieces)]

    def _take_part(self, part: Work) -> list[Piece] | None:
        while part.key not in self._available:
            self._advance()
        return self._done.pop(part.key, None)

    def close(self) -> None:
        """Release everything in progress."""
        self._waiting.clear()
        while self._running:
            self._running.popleft().future.release()

    def _send_some(self) -> None:
        """Send as many tasks as may be in progress, in one message: Dask delays the next one by some milliseconds."""
        free = self._ahead - len(self._running)
        chunks = [self._waiting.popleft() for _ in range(min(free, len(self._waiting)))]
        if not chunks:
            return
        try:
            futures = self._submit(chunks)
        except ClosedClientError:
            self._fail("the scheduler is gone")
            self._waiting.clear()
            return
        for chunk, future in zip(chunks, futures, strict=True):
            future.add_done_callback(lambda _: self._changed.set())
            self._running.append(SentTask(chunk.work, future))
        self._sent += len(chunks)
        tasks_sent.inc(len(chunks))

    def _submit(self, chunks: list[Chunk]) -> "list[Future[bytes]]":
        if isinstance(self._context, bytes) and len(self._context) > INLINE_BYTES:
            # Not scattered data, which are lost with the worker that has them: a task can be done again.
            self._context = self._client.submit(
                pass_on, self._context, key=f"{self._name}-context", pure=False
            )
        tasks = [
            self._make_task(chunk, number) for number, chunk in enumerate(chunks, start=self._sent)
        ]
        futures: list[Future[bytes]] = self._client.compute(tasks, optimize_graph=False)
        return futures

    def _make_task(self, chunk: Chunk, number: int) -> object:
        run = delayed(run_task, pure=False, traverse=False)
        # Without a priority, tasks of one message would run in any order.
        with annotate(workers=[chunk.worker], allow_other_workers=True, priority=-number):
            return run(
                *(describe_build(), self._context, pack(chunk.work)),
                dask_key_name=(self._name, number),
            )

    def _advance(self) -> None:
        """Take the next task."""
        if not self._running:
            # The cluster was given up.
            self._available = {part.key for part in chain(*self._parts.values())}
            return
        sent = self._running.popleft()
        self._available = {each.key for each in sent.work}
        if sent.future.key not in self._fetched and self._await(sent.future):
            self._fetch(sent.future)
        outcome = self._fetched.pop(sent.future.key, Outcome({}))
        sent.future.release()
        self._done = outcome.done
        self.problem = self.problem or outcome.problem
        self._send_some()

    def _await(self, future: Future[bytes]) -> bool:
        """Wait for a task; return False if it took too long, the query must stop, or the cluster is gone."""
        deadline_s = time.monotonic() + self._patience_s
        while not future.done():
            if self._budget.check_time():
                self.close()
                return False
            if problem := self._find_problem():
                self._fail(problem)
                self.close()
                return False
            if time.monotonic() > deadline_s:
                self._fail(f"no result for {self._patience_s:g} s")
                self._patience_s /= 4
                return False
            if self._changed.wait(LOOK_S):
                self._changed.clear()
                deadline_s = time.monotonic() + self._patience_s
        return True

    def _find_problem(self) -> str | None:
        """Return why no result can be expected, if so."""
        is_connected = self._client.status == "running"
        return self._cluster.state.problem or (None if is_connected else "the scheduler is gone")

    def _fetch(self, future: Future[bytes]) -> None:
        """Fetch the result of a task, and those of the next ones if they are finished and there is room."""
        room = self._room_bytes // self._largest_bytes if self._largest_bytes else 0
        following = takewhile(lambda sent: sent.future.status == "finished", self._running)
        futures = [future, *(sent.future for sent in islice(following, room))]
        gather = partial(self._client.gather, futures, asynchronous=True)
        try:
            results = self._client.sync(gather, callback_timeout=FETCH_S)
            self._largest_bytes = max(self._largest_bytes, *map(len, results))
            for each, result in zip(futures, results, strict=True):
                self._fetched[each.key] = unpack(result)
        except Exception as error:  # noqa: BLE001 - whatever it is, the node can still do the work
            self._fail(describe_failure(error))

    def _fail(self, reason: str) -> None:
        tasks_failed.inc()
        self.problem = self.problem or reason


def describe_failure(error: Exception) -> str:
    return f"a task failed: {type(error).__name__}: {str(error).partition(chr(10))[0]}"

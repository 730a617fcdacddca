"""A node's connection to a Dask cluster."""

import logging
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from distributed import Client, Future, Security
from distributed.client import ClosedClientError

from logboom.base.errors import Unavailable
from logboom.base.stores.places import Bucket, format_place
from logboom.engine.cluster.chunks import (
    FETCHING_BYTES,
    OPENING_BYTES,
    choose_workers,
    plan_chunks,
    weigh,
)
from logboom.engine.cluster.counts import (
    blocks_taken_back,
    tasks_failed,
    tasks_sent,
    workers_seen,
)
from logboom.engine.cluster.job import FETCH_S, LOOK_S, DaskJob, describe_failure
from logboom.engine.cluster.tasks import JobContext, describe_build, pack
from logboom.engine.execution.mapper import Mapper
from logboom.engine.execution.partials import Work
from logboom.engine.execution.remote import Build, ClusterState
from logboom.engine.terms.limits import Budget

log = logging.getLogger(__name__)

CONNECT_S = 5.0
WATCH_S = 1.0
"""How often the state of the scheduler is checked."""
SILENCE_S = 5.0
"""A scheduler that does not answer for this long is considered gone."""
LAST = -1_000_000
"""The priority of tasks that no user waits for. Those of queries count down from 0."""
ANSWER_SHARE = 4
"""The results of a task take at most 1/4 of the memory of a query."""


class DaskCluster:
    """Sends work to a cluster as long as its scheduler is reachable. Thread-safe.

    A thread watches the scheduler; no query ever waits for a connection.
    """

    def __init__(
        self,
        address: str,
        security: Security | None,
        store: Path | Bucket,
        least_bytes: int,
    ) -> None:
        self._address = address
        self._security = security
        self.store_url = format_place(store)
        self._opening_bytes = FETCHING_BYTES if isinstance(store, Bucket) else OPENING_BYTES
        self._least_bytes = least_bytes
        self._client: Client | None = None
        self._threads: dict[str, int] = {}
        """The number of threads of each worker, by its address."""
        self._closing = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="cluster", daemon=True)
        self.state = ClusterState(address, 0, 0, f"no connection to the scheduler {address} yet")

    def open(self) -> None:
        self._watcher.start()

    def close(self) -> None:
        """Cancel everything in progress."""
        self._closing.set()
        self._watcher.join()
        self._drop_client()

    def send(self, mapper: Mapper, work: list[Work], budget: Budget) -> DaskJob | None:
        """Start work, or return None if it is too little to be worth it; raise Unavailable without a connection."""
        opening_bytes, threads = self._opening_bytes, self._threads
        chunks = plan_chunks(work, max(sum(threads.values()), 1), opening_bytes)
        size_bytes = sum(weigh(each, opening_bytes) for each in work)
        if sum(map(len, chunks)) < 2 or size_bytes < self._least_bytes:
            return None
        try:
            client = self._find_client()
        except Unavailable:
            blocks_taken_back.inc(len(work))
            raise
        memory_bytes = budget.memory.limit_bytes
        context = JobContext(
            *(mapper.plan, mapper.scope, self.store_url),
            memory_bytes=memory_bytes,
            answer_bytes=memory_bytes // ANSWER_SHARE,
        )
        return DaskJob(client, pack(context), choose_workers(chunks, threads), budget, self)

    def run(
        self, task: Callable[[Build, bytes], bytes], content: bytes, give_way: Callable[[], None]
    ) -> bytes:
        """Run one task on a worker, at a lower priority than queries; raise Unavailable if that fails.

        `give_way` is called often while it runs. If it raises, the task is cancelled.
        """
        client = self._find_client()
        try:
            future = client.submit(
                task, describe_build(), content, key=name_task(), pure=False, priority=LAST
            )
        except ClosedClientError as error:
            raise Unavailable(f"the scheduler {self._address} is gone") from error
        tasks_sent.inc()
        try:
            while not future.done():
                give_way()
                if self._closing.wait(LOOK_S):
                    raise Unavailable("this node is stopping")
                self._find_client()
            return fetch(client, future)
        finally:
            future.release()

    def _find_client(self) -> Client:
        client, problem = self._client, self.state.problem
        if client is None or problem or client.status != "running":
            raise Unavailable(problem or f"the scheduler {self._address} is gone")
        return client

    def _watch(self) -> None:
        while not self._closing.is_set():
            try:
                self._look()
            except (OSError, TimeoutError, RuntimeError) as error:
                # A scheduler that is gone, silent, or not what it should be: asked again soon.
                self._note(0, 0, describe_absence(self._address, error))
                if self._client is not None and self._client.status != "running":
                    self._drop_client()
            self._closing.wait(WATCH_S)

    def _look(self) -> None:
        if self._client is None:
            self._client = Client(
                self._address,
                security=self._security,
                timeout=CONNECT_S,
                set_as_default=False,
                direct_to_workers=True,
                name="logboom",
            )
        client: Any = self._client
        threads: dict[str, int] = client.sync(client.scheduler.ncores, callback_timeout=SILENCE_S)
        problem = None if threads else f"the scheduler {self._address} has no workers"
        self._threads = threads
        self._note(len(threads), sum(threads.values()), problem)

    def _note(self, workers: int, threads: int, problem: str | None) -> None:
        if problem != self.state.problem:
            if problem:
                log.warning("the cluster is not used", extra={"reason": problem})
            else:
                log.info("the cluster is used", extra={"workers": workers, "threads": threads})
        self.state = ClusterState(self._address, workers, threads, problem)
        workers_seen.set(workers)

    def _drop_client(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close(timeout=SILENCE_S)


def name_task() -> str:
    return f"logboom-{uuid4().hex}"


def fetch(client: Client, future: "Future[bytes]") -> bytes:
    """Return the result of a finished task; raise Unavailable if it failed."""
    gather = partial(client.gather, future, asynchronous=True)
    try:
        result: bytes = client.sync(gather, callback_timeout=FETCH_S)
    except Exception as error:
        tasks_failed.inc()
        raise Unavailable(describe_failure(error)) from error
    return result


def describe_absence(address: str, error: Exception) -> str:
    reason = str(error).partition("\n")[0] or type(error).__name__
    return f"the scheduler {address} does not answer: {reason}"

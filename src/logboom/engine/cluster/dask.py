"""A Dask cluster as a node sees it: is it there, and have work done by it."""

import logging
import threading
from pathlib import Path
from typing import Any

from distributed import Client, Security

from logboom.base.errors import Unavailable
from logboom.base.stores.places import Bucket, format_place
from logboom.engine.cluster.chunks import FETCHING_BYTES, OPENING_BYTES, plan_chunks, weigh
from logboom.engine.cluster.counts import blocks_taken_back, workers_seen
from logboom.engine.cluster.job import DaskJob
from logboom.engine.cluster.tasks import JobContext, pack
from logboom.engine.execution.mapper import Mapper
from logboom.engine.execution.partials import Work
from logboom.engine.execution.remote import ClusterState
from logboom.engine.terms.limits import Budget

log = logging.getLogger(__name__)

CONNECT_S = 5.0
WATCH_S = 1.0
"""How often the scheduler is asked how it is."""
SILENCE_S = 5.0
"""After how long without an answer the scheduler counts as gone."""
ANSWER_SHARE = 4
"""The results of a task take at most one part in so many of the memory of a query."""


class DaskCluster:
    """Maps for the queries of a node, as long as its scheduler is in reach. May be used by any thread.

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
        self._store_url = format_place(store)
        self._opening_bytes = FETCHING_BYTES if isinstance(store, Bucket) else OPENING_BYTES
        self._least_bytes = least_bytes
        self._client: Client | None = None
        self._closing = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="cluster", daemon=True)
        self.state = ClusterState(address, 0, 0, f"no connection to the scheduler {address} yet")

    def open(self) -> None:
        self._watcher.start()

    def close(self) -> None:
        """What is still under way is cancelled."""
        self._closing.set()
        self._watcher.join()
        self._drop_client()

    def send(self, mapper: Mapper, work: list[Work], budget: Budget) -> DaskJob | None:
        """Have work done; None when it is too little to be worth it, Unavailable when the cluster is out of reach."""
        opening_bytes = self._opening_bytes
        size_bytes = sum(weigh(each, opening_bytes) for each in work)
        if len(work) < 2 or size_bytes < self._least_bytes:
            return None
        client, state = self._client, self.state
        if client is None or state.problem or client.status != "running":
            blocks_taken_back.inc(len(work))
            raise Unavailable(state.problem or f"the scheduler {self._address} is gone")
        memory_bytes = budget.memory.limit_bytes
        context = JobContext(
            *(mapper.plan, mapper.scope, self._store_url),
            memory_bytes=memory_bytes,
            answer_bytes=memory_bytes // ANSWER_SHARE,
        )
        chunks = plan_chunks(work, state.threads, opening_bytes)
        return DaskJob(client, pack(context), chunks, budget, self)

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
        info = client.sync(client.scheduler.identity, n_workers=0, callback_timeout=SILENCE_S)
        workers, threads = info["n_workers"], info["total_threads"]
        problem = None if threads else f"the scheduler {self._address} has no workers"
        self._note(workers, threads, problem)

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


def describe_absence(address: str, error: Exception) -> str:
    reason = str(error).partition("\n")[0] or type(error).__name__
    return f"the scheduler {address} does not answer: {reason}"

"""All pull sources of a node: each is polled when due, according to its record, under its lease.

A node keeps a lease from poll to poll. It releases it only when what it has read is in the catalog, where the next
node finds the read positions.
"""

import asyncio
import logging
from collections.abc import Coroutine, Set

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Conflict, LogboomError
from logboom.control.control import Control
from logboom.control.registry.leases import Leases
from logboom.control.saved.sources import Source, SourceStatus
from logboom.sources.files.marks import REVIEW_NS, end_marks, find_deserted
from logboom.sources.files.poll import Poller, PollerServices, count_ingested
from logboom.store.catalog.marks import name_turn

log = logging.getLogger(__name__)

POLLS_AT_ONCE = 4


Poll = asyncio.Future[None]


class WatchedSource:
    """A source and its poller; `polls` are those that run or wait for their turn."""

    def __init__(self, poller: Poller) -> None:
        self.poller = poller
        self.due_ns = 0
        self.turn = asyncio.Lock()
        self.polls: set[Poll] = set()


class SourceSupervisor:
    """Runs the pull sources of this node. Runs on the event loop; call `follow` about every second."""

    def __init__(self, control: Control, leases: Leases, services: PollerServices) -> None:
        self._control = control
        self._leases = leases
        self._services = services
        self._watched: dict[str, WatchedSource] = {}
        self._turns: dict[str, int] = {}
        """The sources whose lease this node holds."""
        self._reviewed_ns = 0
        self._slots = asyncio.Semaphore(POLLS_AT_ONCE)
        self._switching = asyncio.Lock()

    def find_status(self, source_id: str) -> SourceStatus:
        """Return the status on this node; empty for an unknown source."""
        watched = self._watched.get(source_id)
        if watched and watched.poller.status.last_run_ns is not None:
            return watched.poller.status
        return SourceStatus(total_ingested=count_ingested(self._services.store, source_id))

    async def follow(self) -> None:
        """Follow the records, and start the polls that are due."""
        sources = {source.id: source for source in self._control.sources.list()}
        for source_id in self._watched.keys() - sources.keys():
            await self._leave(source_id)
            del self._watched[source_id]
        for source in sources.values():
            before = self._watched.get(source.id)
            if source.enabled:
                watched = await self._watch(source)
                if not watched.polls and watched.due_ns <= self._services.clock():
                    self._begin(watched, self._try_poll(watched))
            elif before and before.poller.source != source:
                await self._watch(source)
                await self._leave(source.id)
        await self._end_deserted(sources.keys())

    async def run(self, source_id: str) -> None:
        """Read what is there now, even if the source is disabled; its status has the result.

        Raise Conflict if another node is reading it, NotFound if there is no such source.
        """
        source = self._control.sources.get(source_id)
        watched = await self._watch(source)
        poll = self._begin(watched, self._poll(watched))
        await asyncio.wait([poll])
        if not source.enabled and not watched.polls:
            await self._leave(source_id)
        if poll.cancelled():
            raise Conflict(f"source {source.name!r} was changed in the meantime")
        poll.result()

    async def close(self) -> None:
        """Stop all polls, and let other nodes take over."""
        for source_id in list(self._watched):
            await self._leave(source_id)

    async def _watch(self, source: Source) -> WatchedSource:
        """Return the poller for the current record of a source; there is never more than one."""
        async with self._switching:
            watched = self._watched.get(source.id)
            if watched and watched.poller.source == source:
                return watched
            if watched:
                await self._stop(watched)
            before = watched.poller.status if watched else SourceStatus()
            poller = Poller(source, self._services, lambda: self._may_deliver(source), before)
            self._watched[source.id] = WatchedSource(poller)
            return self._watched[source.id]

    def _begin(self, watched: WatchedSource, work: Coroutine[None, None, None]) -> Poll:
        poll = asyncio.ensure_future(work)
        watched.polls.add(poll)
        poll.add_done_callback(watched.polls.discard)
        return poll

    async def _try_poll(self, watched: WatchedSource) -> None:
        source = watched.poller.source
        watched.due_ns = self._services.clock() + source.poll_interval_secs * NS_PER_S
        try:
            await self._poll(watched)
        except Conflict:
            return
        except LogboomError as error:
            extra = {"source": source.name, "reason": error.message}
            log.warning("source cannot be polled", extra=extra)
        except Exception:
            log.exception("poll failed", extra={"source": source.name})

    async def _poll(self, watched: WatchedSource) -> None:
        source = watched.poller.source
        # One after the other: two attempts to take a lease at once would interfere.
        async with watched.turn, self._slots:
            if not await self._services.offload.run(self._hold, watched.poller):
                raise Conflict(f"another node reads source {source.name!r} now")
            await watched.poller.poll()

    def _hold(self, poller: Poller) -> bool:
        """Return whether this node may read the source now."""
        source_id = poller.source.id
        if source_id not in self._turns or not self._leases.keep(source_id):
            self._turns.pop(source_id, None)
            if not self._leases.take(source_id):
                return False
            self._turns[source_id] = self._begin_turn(poller)
        poller.turn = self._turns[source_id]
        return True

    def _begin_turn(self, poller: Poller) -> int:
        """Return a number greater than that of any node that has read the source before."""
        store, source_id = self._services.store, poller.source.id
        # What this node read in an earlier turn is settled first: others may have read it since.
        store.flush().result()
        store.catalog.refresh()
        last = store.find_mark(name_turn(source_id)) or 0
        if last > poller.turn:
            poller.forget()  # others have continued since this node
        return max(self._leases.numbers[source_id], last + 1)

    async def _may_deliver(self, source: Source) -> bool:
        self._control.environments.get(source.environment)
        return await self._services.offload.run(self._leases.keep, source.id)

    async def _stop(self, watched: WatchedSource) -> None:
        polls = list(watched.polls)
        for poll in polls:
            poll.cancel()
        if polls:
            await asyncio.wait(polls)

    async def _leave(self, source_id: str) -> None:
        """Stop reading a source. If the lease cannot be released, it expires by itself."""
        await self._stop(self._watched[source_id])
        try:
            await self._services.offload.run(self._let_go, source_id)
        except LogboomError as error:
            log.warning("lease stays", extra={"source": source_id, "reason": error.message})

    def _let_go(self, source_id: str) -> None:
        if source_id in self._turns:
            self._services.store.flush().result()
            self._leases.release(source_id)
            del self._turns[source_id]

    async def _end_deserted(self, sources: Set[str]) -> None:
        """Occasionally delete the read positions of deleted sources."""
        now_ns = self._services.clock()
        if now_ns - self._reviewed_ns < REVIEW_NS:
            return
        self._reviewed_ns = now_ns
        try:
            await self._services.offload.run(self._end_marks, sources, now_ns)
        except LogboomError as error:
            log.warning(
                "marks of deleted sources could not be removed", extra={"reason": error.message}
            )

    def _end_marks(self, sources: Set[str], now_ns: int) -> None:
        store = self._services.store
        for source_id, names in find_deserted(store, sources, now_ns).items():
            if self._leases.take(source_id):
                end_marks(store, names)
                self._leases.release(source_id)

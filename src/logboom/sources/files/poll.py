"""One pull source: finds its files, reads what is new, and delivers each line once.

The read position of a file is a mark, which the store sets in one commit with the events. What was not delivered is
read again; the unread content of a file that is gone is lost, and counted.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import msgspec

from logboom.base.clock import Clock
from logboom.base.errors import Conflict, LogboomError
from logboom.base.process.offload import Offload
from logboom.base.structs import InternalStruct
from logboom.control.saved.sources import Source, SourceStatus
from logboom.ingest.receipt import Receipt
from logboom.ingest.sink import Delivery, Pieces, Sink, settle
from logboom.model.batch import Lines, Target
from logboom.sources.files.passes import Batch, Pass
from logboom.sources.roots import Roots
from logboom.store.catalog.marks import name_turn
from logboom.store.store import Store


class PollResult(NamedTuple):
    """The result of one poll; `bytes` count the files' contents."""

    ingested: int = 0
    errors: int = 0
    files: int = 0
    bytes: int = 0


class PollerServices(InternalStruct, frozen=True):
    """What every poller needs."""

    sink: Sink
    store: Store
    offload: Offload
    roots: Roots
    clock: Clock


NEVER_POLLED = SourceStatus()
NOTHING = Receipt(0, 0, [])


async def always() -> bool:
    """Return True: no other node reads the source."""
    return True


class Poller:
    """Polls the files of a source.

    `may_deliver` is called before each delivery; once it returns False, the poll ends.
    """

    def __init__(
        self,
        source: Source,
        services: PollerServices,
        may_deliver: Callable[[], Awaitable[bool]] = always,
        status: SourceStatus = NEVER_POLLED,
    ) -> None:
        self.source = source
        self._services = services
        self._may_deliver = may_deliver
        self._pass = Pass(source, services.store, services.roots, services.clock)
        self._polling = asyncio.Lock()
        self._total = 0
        self._status = status
        self.turn = 0
        """The turn of this node among all that have read the source; marks of a later turn are not overwritten."""

    @property
    def status(self) -> SourceStatus:
        """The result of the last poll, and what is being read now."""
        return msgspec.structs.replace(self._status, current_file=self._pass.current_file)

    def forget(self) -> None:
        """Drop everything that is not in the store; not while a poll runs."""
        self._pass.forget()

    async def poll(self) -> PollResult:
        """Deliver what is new; the status has the result too."""
        async with self._polling:
            begun_ns = self._services.clock()
            receipts: list[Receipt] = []
            failure = ""
            self._total = count_ingested(self._services.store, self.source.id)
            try:
                await self._run(receipts)
            except LogboomError as error:
                failure = error.message
            result = PollResult(
                sum(receipt.ingested for receipt in receipts),
                sum(receipt.errors for receipt in receipts),
                self._pass.files,
                self._pass.size_bytes,
            )
            faults = [failure] if failure else [str(fault) for fault in self._pass.faults]
            self._status = SourceStatus(
                last_run_ns=begun_ns,
                last_status="error" if faults else "ok",
                last_error=faults[0] if faults else "",
                total_ingested=self._total,
                files=await self._services.offload.run(self._pass.list_files),
                files_total=self._pass.files_known,
            )
            return result

    async def _run(self, receipts: list[Receipt]) -> None:
        steps = self._pass.work()
        try:
            while batch := await settle(self._services.offload.run(next, steps, None)):
                if not batch.is_empty:
                    receipts.append(await self._deliver(batch))
        except BaseException:
            # Only the store knows what of it was stored.
            await settle(self._services.offload.run(self._pass.forget))
            raise
        finally:
            steps.close()

    async def _deliver(self, batch: Batch) -> Receipt:
        if not await self._may_deliver():
            raise Conflict("another node reads this source now")
        source, marks = self.source, batch.marks
        if self.turn:
            marks = {**marks, name_turn(source.id): self.turn}
        if not batch.pieces:
            await settle(self._services.offload.run(self._services.store.set_marks, marks))
            return NOTHING
        target = Target(source.environment, source.index, source.source or None)
        delivery = Delivery(target, marks=marks, total=(name_total(source.id), self._total))
        receipt = await self._services.sink.ingest(delivery, give(batch.pieces))
        self._total += receipt.ingested
        return receipt


def name_total(source_id: str) -> str:
    return f"{source_id}/total"


def count_ingested(store: Store, source_id: str) -> int:
    """Return the events that a source has delivered, on any node, since it was created."""
    return store.find_mark(name_total(source_id)) or 0


async def give(pieces: list[Lines]) -> Pieces:
    for lines in pieces:
        yield lines

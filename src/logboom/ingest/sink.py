"""The sink: lines and a target in, durable events out, acknowledged only then.

A request that fits in memory is one batch: one record of the write-ahead log. A larger one is a bulk load.
Either way all of a request is stored or nothing of it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from prometheus_client import Counter

from logboom.base.clock import Clock
from logboom.base.errors import Unavailable
from logboom.base.offload import Offload
from logboom.ingest.memory import MemoryBudget
from logboom.model.batch import Batch, Target
from logboom.model.names import is_reserved, parse_template
from logboom.store.answers import Answer
from logboom.store.bulk import BulkLoad
from logboom.store.store import Store

BATCH_BYTES = 16 * 1024 * 1024
INLINE_BYTES = 16 * 1024
BULK_LOADS = 2
MEMORY_BYTES = 12 * BATCH_BYTES

accepted_events = Counter("logboom_ingested_events", "Events acknowledged", ["env"])
rejected_lines = Counter(
    "logboom_ingest_errors", "Lines that were no event, or were refused", ["env"]
)


T = TypeVar("T")


def is_open(index: str) -> bool:
    """Whether an index is anybody's, not the service's own."""
    return not is_reserved(index)


@dataclass(frozen=True)
class Delivery:
    """One request: where its events go, which indexes they may go to, and its idempotency key."""

    target: Target
    admits: Callable[[str], bool]
    key: str | None


class IngestAnswer(msgspec.Struct):
    """The ingest response."""

    ingested: int
    errors: int
    partitions: list[str]
    write_errors: list[dict[str, str]]
    throttled: bool


class Tally:
    """What a request has brought so far."""

    def __init__(self) -> None:
        self.ingested = 0
        self.errors = 0
        self.partitions: set[str] = set()

    def add(self, batch: Batch, rejected: int) -> None:
        self.ingested += len(batch) - batch.scan.errors
        self.errors += batch.scan.errors + rejected
        self.partitions |= batch.partitions

    def blame(self, error: str) -> list[dict[str, str]]:
        """One write error for each partition that the request would have written."""
        return [{"partition": partition, "error": error} for partition in sorted(self.partitions)]


async def settle(work: Awaitable[T]) -> T:
    """Wait until `work` has ended, also when cancelled meanwhile: its outcome must be known to the next."""
    waiting = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        await asyncio.wait([waiting])
        raise


class Sink:
    """Takes requests on the event loop; the work runs beside it."""

    def __init__(self, store: Store, offload: Offload, queue_cap: int, clock: Clock) -> None:
        self._store = store
        self._offload = offload
        self._clock = clock
        self._room = asyncio.Semaphore(queue_cap)
        self._bulk_room = asyncio.Semaphore(BULK_LOADS)
        self._memory = MemoryBudget(MEMORY_BYTES)
        self._in_flight: dict[str, asyncio.Future[None]] = {}

    async def ingest(
        self,
        target: Target,
        chunks: AsyncIterator[bytes],
        *,
        admits: Callable[[str], bool] = is_open,
        key: str | None = None,
    ) -> IngestAnswer:
        """Store the lines of one request, given in chunks of whole lines; waits for room if it must.

        Lines whose index is not admitted are errors and stored nowhere. With an idempotency `key` that was
        answered before, nothing is stored and the answer is the same.
        """
        self._store.check_writable()
        delivery = Delivery(target, admits, key)
        if key is None:
            return await self._store_request(delivery, chunks)
        while key in self._in_flight:
            await asyncio.shield(self._in_flight[key])
        known = self._store.answers.find(key)
        if known is not None:
            async for _ in chunks:
                pass
            return IngestAnswer(known.ingested, known.errors, known.partitions, [], throttled=False)
        done = self._in_flight[key] = asyncio.get_running_loop().create_future()
        try:
            return await self._store_request(delivery, chunks)
        finally:
            del self._in_flight[key]
            done.set_result(None)

    async def _store_request(
        self, delivery: Delivery, chunks: AsyncIterator[bytes]
    ) -> IngestAnswer:
        async with self._memory.share() as share:
            pieces: list[bytes] = []
            size_bytes = 0
            async for chunk in chunks:
                await share.take(len(chunk))
                pieces.append(chunk)
                size_bytes += len(chunk)
                if size_bytes > BATCH_BYTES:
                    return await self._store_bulk(delivery, pieces, chunks)
            return await self._store_batch(delivery, b"".join(pieces))

    async def _store_batch(self, delivery: Delivery, data: bytes) -> IngestAnswer:
        tally = Tally()
        if len(data) <= INLINE_BYTES:
            batch = self._look_at(delivery, data, tally)
        else:
            batch = await self._offload.run(self._look_at, delivery, data, tally)
        throttled = self._room.locked()
        async with self._room:
            if len(batch):
                answer = self._make_answer(delivery.key, tally)
                written = self._store.submit(batch, answer)
                try:
                    await settle(asyncio.wrap_future(written))
                except Unavailable as error:
                    raise Unavailable(
                        error.message, write_errors=tally.blame(error.message)
                    ) from error
        return self._acknowledge(delivery.target, tally, throttled=throttled)

    async def _store_bulk(
        self, delivery: Delivery, pieces: list[bytes], chunks: AsyncIterator[bytes]
    ) -> IngestAnswer:
        tally = Tally()
        throttled = self._bulk_room.locked()
        async with self._bulk_room:
            load = self._store.open_bulk()
            try:
                while pieces:
                    await self._offload.run(self._add_to_bulk, load, delivery, pieces.pop(0), tally)
                async for chunk in chunks:
                    await self._offload.run(self._add_to_bulk, load, delivery, chunk, tally)
            except BaseException:
                await settle(self._offload.run(load.abort))
                raise
            answer = self._make_answer(delivery.key, tally)
            await settle(self._offload.run(load.commit, answer))
        return self._acknowledge(delivery.target, tally, throttled=throttled)

    def _add_to_bulk(self, load: BulkLoad, delivery: Delivery, data: bytes, tally: Tally) -> None:
        load.add(self._look_at(delivery, data, tally))

    def _look_at(self, delivery: Delivery, data: bytes, tally: Tally) -> Batch:
        """Scan the lines and leave out those that ask for an index they may not have."""
        arrival_ns, target = self._clock(), delivery.target
        template = parse_template(target.index)
        scan = self._store.shredders.shredder.scan_lines(data, arrival_ns, template)
        batch = Batch(target, arrival_ns, data, scan)
        rejected = 0
        admitted = list(map(delivery.admits, scan.index_names))
        if not all(admitted):
            kept = [at for at, index in enumerate(scan.index_ids) if admitted[index]]
            rejected = len(batch) - len(kept)
            kept_data = b"\n".join(data[scan.starts[at] : scan.ends[at]] for at in kept)
            scan = self._store.shredders.shredder.scan_lines(kept_data, arrival_ns, template)
            batch = Batch(target, arrival_ns, kept_data, scan)
        tally.add(batch, rejected)
        return batch

    def _make_answer(self, key: str | None, tally: Tally) -> Answer | None:
        if key is None:
            return None
        return Answer(key, self._clock(), tally.ingested, tally.errors, sorted(tally.partitions))

    def _acknowledge(self, target: Target, tally: Tally, *, throttled: bool) -> IngestAnswer:
        accepted_events.labels(target.env).inc(tally.ingested)
        rejected_lines.labels(target.env).inc(tally.errors)
        return IngestAnswer(tally.ingested, tally.errors, sorted(tally.partitions), [], throttled)

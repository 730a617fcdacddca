"""The sink: takes lines and a target, makes the events durable, and only then acknowledges them.

A request that fits in memory is one batch: one record of the write-ahead log. A larger one is a bulk load. Either way
a request is stored entirely or not at all.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache
from typing import NamedTuple, TypeVar

from msgspec import field
from prometheus_client import Counter

from logboom.base.clock import Clock
from logboom.base.errors import Overloaded, Unavailable
from logboom.base.process.offload import Offload
from logboom.base.structs import InternalStruct
from logboom.ingest.memory import MemoryBudget, Share
from logboom.ingest.receipt import Receipt, Tally, list_unparsed
from logboom.ingest.request_limit import RequestLimit
from logboom.ingest.written import Written
from logboom.model.batch import Batch, Lines, Scan, Target
from logboom.model.names import is_reserved, parse_template
from logboom.store.catalog.marks import Marks
from logboom.store.companions import Companions
from logboom.store.flush.bulk import BulkLoad
from logboom.store.idempotency.memory import IngestAnswer
from logboom.store.store import Store

BATCH_BYTES = 16 * 1024 * 1024
INLINE_BYTES = 16 * 1024
INLINE_SCAN_BYTES = 64 * 1024
"""Up to this size lines are scanned on the event loop, which takes about 0.2 ms and needs no thread."""
REFRESH_TIMEOUT_S = 8.0
BULK_LOADS = 2
MEMORY_BYTES = 12 * BATCH_BYTES
"""For the bodies of all requests."""

accepted_events = Counter("logboom_ingested_events", "Events acknowledged", ["env"])
accepted_bytes = Counter(
    "logboom_ingested_bytes", "Bytes of lines acknowledged, as decoded", ["env"]
)
accepted_requests = Counter("logboom_ingest_requests", "Requests acknowledged", ["env"])
rejected_lines = Counter(
    "logboom_ingest_errors", "Lines that were not events, or were refused", ["env"]
)
throttled_requests = Counter(
    "logboom_ingest_throttled", "Requests that had to wait for room in the writer queue"
)
overloads = Counter(
    "logboom_ingest_overloads", "Requests refused because the writer queue was full"
)


class EnvCounters(NamedTuple):
    """What is counted for an environment."""

    requests: Counter
    size_bytes: Counter
    events: Counter
    errors: Counter


@cache
def find_counters(env: str) -> EnvCounters:
    counters = (accepted_requests, accepted_bytes, accepted_events, rejected_lines)
    return EnvCounters(*(each.labels(env) for each in counters))


T = TypeVar("T")
Pieces = AsyncIterator[Lines]


def is_open(index: str) -> bool:
    """Return whether an index is open to users, not the service's own."""
    return not is_reserved(index)


class Delivery(InternalStruct, frozen=True):
    """A request: where its events go, which indexes are allowed, and its idempotency key."""

    target: Target
    admits: Callable[[str], bool] = is_open
    key: str | None = None
    sender: str = ""
    """The sender, for limiting the number of remembered idempotency keys."""
    is_patient: bool = True
    """Whether it waits for room in the writer queue instead of being refused."""
    is_itemised: bool = False
    """Whether the receipt must name each line that was not an event."""
    marks: Marks = field(default_factory=dict)
    """Marks of the store that are set together with the events."""
    total: tuple[str, int] | None = None
    """A mark that counts events, and its value before these."""


async def settle(work: Awaitable[T]) -> T:
    """Wait until `work` has ended, even if cancelled: the next step must know its result."""
    waiting = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        await asyncio.wait([waiting])
        raise


class Sink:
    """Takes requests on the event loop; the work runs off it."""

    def __init__(
        self,
        store: Store,
        offload: Offload,
        queue_cap: int,
        clock: Clock,
        memory_bytes: int = MEMORY_BYTES,
    ) -> None:
        self._store = store
        self._offload = offload
        self._clock = clock
        self.requests = RequestLimit(queue_cap)
        """The writer queue."""
        self._bulk_loads = RequestLimit(BULK_LOADS)
        self.memory = MemoryBudget(memory_bytes)
        self._in_flight: dict[str, asyncio.Future[None]] = {}

    @property
    def is_full(self) -> bool:
        """Whether a request that does not wait would be refused now."""
        return self.requests.is_full

    def check_room(self) -> None:
        """Raise Overloaded while the writer queue is full, Unavailable while nothing can be written."""
        self._store.check_writable()
        refuse_when(self.is_full)

    async def refresh(self) -> None:
        """Wait until everything acknowledged so far is searchable.

        Raise Unavailable if that cannot be, or takes longer than a client waits.
        """
        waiting = asyncio.wrap_future(self._store.flush_soon())
        try:
            async with asyncio.timeout(REFRESH_TIMEOUT_S):
                await waiting
        except TimeoutError:
            raise Unavailable("the events are not searchable yet", retry_after_s=5) from None

    async def ingest(
        self, delivery: Delivery, pieces: Pieces, share: Share | None = None
    ) -> Receipt:
        """Store the lines of one request, given in pieces of whole lines.

        Lines for an index that is not allowed are errors and not stored. If the idempotency key was answered before,
        nothing is stored and the answer is the same. `share` is the request's memory, if it holds some already.
        """
        self._store.check_writable()
        key = delivery.key
        if key is None:
            return await self._store_request(delivery, pieces, share)
        while key in self._in_flight:
            await asyncio.shield(self._in_flight[key])
        done = self._in_flight[key] = asyncio.get_running_loop().create_future()
        try:
            # Off the event loop, because it may read the store.
            known = await self._offload.run(self._store.answers.find, key)
            if known is not None:
                return await self._repeat(known, delivery, pieces)
            return await self._store_request(delivery, pieces, share)
        finally:
            del self._in_flight[key]
            done.set_result(None)

    async def _repeat(self, known: IngestAnswer, delivery: Delivery, pieces: Pieces) -> Receipt:
        """Return the previous answer; if some lines were bad they are scanned again."""
        tally = Tally()
        async for lines in pieces:
            if known.errors:
                await self._offload.run(self._look_at, delivery, lines, tally)
        return Receipt(
            known.ingested,
            known.errors,
            known.partitions,
            refused=tally.refused,
            unparsed=tally.unparsed,
        )

    async def ingest_lines(self, delivery: Delivery, lines: Lines, share: Share) -> Receipt:
        """Do what `ingest` does with lines that are complete, fit into one batch and are counted in the share."""
        if delivery.key is not None:
            return await self.ingest(delivery, give(lines), share)
        return await self._store_batch(delivery, lines)

    async def _store_request(
        self, delivery: Delivery, pieces: Pieces, share: Share | None
    ) -> Receipt:
        if share is None:
            with self.memory.share() as share:
                return await self._gather(delivery, pieces, share)
        return await self._gather(delivery, pieces, share)

    async def _gather(self, delivery: Delivery, pieces: Pieces, share: Share) -> Receipt:
        gathered: list[Lines] = []
        size_bytes = 0
        async for lines in pieces:
            await share.take(lines.size_bytes)
            gathered.append(lines)
            size_bytes += lines.size_bytes
            if size_bytes > BATCH_BYTES:
                return await self._store_bulk(delivery, gathered, pieces)
        return await self._store_batch(delivery, Lines.join(gathered))

    async def _store_batch(self, delivery: Delivery, lines: Lines) -> Receipt:
        tally = Tally()
        if len(lines.data) <= INLINE_SCAN_BYTES:
            batch = self._look_at(delivery, lines, tally)
        else:
            batch = await self._offload.run(self._look_at, delivery, lines, tally)
        throttled = self.requests.is_full
        refuse_when(throttled and not delivery.is_patient)
        async with self.requests:
            if len(batch):
                written = Written()
                try:
                    self._store.write(batch, self._accompany(delivery, tally), written)
                    await written.wait()
                except Unavailable as error:
                    raise Unavailable(
                        error.message, write_errors=tally.blame(error.message)
                    ) from error
        return self._acknowledge(delivery.target, tally, throttled=throttled)

    async def _store_bulk(
        self, delivery: Delivery, gathered: list[Lines], pieces: Pieces
    ) -> Receipt:
        tally = Tally()
        throttled = self._bulk_loads.is_full
        refuse_when(throttled and not delivery.is_patient)
        async with self._bulk_loads:
            load = self._store.open_bulk()
            try:
                while gathered:
                    await self._offload.run(
                        self._add_to_bulk, load, delivery, gathered.pop(0), tally
                    )
                async for lines in pieces:
                    await self._offload.run(self._add_to_bulk, load, delivery, lines, tally)
            except BaseException:
                await settle(self._offload.run(load.abort))
                raise
            await settle(self._offload.run(load.commit, self._accompany(delivery, tally)))
        return self._acknowledge(delivery.target, tally, throttled=throttled)

    def _add_to_bulk(self, load: BulkLoad, delivery: Delivery, lines: Lines, tally: Tally) -> None:
        load.add(self._look_at(delivery, lines, tally))

    def _look_at(self, delivery: Delivery, lines: Lines, tally: Tally) -> Batch:
        """Scan the lines and drop those for indexes that are not allowed."""
        batch = self._scan(delivery.target, lines)
        scan = batch.scan
        unparsed = list_unparsed(batch) if delivery.is_itemised else []
        admitted = list(map(delivery.admits, scan.index_names))
        refused: list[int] = []
        if not all(admitted):
            refused = [at for at, index in enumerate(scan.index_ids) if not admitted[index]]
            kept = [at for at, index in enumerate(scan.index_ids) if admitted[index]]
            batch = self._scan(delivery.target, pick(lines, scan, kept))
            closed = set(refused)
            unparsed = [at for at in unparsed if at not in closed]
        tally.add(batch, refused, unparsed, lines.faults)
        return batch

    def _scan(self, target: Target, lines: Lines) -> Batch:
        arrival_ns = self._clock()
        shredder = self._store.shredders.shredder
        scan = shredder.scan_lines(
            lines.data, arrival_ns, parse_template(target.index), lines.routes
        )
        return Batch(
            target, arrival_ns, lines.data, scan, routes=lines.routes, origins=lines.origins
        )

    def _accompany(self, delivery: Delivery, tally: Tally) -> Companions:
        """Return what must be durable together with the events."""
        key, answer = delivery.key, None
        if key is not None:
            partitions = sorted(tally.partitions)
            answer = IngestAnswer(
                key,
                self._clock(),
                tally.ingested,
                tally.errors,
                partitions,
                sender=delivery.sender,
            )
        if delivery.total is None:
            return Companions(answer, delivery.marks)
        name, before = delivery.total
        return Companions(answer, {**delivery.marks, name: before + tally.ingested})

    def _acknowledge(self, target: Target, tally: Tally, *, throttled: bool) -> Receipt:
        counters = find_counters(target.env)
        counters.requests.inc()
        counters.size_bytes.inc(tally.size_bytes)
        counters.events.inc(tally.ingested)
        if tally.errors:
            counters.errors.inc(tally.errors)
        if throttled:
            throttled_requests.inc()
        return tally.make_receipt(throttled=throttled)


async def give(lines: Lines) -> Pieces:
    yield lines


def pick(lines: Lines, scan: Scan, kept: list[int]) -> Lines:
    """Return some of the lines, by number."""
    spans = [(scan.starts[at], scan.ends[at]) for at in kept]
    return Lines(
        b"\n".join(lines.data[start:end] for start, end in spans),
        lines.routes and lines.routes.pick(kept),
        origins=lines.origins and lines.origins.pick(spans),
    )


def refuse_when(is_full: bool) -> None:
    """Raise Overloaded if a limit is reached; nothing of the request was stored, so the sender may retry."""
    if is_full:
        overloads.inc()
        raise Overloaded("the writer queue is full, try again")

"""The scrub: slowly reads all blocks again, so that damage is found before the events are needed."""

import logging
from collections import deque
from collections.abc import Iterable

import google_crc32c

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.errors import Conflict, Corrupt, NotFound
from logboom.base.stores.objects import ObjectStore
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import name_index
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.integrity.access import BlockAccess
from logboom.store.integrity.verify import measure_checksum, verify_block

log = logging.getLogger(__name__)

PASS_S = 7 * 86_400
"""How long it takes to read every block once."""
MAX_STEP_BYTES = 256 << 20
"""The most that one step reads. A pass over a very large store takes longer."""
RECHECK_S = 60
RECHECK_REMOTE_S = 3600
"""How often blocks that are set aside are checked again; those in a bucket are fetched for it."""


class Scrubber:
    """Does a little work at each step, on the calling thread. Not thread-safe.

    Objects in a bucket are checked by the bucket, and by this program whenever they are fetched, so they are not read
    again here.
    """

    def __init__(self, access: BlockAccess, catalog: Catalog, stopwatch: Clock) -> None:
        self._access = access
        self._objects: ObjectStore = access.objects
        self._catalog = catalog
        self._stopwatch = stopwatch
        self._stepped_ns = stopwatch()
        self._rechecked_ns = 0
        self._credit_bytes = 0.0
        self._waiting: deque[str] = deque()

    def step(self) -> None:
        """Check as much as is due since the last step."""
        snapshot = self._catalog.snapshot
        self._access.damaged.refresh()
        self._access.forget(snapshot)
        self._recheck(snapshot)
        if not self._objects.is_remote:
            self._earn(snapshot)
            self._check_due(snapshot)

    def _recheck(self, snapshot: Snapshot) -> None:
        """Stop setting aside blocks whose files are intact again."""
        every_s = RECHECK_REMOTE_S if self._objects.is_remote else RECHECK_S
        now_ns = self._stopwatch()
        if self._rechecked_ns and now_ns - self._rechecked_ns < every_s * NS_PER_S:
            return
        self._rechecked_ns = now_ns
        for damage in self._access.damaged.list():
            info = snapshot.find(damage.block)
            if info and verify_block(self._objects, info, deep=True) is None:
                log.warning("a damaged block is intact again", extra={"block": damage.block})
                self._access.damaged.take_back(damage.block)

    def _earn(self, snapshot: Snapshot) -> None:
        now_ns = self._stopwatch()
        elapsed_s = (now_ns - self._stepped_ns) / NS_PER_S
        self._stepped_ns = now_ns
        earned = elapsed_s / PASS_S * snapshot.measure()
        self._credit_bytes = min(self._credit_bytes + earned, MAX_STEP_BYTES)

    def _check_due(self, snapshot: Snapshot) -> None:
        unsigned: list[BlockInfo] = []
        while self._credit_bytes > 0:
            if not self._waiting:
                self._waiting.extend(sorted(block.path for block in snapshot.list_blocks()))
            if not self._waiting:
                break
            info = snapshot.find(self._waiting.popleft())
            if info and snapshot.is_live(info.path):
                self._credit_bytes -= info.size_bytes
                unsigned += self._check(info)
        self._sign(unsigned)

    def _check(self, info: BlockInfo) -> list[BlockInfo]:
        """Check one block and its index; return it if it has no checksum yet."""
        if self._access.damaged.find(info.path):
            return []
        reason = verify_block(self._objects, info, deep=True)
        if reason:
            self._access.damaged.set_aside(info, reason)
            return []
        try:
            self._access.load_index(info)
        except Corrupt:
            # Damaged between the two checks.
            return []
        return [info] if info.checksum is None else []

    def _sign(self, infos: Iterable[BlockInfo]) -> None:
        """Add checksums to blocks of the first release, which have none."""
        try:
            updates = tuple(map(self._measure, infos))
            if updates:
                self._catalog.commit(Change(updates=updates, operation="SIGN"))
        except (Conflict, NotFound) as error:
            # The block was removed, or its index cannot be stored; the next pass tries again.
            log.info("blocks are not signed yet", extra={"reason": error.message})

    def _measure(self, info: BlockInfo) -> BlockInfo:
        return info._replace(
            checksum=self._objects.use(info.path, measure_checksum),
            index_checksum=google_crc32c.value(self._objects.read(name_index(info.path))),
        )

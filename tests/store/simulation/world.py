"""Some nodes, their shared store and their clocks in one process, and the invariants that must hold."""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import polars as pl
from tests.store.simulation.objects import TroubledObjects
from tests.store.stores import NOW_NS, make_batch

from logboom.base.clock import NS_PER_DAY, NS_PER_S
from logboom.base.errors import Conflict, NotFound, Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.model.batch import Batch
from logboom.model.shredder import open_shredder
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import name_index
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.log import LogFiles, name_commit
from logboom.store.catalog.snapshot import Snapshot
from logboom.store.catalog.upkeep import write_checkpoint
from logboom.store.compaction.compactor import describe_change
from logboom.store.compaction.merge import Merger
from logboom.store.compaction.plan import Merge
from logboom.store.companions import ALONE
from logboom.store.expiry.retention import Retention
from logboom.store.expiry.sweep import GRACE_NS
from logboom.store.options import StoreOptions
from logboom.store.store import Store

KEEP_DAYS = 30
SLOW_S = 400
"""How long a call takes that takes long; two of them are longer than removed files are kept."""

EXPECTED = (OSError, Unavailable, Conflict)
"""What a node may say when something goes wrong; anything else is a defect."""


class World:
    """Wall clock and stopwatch advance together, unless a node's clock is set wrong."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.objects = LocalObjects(root / "shared")
        self.time_ns = NOW_NS
        self.nodes: list[Node] = []
        self.sent: dict[str, int] = {}
        self.acknowledged: set[str] = set()
        self.may_be_gone: set[str] = set()
        self._last_live_ns: dict[str, int] = {}

    def add_node(self) -> "Node":
        node = Node(self, self.root / f"node{len(self.nodes)}")
        self.nodes.append(node)
        node.start()
        return node

    def copy_node(self, original: "Node") -> "Node":
        """Start a second machine from the disk image of another."""
        data = self.root / f"node{len(self.nodes)}"
        shutil.copytree(original.data, data)
        return self.add_node()

    def go_on(self, seconds: float) -> None:
        self.time_ns += int(seconds * NS_PER_S)

    def make_batch(self, ages_days: list[int]) -> tuple[Batch, list[str]]:
        """Return new events with times in the past."""
        lines, names = [], []
        for age in ages_days:
            name = f"event-{len(self.sent)}"
            self.sent[name] = self.time_ns - age * NS_PER_DAY
            stamp = self.sent[name] // NS_PER_S
            lines.append(json.dumps({"timestamp": stamp, "message": name}))
            names.append(name)
        return make_batch("\n".join(lines).encode(), arrival_ns=self.time_ns), names

    def expire(self) -> None:
        """Note that events that are too old may be missing from now on."""
        oldest_ns = self.time_ns - KEEP_DAYS * NS_PER_DAY
        self.may_be_gone |= {name for name, time_ns in self.sent.items() if time_ns < oldest_ns}

    def commit_foreign(self, action: dict[str, object]) -> None:
        """Let another engine write a commit."""
        version = LogFiles(self.objects).list().last + 1
        self.objects.put_new(name_commit(version), json.dumps(action).encode())

    def read_snapshot(self) -> Snapshot:
        """Return the snapshot of a reader that reads the log for the first time."""
        catalog = Catalog(self.objects, lambda: self.time_ns)
        with suppress(NotFound):
            catalog.follow()
        return catalog.snapshot

    def count_for_others(self) -> int:
        """Return how many events another engine finds in the table."""
        return pl.read_delta(str(self.root / "shared")).height

    def check_files(self) -> None:
        """Check that no file is deleted that is live, or was recently and may still be read."""
        for block in self.read_snapshot().list_blocks():
            self._last_live_ns[block.path] = self.time_ns
        for path, live_ns in self._last_live_ns.items():
            if self.time_ns - live_ns < GRACE_NS:
                for name in (path, name_index(path)):
                    assert self.has_file(name), f"{name} is needed and its file is gone"

    def has_file(self, name: str) -> bool:
        return Path(self.objects.locate(name)).exists()

    def check_events(self) -> None:
        """Check that everything acknowledged is found unless it is old, and that nothing is found twice."""
        found = Counter(self._read_names())
        twice = [name for name, count in found.items() if count > 1]
        assert not twice, f"{twice} are found more than once"
        lost = self.acknowledged - found.keys() - self.may_be_gone - self._list_held_back()
        assert not lost, f"{sorted(lost)} were acknowledged and are gone"

    def _read_names(self) -> Iterator[str]:
        for block in self.read_snapshot().list_blocks():
            yield from pl.read_parquet(self.objects.locate(block.path), columns=["message"])[
                "message"
            ]

    def _list_held_back(self) -> set[str]:
        """Return the events in the logs of nodes that may not commit because another one has their name."""
        logs = b"".join(
            path.read_bytes()
            for node in self.nodes
            if node.is_refused
            for path in (node.data / "wal").glob("*.wal")
        )
        return {name for name in self.acknowledged if f'"{name}"'.encode() in logs}

    def settle(self) -> None:
        """End all faults, and let every node write what it has."""
        for node in self.nodes:
            node.objects.ahead.clear()
            node.clock_error_ns = 0
            if node.store is None:
                node.start()
        for node in self.nodes:
            node.flush()
        for node in self.nodes:
            node.kill()


class Node:
    """One machine: its directory, its clock, and the process that runs on it, if any."""

    def __init__(self, world: World, data: Path) -> None:
        self.world = world
        self.data = data
        self.objects = TroubledObjects(world.objects, lambda: world.go_on(SLOW_S))
        self.clock_error_ns = 0
        self.store: Store | None = None
        self.is_refused = False

    def read_clock(self) -> int:
        return self.world.time_ns + self.clock_error_ns

    def start(self) -> None:
        """Start the process; it ends again if it is not allowed or able to work."""
        options = StoreOptions(self.data, flush_secs=3600.0)
        started_ns = self.world.time_ns
        store = Store(
            options,
            self.objects,
            open_shredder(),
            self.read_clock,
            lambda: self.world.time_ns - started_ns,
        )
        try:
            store.open()
        except EXPECTED as error:
            self.is_refused = self.is_refused or "another data directory" in str(error)
            with suppress(*EXPECTED):
                store.close()
            return
        self.store = store

    def kill(self) -> None:
        """End the process at once: nothing of what it does from now on reaches the store."""
        if self.store is None:
            return
        self.objects.is_cut_off = True
        with suppress(*EXPECTED):
            self.store.close()
        self.objects.is_cut_off = False
        self.store = None

    def send(self, ages_days: list[int]) -> None:
        batch, names = self.world.make_batch(ages_days)

        def act(store: Store) -> None:
            store.submit(batch).result()
            self.world.acknowledged.update(names)

        self._do(act)

    def load(self, ages_days: list[int]) -> None:
        """Send a request that is too large for the log."""
        batch, names = self.world.make_batch(ages_days)

        def act(store: Store) -> None:
            load = store.open_bulk()
            load.add(batch)
            load.commit(ALONE)
            self.world.acknowledged.update(names)

        self._do(act)

    def flush(self) -> None:
        def act(store: Store) -> None:
            store._flusher.flush()
            self.is_refused |= "has taken over" in (store._flusher.failure or "")

        self._do(act)

    def retain(self) -> None:
        self.world.expire()
        self._do(lambda store: store.sweeper.remove_old(Retention(lambda _env: KEEP_DAYS)))

    def sweep(self) -> None:
        self._do(lambda store: store.sweeper.delete_files())

    def checkpoint(self) -> None:
        def act(store: Store) -> None:
            store.catalog.refresh()
            write_checkpoint(store.catalog, self.objects)

        self._do(act)

    def merge(self, blocks: Sequence[BlockInfo]) -> None:
        """Merge blocks of one environment and day, whether they are still live or not."""
        merged = Merge(blocks[0].env, blocks[0].day, tuple(blocks))

        def act(store: Store) -> None:
            written = Merger(store.objects, store._blocks).merge(blocks, lambda: None)
            store.catalog.commit(describe_change(merged, written))

        self._do(act)

    def compact(self) -> None:
        self._do(lambda store: store.compactor.compact(lambda _env: True))

    def refresh(self) -> None:
        self._do(lambda store: store.refresh())

    def _do(self, act: Callable[[Store], object]) -> None:
        """Let the process do something, if it runs; expected errors are ignored."""
        if self.store is not None:
            with suppress(*EXPECTED):
                act(self.store)

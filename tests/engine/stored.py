"""A real store and an engine on it, for tests that need no HTTP; every example gets an environment of its own."""

import itertools
import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from logboom.base.clock import system_clock
from logboom.base.stores.local import LocalObjects
from logboom.engine.answers.engine import Engine
from logboom.engine.answers.search import SearchAnswer
from logboom.engine.blocks.block import Block
from logboom.engine.execution.find import Finder
from logboom.engine.execution.gate import Gate
from logboom.engine.execution.run import Cost
from logboom.engine.terms.limits import Limits
from logboom.engine.terms.request import Request
from logboom.lang import ast
from logboom.lang.parse import parse
from logboom.model.batch import Batch, Target
from logboom.model.names import parse_template
from logboom.model.shredder import open_shredder
from logboom.store.indexes import IndexCache
from logboom.store.options import StoreOptions
from logboom.store.store import Store

NEVER_S = 3600.0
NOW_NS = 1_700_000_000_000_000_000
CACHE_BYTES = 64 << 20


def find_cost(answer: SearchAnswer) -> Cost:
    """Return what an answer says of its cost to those who may see every index."""
    assert isinstance(answer.stats, Cost)
    return answer.stats


class Stored:
    """Takes events and answers queries; blocks are made when told so."""

    def __init__(self, root: Path, max_groups: int = 1_000_000, **options: Any) -> None:
        self.store = Store(
            StoreOptions(root / "data", flush_secs=NEVER_S, **options),
            LocalObjects(root / "store"),
            open_shredder(),
            system_clock,
        )
        self.store.open()
        self._pool = ThreadPoolExecutor(2)
        self._limits = Limits(max_groups=max_groups)
        self.reopen_engine()
        self._numbers = itertools.count()

    def reopen_engine(self) -> None:
        """Open a new engine without anything cached, neither results nor indexes."""
        self.store.indexes = IndexCache(self.store.access, CACHE_BYTES)
        gate = Gate(8, 8, NEVER_S)
        self.engine = Engine(self.store, self._pool, self._limits, gate, CACHE_BYTES)

    def close(self) -> None:
        self.store.close()
        self._pool.shutdown()

    def make_env(self) -> str:
        return f"env{next(self._numbers)}"

    def add(self, env: str, events: Iterable[object], index: str = "default") -> None:
        """Make events durable; they are not yet in a block."""
        data = b"\n".join(json.dumps(event).encode() for event in events)
        scan = self.store.shredders.shredder.scan_lines(data, NOW_NS, parse_template(index))
        if scan.starts:
            batch = Batch(Target(env, index), NOW_NS, data, scan)
            self.store.submit(batch).result()

    def flush(self) -> None:
        self.store.flush().result()

    def keep(self, env: str, events: Iterable[object], index: str = "default") -> None:
        self.add(env, events, index)
        self.flush()

    def search(self, env: str, query: str | ast.Query = "", **options: Any) -> SearchAnswer:
        parsed = parse(query) if isinstance(query, str) else query
        return self.engine.search(Request(parsed, (env,), **options))

    def make_finder(self, env: str, query: str | ast.Query = "", **options: Any) -> Finder:
        parsed = parse(query) if isinstance(query, str) else query
        return self.engine.make_finder(Request(parsed, (env,), **options))

    def find(self, env: str, query: str | ast.Query, **options: Any) -> list[object]:
        """Return the `id` of every event found, newest first."""
        return [row["id"] for row in self.search(env, query, limit=10_000, **options).rows]

    def open_blocks(self, env: str) -> list[Block]:
        """Return every live block of an environment, without any skipping."""
        infos = self.store.snapshot().list_blocks(env)
        return [self.engine.resources.reader.open(info) for info in infos]

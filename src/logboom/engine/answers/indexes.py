"""The indexes of an environment and their sizes, from the blocks' own indexes alone."""

from collections import defaultdict

import msgspec
from msgspec import field

from logboom.base.clock import format_time
from logboom.base.structs import MutableStruct
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.execution.find import Finder
from logboom.store.block.index import IndexPart
from logboom.store.block.info import BlockInfo


class IndexSummary(msgspec.Struct, frozen=True):
    """An index and its size.

    `bytes` is the index's share of its blocks; `days` is the number of days with events.
    Blocks that also contain indexes which the user must not see do not count in `bytes`, because their size would
    reveal them.

    `env` is present if environments are listed separately.
    """

    index: str
    events: int
    bytes: int
    first: str
    last: str
    days: int
    env: str | msgspec.UnsetType = msgspec.UNSET


class IndexTally(MutableStruct):
    """What is known about one index so far."""

    events: int = 0
    size_bytes: float = 0.0
    parts: list[IndexPart] = field(default_factory=list)
    days: set[int] = field(default_factory=set)

    def add(self, info: BlockInfo, part: IndexPart, *, is_open: bool) -> None:
        self.events += part.events
        self.size_bytes += info.size_bytes * part.events / info.rows if is_open else 0
        self.parts.append(part)
        self.days.add(info.day)


def list_indexes(finder: Finder, *, by_env: bool = False) -> list[IndexSummary]:
    """Return the indexes in the request's scope, by name; environments are merged unless listed separately."""
    scope = SearchScope.of_request(finder.request)
    indexes: defaultdict[tuple[str, str], IndexTally] = defaultdict(IndexTally)
    for info in scope.list_blocks(finder.snapshot):
        env = info.env if by_env else ""
        block = finder.try_open(info)
        if block is None:
            continue
        parts = block.index.indexes
        is_open = all(map(scope.allowed.covers, parts))
        for name, part in parts.items():
            if scope.covers_index(name):
                indexes[env, name].add(info, part, is_open=is_open)
    return [summarise(*place, indexes[place]) for place in sorted(indexes)]


def summarise(env: str, index: str, found: IndexTally) -> IndexSummary:
    return IndexSummary(
        index=index,
        events=found.events,
        bytes=round(found.size_bytes),
        first=format_time(min(part.first_ns for part in found.parts)),
        last=format_time(max(part.last_ns for part in found.parts)),
        days=len(found.days),
        env=env or msgspec.UNSET,
    )

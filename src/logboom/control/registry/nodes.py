"""The nodes that share a store: each reports regularly that it is running."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from logboom.base.clock import NS_PER_DAY, NS_PER_S, Clock
from logboom.control.documents.snapshot import Snapshot
from logboom.control.documents.store import Documents

FORGOTTEN_NS = 7 * NS_PER_DAY
MISSING_NS = 300 * NS_PER_S
"""Several times the interval between two reports."""

LogFate = Literal["carried over", "given up"]
"""What happened to the log of a node that is gone."""


class Node(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What runs there, since when, when it last reported, and how it was then."""

    version: str
    started_ns: int
    seen_ns: int
    roles: tuple[str, ...] = ()
    sync_age_s: float = 0.0
    buffer_age_s: float = 0.0
    leases: tuple[str, ...] = ()
    cache_bytes: int = 0


class Departed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A node that will not come back."""

    at_ns: int
    log: LogFate


class NodesDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nodes by name."""

    nodes: dict[str, Node] = {}
    departed: dict[str, Departed] = {}


class Nodes:
    """Information about other nodes is as old as this node's own last report. Thread-safe."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        self._snapshot = Snapshot(documents, "nodes", NodesDocument(), is_followed=False)
        self._clock = clock

    @property
    def by_name(self) -> Mapping[str, Node]:
        return self._snapshot.body.nodes

    @property
    def departed(self) -> Mapping[str, Departed]:
        return self._snapshot.body.departed

    def is_missing(self, node: Node) -> bool:
        """Return whether a node has not reported for longer than expected."""
        return self._clock() - node.seen_ns > MISSING_NS

    def announce(self, name: str, node: Node) -> None:
        """Report that a node is running; nodes that have not reported for a week are forgotten."""
        now_ns = self._clock()

        def add(document: NodesDocument) -> NodesDocument:
            known = {
                each: other
                for each, other in document.nodes.items()
                if now_ns - other.seen_ns < FORGOTTEN_NS
            }
            return msgspec.structs.replace(document, nodes={**known, name: node})

        self._snapshot.edit(add)

    def forget(self, name: str, log: LogFate) -> None:
        """Record that a node will not come back."""
        departed = Departed(self._clock(), log)

        def remove(document: NodesDocument) -> NodesDocument:
            nodes = {each: node for each, node in document.nodes.items() if each != name}
            return NodesDocument(nodes, {**document.departed, name: departed})

        self._snapshot.edit(remove)

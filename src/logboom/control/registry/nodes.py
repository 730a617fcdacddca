"""The nodes that share a store: each says now and then that it is there."""

from collections.abc import Mapping

import msgspec

from logboom.base.clock import NS_PER_DAY, Clock
from logboom.control.documents.snapshot import Snapshot
from logboom.control.documents.store import Documents

FORGOTTEN_NS = 7 * NS_PER_DAY


class Node(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What runs there, since when, and when it was last heard of."""

    version: str
    started_ns: int
    seen_ns: int
    roles: tuple[str, ...] = ()


class NodesDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nodes by name."""

    nodes: dict[str, Node] = {}


class Nodes:
    """What is known of others is as old as this node's own last word. May be called from any thread."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        self._snapshot = Snapshot(documents, "nodes", NodesDocument())
        self._clock = clock

    @property
    def by_name(self) -> Mapping[str, Node]:
        return self._snapshot.body.nodes

    def announce(
        self, name: str, version: str, started_ns: int, roles: tuple[str, ...] = ()
    ) -> None:
        """Say that a node is there; those not heard of for a week are forgotten."""
        now_ns = self._clock()
        node = Node(version, started_ns, now_ns, roles)

        def add(document: NodesDocument) -> NodesDocument:
            known = {
                each: node
                for each, node in document.nodes.items()
                if now_ns - node.seen_ns < FORGOTTEN_NS
            }
            return NodesDocument({**known, name: node})

        self._snapshot.edit(add)

"""The nodes that share a store: what each of them reports, as status and as metrics."""

import logging

from prometheus_client import Gauge

from logboom.api.status import NodeState, NodeStatus
from logboom.base.clock import NS_PER_S, Clock, format_time
from logboom.base.version import __version__
from logboom.control.registry.nodes import Node
from logboom.status.parts import Parts

log = logging.getLogger(__name__)

missing_nodes = Gauge(
    "logboom_missing_nodes", "Nodes of this store that have not reported for five minutes"
)
nodes_up = Gauge(
    "logboom_node_up", "1 for each node of this store, 0 if it is missing", ["node", "version"]
)
sync_ages = Gauge(
    "logboom_node_sync_age_seconds",
    "How long before its last report each node had looked at the store",
    ["node"],
)
buffer_ages = Gauge(
    "logboom_node_buffer_age_seconds",
    "How long the oldest event of each node had waited for its block at its last report",
    ["node"],
)
leases = Gauge("logboom_node_leases", "Leases of each node at its last report", ["node"])
cache_bytes = Gauge(
    "logboom_node_cache_bytes",
    "Bytes of the bucket cached by each node at its last report",
    ["node"],
)


class NodesReader:
    """Reports this node to the others, and reads their reports. Thread-safe."""

    def __init__(self, parts: Parts, started_ns: int, clock: Clock) -> None:
        self._parts = parts
        self._started_ns = started_ns
        self._clock = clock
        self._missing: set[str] = set()

    def announce(self) -> None:
        """Tell the other nodes that this one is running, and detect missing ones."""
        nodes = self._parts.control.nodes
        nodes.announce(self._parts.store.node, self._describe_self())
        missing = {name for name, node in nodes.by_name.items() if nodes.is_missing(node)}
        for name in sorted(missing - self._missing):
            log.warning(
                "a node that shares the store has not reported for five minutes; if it is gone for good, run "
                "logboom admin forget-node",
                extra={"missing_node": name},
            )
        self._missing = missing
        self._count()

    def _describe_self(self) -> Node:
        parts, now_ns = self._parts, self._clock()
        return Node(
            version=__version__,
            started_ns=self._started_ns,
            seen_ns=now_ns,
            roles=parts.roles,
            sync_age_s=round(max(now_ns - parts.store.catalog.followed_ns, 0) / NS_PER_S, 3),
            buffer_age_s=round(parts.store.measure_buffer().age_s or 0.0, 3),
            leases=tuple(name for each in parts.leases for name in each.list_own()),
            cache_bytes=parts.store.objects.measure_cache(),
        )

    def _count(self) -> None:
        """Set the metrics of all nodes."""
        for gauge in (nodes_up, sync_ages, buffer_ages, leases, cache_bytes):
            gauge.clear()
        for name, node in self._parts.control.nodes.by_name.items():
            nodes_up.labels(name, node.version).set(name not in self._missing)
            sync_ages.labels(name).set(node.sync_age_s)
            buffer_ages.labels(name).set(node.buffer_age_s)
            leases.labels(name).set(len(node.leases))
            cache_bytes.labels(name).set(node.cache_bytes)
        missing_nodes.set(len(self._missing))

    def list(self) -> list[NodeStatus]:
        """Return the nodes that have written blocks or reported, sorted by name, without those that were forgotten."""
        control, store = self._parts.control, self._parts.store
        known = {**control.nodes.by_name, store.node: self._describe_self()}
        positions = store.snapshot().transactions
        names = {*known, *positions} - (control.nodes.departed.keys() - known.keys())
        return [
            self._describe(name, known.get(name), positions.get(name, 0)) for name in sorted(names)
        ]

    def _describe(self, name: str, node: Node | None, wal_position: int) -> NodeStatus:
        return NodeStatus(
            node=name,
            state=self._find_state(node),
            version=node.version if node else None,
            roles=node.roles if node else (),
            started=format_time(node.started_ns) if node else None,
            last_seen=format_time(node.seen_ns) if node else None,
            sync_age_secs=node.sync_age_s if node else None,
            buffer_age_secs=node.buffer_age_s if node else None,
            leases=node.leases if node else (),
            cache_bytes=node.cache_bytes if node else None,
            wal_position=wal_position,
            is_self=name == self._parts.store.node,
        )

    def _find_state(self, node: Node | None) -> NodeState:
        if node is None:
            return "unknown"
        return "missing" if self._parts.control.nodes.is_missing(node) else "up"

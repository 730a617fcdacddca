"""The parts of the service whose status is collected."""

from dataclasses import dataclass

from logboom.api.services import PullSources
from logboom.control.control import Control
from logboom.control.registry.leases import Leases
from logboom.engine.execution.gate import Gate
from logboom.engine.execution.remote import Cluster
from logboom.ingest.sink import Sink
from logboom.store.store import Store


@dataclass(frozen=True)
class Parts:
    """The parts whose status is collected."""

    control: Control
    store: Store
    sink: Sink
    gate: Gate
    sources: PullSources
    roles: tuple[str, ...] = ()
    cluster: Cluster | None = None
    leases: tuple[Leases, ...] = ()

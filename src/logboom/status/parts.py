"""The parts of the service whose status is collected."""

from logboom.api.services import PullSources
from logboom.base.structs import InternalStruct
from logboom.control.control import Control
from logboom.control.registry.leases import Leases
from logboom.engine.execution.gate import Gate
from logboom.engine.execution.remote import Cluster
from logboom.ingest.sink import Sink
from logboom.store.store import Store


class Parts(InternalStruct, frozen=True):
    """The parts whose status is collected."""

    control: Control
    store: Store
    sink: Sink
    gate: Gate
    sources: PullSources
    roles: tuple[str, ...] = ()
    cluster: Cluster | None = None
    leases: tuple[Leases, ...] = ()

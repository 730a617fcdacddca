"""What the handlers work with, put together by the server."""

from dataclasses import dataclass

from logboom.base.clock import Clock
from logboom.base.offload import Offload
from logboom.control.control import Control
from logboom.engine.search import Engine
from logboom.ingest.sink import Sink
from logboom.store.store import Store


@dataclass(frozen=True)
class Services:
    """One of each; handlers get them by Litestar's dependency injection."""

    control: Control
    store: Store
    sink: Sink
    engine: Engine
    offload: Offload
    clock: Clock

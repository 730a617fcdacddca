"""What the handlers work with, put together by the server."""

import threading
from dataclasses import dataclass, field

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
    searches: Offload
    clock: Clock
    metrics_auth: bool = False
    """Whether metrics are only for those who may search."""
    stopping: threading.Event = field(default_factory=threading.Event)
    """Set when the service stops: answers that would go on for ever end."""

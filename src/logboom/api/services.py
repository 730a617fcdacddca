"""What the handlers use, assembled by the server."""

import threading
from typing import Protocol

from msgspec import field

from logboom.alerts.sending.sender import Sender
from logboom.alerts.watch import AlertWatcher
from logboom.api.status import StatusReader
from logboom.base.clock import Clock, system_clock
from logboom.base.process.offload import Offload
from logboom.base.structs import InternalStruct
from logboom.control.control import Control
from logboom.control.saved.sources import Listing, SourceStatus
from logboom.ingest.sink import Sink
from logboom.saml.events import RefusalLog
from logboom.search.service import SearchService
from logboom.store.store import Store


class PullSources(Protocol):
    """The reader of the pull sources, on the event loop."""

    def find_status(self, source_id: str) -> SourceStatus:
        """Return the status of a source on this node; empty for an unknown source."""

    async def run(self, source_id: str) -> None:
        """Read what is there now, even if the source is disabled; its status has the result.

        Raise Conflict if another node is reading it, NotFound if there is no such source.
        """


class Directories(Protocol):
    """The files of this node that sources may read; slow."""

    def check_globs(self, path: str, exclude: tuple[str, ...]) -> None:
        """Raise Invalid for a malformed glob, Forbidden if nothing that the path matches may be read."""

    def list(self, path: str) -> Listing:
        """Return the entries of a directory; raise Forbidden, NotFound or Invalid if it cannot be shown."""


class Services(InternalStruct, frozen=True):
    """One instance of each service; handlers get them through Litestar's dependency injection."""

    control: Control
    store: Store
    sink: Sink
    search: SearchService
    offload: Offload
    search_offload: Offload
    clock: Clock
    sources: PullSources
    alerts: AlertWatcher
    sender: Sender
    directories: Directories
    status: StatusReader
    metrics_auth: bool = False
    """Whether /metrics needs credentials."""
    refusals: RefusalLog = field(default_factory=lambda: RefusalLog(system_clock))
    """Counts failed sign-ins through single sign-on."""
    stopping: threading.Event = field(default_factory=threading.Event)
    """Set when the service stops, so that endless answers end."""

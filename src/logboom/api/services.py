"""What the handlers work with, put together by the server."""

import threading
from dataclasses import dataclass, field
from typing import Protocol

from logboom.alerts.sending.sender import Sender
from logboom.alerts.watch import AlertWatcher
from logboom.api.status import StatusReader
from logboom.base.clock import Clock, system_clock
from logboom.base.offload import Offload
from logboom.control.control import Control
from logboom.control.kept.sources import Listing, SourceStatus
from logboom.ingest.sink import Sink
from logboom.saml.events import RefusalLog
from logboom.search.service import SearchService
from logboom.store.store import Store


class PullSources(Protocol):
    """Whoever reads the pull sources, on the event loop."""

    def find_status(self, source_id: str) -> SourceStatus:
        """How it goes on this node; nothing has happened yet for a source it does not know."""

    async def run(self, source_id: str) -> None:
        """Read what is there now, also of a source that is off; how it went is in its status.

        Conflict when another node reads it just now, NotFound when there is no such source.
        """


class Directories(Protocol):
    """The files of this node, as far as sources may read them; slow."""

    def check_globs(self, path: str, exclude: tuple[str, ...]) -> None:
        """Invalid for a glob that means nothing, Forbidden when nothing that the path means may be read."""

    def list(self, path: str) -> Listing:
        """What is in a directory; Forbidden, NotFound or Invalid when it cannot be shown."""


@dataclass(frozen=True)
class Services:
    """One of each; handlers get them by Litestar's dependency injection."""

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
    """Whether metrics are only for those who may search."""
    refusals: RefusalLog = field(default_factory=lambda: RefusalLog(system_clock))
    """Sign-ins by single sign-on that failed."""
    stopping: threading.Event = field(default_factory=threading.Event)
    """Set when the service stops: answers that would go on for ever end."""

"""The interface of a cluster: work of a query that other machines do."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from logboom.engine.execution.mapper import Mapper
from logboom.engine.execution.partials import Piece, Work
from logboom.engine.terms.limits import Budget

Build = tuple[str, str, str]
"""The versions that must be equal on all machines."""


class RemoteJob(Protocol):
    """Work in progress on other machines. Not thread-safe; the caller must close it."""

    problem: str | None
    """Why some work was not done, if the user should know."""

    def take(self, work: Work) -> list[Piece] | None:
        """Return the result, or None if the caller must do the work itself. Call it in the order of the work.

        Waits until the work is done or given up, or the query must stop.
        """

    def close(self) -> None:
        """Release what is still in progress."""


class ClusterState(NamedTuple):
    """The state of a cluster; `problem` says why it is not used."""

    scheduler: str
    workers: int
    threads: int
    problem: str | None


class Cluster(Protocol):
    """Machines that read the same store. Thread-safe."""

    store_url: str
    """Where they find it."""

    @property
    def state(self) -> ClusterState:
        """The state at the last check."""

    def send(self, mapper: Mapper, work: list[Work], budget: Budget) -> RemoteJob | None:
        """Start work, or return None if it is too little to be worth it; raise Unavailable without a connection."""

    def run(
        self,
        task: Callable[[Build, bytes], bytes],
        content: bytes,
        give_way: Callable[[], None],
    ) -> bytes:
        """Run one task; raise Unavailable if that fails. `give_way` is called often meanwhile and may raise."""

    def close(self) -> None:
        """Cancel everything in progress."""

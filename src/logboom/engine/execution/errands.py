"""Errands: work of a run that other machines do for this one."""

from typing import NamedTuple, Protocol

from logboom.engine.execution.mapper import Mapper
from logboom.engine.execution.partials import Piece, Work
from logboom.engine.terms.limits import Budget


class Errand(Protocol):
    """Work that is under way elsewhere; for one thread, which closes it."""

    trouble: str | None
    """Why some of it was not done, if that should be known."""

    def take(self, work: Work) -> list[Piece] | None:
        """What was made of it; None when whoever asks has to do it. To be called in the order of the work.

        Waits until it is done, given up, or the query has to stop.
        """

    def close(self) -> None:
        """Nothing more is wanted."""


class ClusterState(NamedTuple):
    """How a cluster is; `problem` says why it is not used."""

    scheduler: str
    workers: int
    threads: int
    problem: str | None


class Cluster(Protocol):
    """Machines that read the same store. May be used by any thread."""

    @property
    def state(self) -> ClusterState:
        """As it was a moment ago."""

    def send(self, mapper: Mapper, work: list[Work], budget: Budget) -> Errand | None:
        """Have work done; None when it is too little to be worth it, Unavailable when the cluster is out of reach."""

    def close(self) -> None:
        """Give up whatever is under way."""

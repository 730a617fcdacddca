"""The incident: a release of payments that loses database connections, in one region, until it is rolled back."""

from typing import NamedTuple

from logboom.base.clock import NS_PER_S
from logboom.samples.customers import Random
from logboom.samples.topology import PODS, SERVICES, Pod, make_pod
from logboom.samples.traffic import Period

NS_PER_MS = 1_000_000

REGION = "eu-west-1"
SERVICE = SERVICES["payments"]
VERSION = "2.4.1"
BEGINS, ENDS = 0.85, 0.9
"""As a share of the whole period: about three hours before its end if it is a day."""

BAD_PODS = 3
"""How many of the region's pods got the release; the others show that the region is not the cause."""
RELEASED = {
    pod.number: make_pod(SERVICE, REGION, pod.number, VERSION)
    for pod in PODS[SERVICE.name, REGION][:BAD_PODS]
}
POOL_SIZE = 10


class Trouble(NamedTuple):
    """What happens to a request on a bad pod: it waits for a connection, and gets one or not."""

    wait_ns: int
    status: int
    waiting: int


class Incident(NamedTuple):
    """When it was."""

    window: Period

    @classmethod
    def within(cls, period: Period) -> "Incident":
        return cls(Period(period.find(BEGINS), period.find(ENDS)))

    def is_on(self, time_ns: int) -> bool:
        return self.window.from_ns <= time_ns < self.window.to_ns

    def progress(self, time_ns: int) -> float:
        """Return how far the incident is: 0 at the release, 1 at the rollback."""
        return (time_ns - self.window.from_ns) / self.window.length_ns

    def find_pod(self, pod: Pod, time_ns: int) -> Pod:
        """Return the pod as of that time: some of them run another release for a while."""
        if pod.service is SERVICE and pod.region == REGION and self.is_on(time_ns):
            return RELEASED.get(pod.number, pod)
        return pod

    def find_trouble(self, rng: Random, pod: Pod, time_ns: int) -> Trouble | None:
        """Return what happens to a request: the longer the release runs, the fewer connections are left."""
        if pod.labels["version"] != VERSION:
            return None
        progress = self.progress(time_ns)
        waiting = int(2 + 40 * progress * rng.random() + 20 * progress)
        if rng.random() > min(0.93, 0.1 + 3 * progress):
            return Trouble(int((0.3 + 5 * rng.random()) * NS_PER_S), 200, waiting)
        if rng.random() < 0.2:
            return Trouble(int(50 * NS_PER_MS * (1 + rng.random())), 502, waiting)
        return Trouble(int((9.3 + 0.5 * rng.random()) * NS_PER_S), 504, waiting)

"""Follows the changes of other nodes on a bucket: one request finds out whether there are any."""

from collections.abc import Callable, Mapping

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.stores.layout import CONTROL_NOTE, LOG_FOLDER
from logboom.base.stores.objects import ObjectStore
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.log import DIGITS

CONTROL_AT_LEAST_NS = 300 * NS_PER_S
"""How often control documents are looked at without a note: its writer may have died, or be of an older release."""


class Follower:
    """Lists the log from the newest known commit on, and reads only what is new. For one thread."""

    def __init__(
        self,
        objects: ObjectStore,
        catalog: Catalog,
        read_log: Callable[[], object],
        read_control: Callable[[], object],
        clock: Clock,
    ) -> None:
        self._objects = objects
        self._catalog = catalog
        self._read_log = read_log
        self._read_control = read_control
        self._clock = clock
        self._commits: Mapping[str, str] = {}
        self._note: str | None = None
        self._control_ns = clock()

    def follow(self) -> None:
        """Read what others have changed since the last call; what fails is tried again by the next one."""
        now_ns, version = self._clock(), self._catalog.snapshot.version
        stamps = self._objects.list_stamps(LOG_FOLDER, f"{version:0{DIGITS}d}")
        commits = {name: stamp for name, stamp in stamps.items() if name.endswith(".json")}
        # The last known commit is among them: if it is unchanged and alone, nothing was added or cleaned up.
        if commits != self._commits:
            self._read_log()
            self._commits = commits
        self._catalog.followed_ns = now_ns
        note = stamps.get(CONTROL_NOTE, "")
        if note != self._note or now_ns - self._control_ns >= CONTROL_AT_LEAST_NS:
            self._read_control()
            self._note, self._control_ns = note, now_ns

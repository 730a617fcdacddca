"""A poller on a real store and real files, and the events it has stored."""

import asyncio
import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from tests.store.stores import HandClock, copy_directory, make_store, read_rows

from logboom.base.clock import NS_PER_S
from logboom.base.process.offload import Offload
from logboom.control.saved.sources import Source, SourceStatus
from logboom.ingest.sink import Sink
from logboom.sources.files.poll import Poller, PollerServices, PollResult
from logboom.sources.roots import Roots
from logboom.store.store import Store


class Pulling:
    """One source over the files of a directory. After a restart only the store has its state."""

    def __init__(self, root: Path, glob: str = "*", **members: object) -> None:
        self.logs = root / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.source = msgspec.convert(
            {
                "id": "s1",
                "name": "test",
                "path": f"{self.logs}/{glob}",
                "format": "text",
                **members,
            },
            Source,
        )
        self.clock = HandClock()
        self._data = root / "data"
        self._copies = itertools.count()
        self._offload = Offload(2, "test")
        self._runner = asyncio.Runner()
        self._start()

    def _start(self) -> None:
        self.store: Store = make_store(self._data, clock=self.clock)
        self.store.open()
        self.renew()

    def renew(self) -> None:
        """Continue with a new poller without any state."""
        self.poller = self._runner.run(self._make())

    async def _make(self) -> Poller:
        sink = Sink(self.store, self._offload, 8, self.clock)
        roots = Roots([Path("/")], lambda: [self._data])
        means = PollerServices(sink, self.store, self._offload, roots, self.clock)
        return Poller(self.source, means)

    def change(self, **members: object) -> None:
        """Continue with a changed source."""
        self.source = msgspec.structs.replace(self.source, **members)
        self.renew()

    def poll(self) -> PollResult:
        """Poll once, which must succeed."""
        self.clock.time_ns += 10 * NS_PER_S
        result = self._runner.run(self.poller.poll())
        assert self.status.last_status == "ok", self.status
        return result

    def try_poll(self) -> str:
        """Poll once, which must fail; return the error."""
        self._runner.run(self.poller.poll())
        assert self.status.last_status == "error"
        return self.status.last_error

    def poll_until(self, delivery: int) -> None:
        """Poll once; another node takes over before this delivery, if there are as many."""
        deliveries = itertools.count(1)

        async def may_deliver() -> bool:
            return next(deliveries) < delivery

        before, self.poller._may_deliver = self.poller._may_deliver, may_deliver
        self.clock.time_ns += 10 * NS_PER_S
        self._runner.run(self.poller.poll())
        self.poller._may_deliver = before

    @property
    def status(self) -> SourceStatus:
        return self.poller.status

    def crash(self) -> None:
        """Continue with the state that a process that dies now would leave behind."""
        copy = self._data.with_name(f"data-{next(self._copies)}")
        copy_directory(self._data, copy)
        self.store.close()
        self._data = copy
        self._start()

    def close(self) -> None:
        self.store.close()
        self._offload.close()
        self._runner.close()

    @property
    def messages(self) -> list[str]:
        """All stored messages, in the order of arrival."""
        self.store.flush().result()
        return list(read_rows(self.store)["message"])

    def read(self) -> list[str]:
        """Poll, and return all messages since the store was made."""
        self.poll()
        return self.messages

    def write(self, name: str, *lines: str) -> Path:
        """Append lines to a file of this name."""
        return self.write_bytes(name, "".join(f"{line}\n" for line in lines).encode())

    def write_bytes(self, name: str, data: bytes) -> Path:
        path = self.logs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(data)
        return path


@contextmanager
def pulling(root: Path, glob: str = "*", **members: object) -> Iterator[Pulling]:
    bed = Pulling(root, glob, **members)
    try:
        yield bed
    finally:
        bed.close()


def set_mtime(path: Path, time_s: int) -> None:
    os.utime(path, (time_s, time_s))

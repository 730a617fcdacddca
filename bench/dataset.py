"""A corpus in a file, so that every measurement sends the same bytes and none includes their generation."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

GRAIN = 100
"""Batches are multiples of this many events."""


@dataclass(frozen=True)
class Dataset:
    """`marks` holds the byte offset of every GRAIN-th event and, last, the size of the file."""

    path: Path
    events: int
    marks: list[int]

    @property
    def size_bytes(self) -> int:
        return self.marks[-1]

    def bodies(self, batch: int, events: int | None = None) -> Iterator[bytes]:
        """Yield the first `events` events, all when None, as request bodies of `batch` events each."""
        assert batch % GRAIN == 0
        wanted = self.events if events is None else min(events, self.events)
        last = -(-wanted // GRAIN)
        with self.path.open("rb") as file:
            for start in range(0, last, batch // GRAIN):
                end = min(start + batch // GRAIN, last)
                yield file.read(self.marks[end] - self.marks[start])

    def chunks(self, size_bytes: int = 1 << 18) -> Iterator[bytes]:
        """Yield the whole file in pieces that do not end where lines end."""
        with self.path.open("rb") as file:
            while chunk := file.read(size_bytes):
                yield chunk


def write_dataset(path: Path, lines: Iterable[bytes]) -> Dataset:
    marks, size_bytes, events = [], 0, 0
    with path.open("wb") as file:
        for events, line in enumerate(lines, start=1):
            if events % GRAIN == 1:
                marks.append(size_bytes)
            size_bytes += file.write(line)
    return Dataset(path, events, [*marks, size_bytes])

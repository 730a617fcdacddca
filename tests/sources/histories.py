"""A log that is written, rotated, compressed, truncated and deleted, and how often each line must be read."""

import gzip
import os
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import zstandard
from tests.sources.pulling import Pulling

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "zst": zstandard.ZstdCompressor().compress,
}
POLLS_OF_COPIES = 3
"""After so many a copy is known for one, or read."""


@dataclass
class File:
    """A file as it is on disk, and the numbers of its lines."""

    path: Path
    lines: list[int] = field(default_factory=list)
    is_copy: bool = False
    is_open: bool = False
    """Whether its last line has no end yet."""
    polls: int = 0
    """Since it was changed, or the poller has forgotten it."""


class History:
    """Everything that happened to the files, and the events that must be in the store."""

    def __init__(self, bed: Pulling) -> None:
        self.bed = bed
        self.files = [File(bed.logs / "app.log")]
        self._texts: list[str] = []
        self._rotations = 0
        self._least: Counter[int] = Counter()
        self._most: Counter[int] = Counter()
        self._read: set[int] = set()
        """The lines that were certainly read since the last reset."""

    @property
    def _log(self) -> File:
        return self.files[0]

    def _name(self) -> Path:
        self._rotations += 1
        return self._log.path.with_name(f"app.log.{self._rotations}")

    def _touch(self, file: File) -> None:
        file.polls = 0

    def write(self, size: int, file: File | None = None) -> None:
        """Write a line of this size, or the rest of one that has begun."""
        file = file or self._log
        self.begin(size, file)
        self._append(file, b"\n")
        file.is_open = False

    def begin(self, size: int, file: File | None = None) -> None:
        """Write the first part of a line."""
        file = file or self._log
        if not file.is_open:
            number = len(self._texts)
            self._texts.append(f"{number} {'x' * size} {number}")
            self._least[number] = self._most[number] = 1
            file.lines.append(number)
            file.is_open = True
            self._append(file, self._texts[number].encode())

    def _append(self, file: File, data: bytes) -> None:
        with file.path.open("ab") as opened:
            opened.write(data)
        self._touch(file)

    def _end(self) -> None:
        if self._log.is_open:
            self.write(0)

    def rename(self) -> None:
        """Rotate by renaming; the writer may not have noticed yet."""
        if self._log.path.exists():
            path = self._name()
            self._log.path.rename(path)
            self._log.path = path
            self.files.insert(0, File(path.with_name("app.log")))
            self.write(1)

    def write_late(self, size: int) -> None:
        """Write to the file that was renamed last."""
        if len(self.files) > 1 and self._can_pack(self.files[1]) and not self.files[1].is_copy:
            self.write(size, self.files[1])

    def copy(self, *, is_slow: bool) -> None:
        """Rotate by copying and truncating; there may be a poll in between, but not the first of the lines."""
        self._end()
        if is_slow:
            self.poll()
        if self._log.lines:
            copy = File(self._name(), self._log.lines, is_copy=True)
            shutil.copy(self._log.path, copy.path)
            self.files.insert(1, copy)
            if is_slow:
                self.poll()
            os.truncate(self._log.path, 0)
            self._log.lines = []
            self._touch(self._log)

    def pack(self, packer: str, *, is_slow: bool) -> None:
        """Compress the newest rotated file; there may be a poll before the original is deleted."""
        file = next(filter(self._can_pack, self.files[1:]), None)
        if file:
            if file.is_open:
                self.write(0, file)
            packed = file.path.with_name(f"{file.path.name}.{packer}")
            packed.write_bytes(PACKERS[packer](file.path.read_bytes()))
            shutil.copystat(file.path, packed)
            if is_slow:
                self.poll()
            file.path.unlink()
            file.path, file.is_copy = packed, True
            self._touch(file)

    def _can_pack(self, file: File) -> bool:
        return file.path.suffix[1:] not in PACKERS

    def rewrite(self) -> None:
        """Replace the lines in place by others of the same size."""
        self._end()
        if self._log.lines:
            before = self._log.lines
            self._lose(self._log)
            self._log.lines = []
            self._log.path.write_bytes(b"")
            for number in before:
                size = len(self._texts[number]) - len(f"{len(self._texts)}  {len(self._texts)}")
                self.write(max(size, 0))

    def cut(self) -> None:
        """Truncate the file."""
        if self._log.path.exists():
            self._lose(self._log)
            self._log.lines, self._log.is_open = [], False
            os.truncate(self._log.path, 0)

    def shorten(self) -> None:
        """Remove the second half of the lines; the first half is read again."""
        self._end()
        kept, gone = split(self._log.lines)
        if not kept:
            return
        is_known = self._log.polls > 0
        for number in kept:
            self._most[number] += 1
            self._least[number] += is_known and number in self._read
        self._log.lines = gone
        self._lose(self._log)
        self._log.lines = kept
        self._read -= set(kept)
        os.truncate(self._log.path, sum(len(self._texts[number]) + 1 for number in kept))

    def replace_end(self) -> None:
        """Replace the second half, which was read, by other and more lines."""
        self._end()
        self.poll()
        before = len(self._log.lines)
        self.shorten()
        for _ in range(before):
            self.write(150)

    def delete(self) -> None:
        """Remove the file that was rotated first."""
        if len(self.files) > 1:
            file = self.files.pop()
            self._lose(file)
            file.path.unlink()

    def _lose(self, file: File) -> None:
        """Stop expecting lines that are gone and were not read."""
        for number in file.lines:
            if number not in self._read:
                self._least[number] -= 1
        self._touch(file)

    def poll(self, times: int = 1) -> None:
        for _ in range(times):
            self.bed.poll()
            for file in self.files:
                file.polls += 1
                if file.polls >= (POLLS_OF_COPIES if file.is_copy else 1):
                    self._read |= set(file.lines[:-1] if file.is_open else file.lines)

    def break_off(self, delivery: int) -> None:
        """Poll, and interrupt the poll at one of the deliveries."""
        self.bed.poll_until(delivery)

    def forget(self) -> None:
        self.bed.renew()
        self._wait_again()

    def crash(self, *, is_flushed: bool = False) -> None:
        if is_flushed:
            self.flush()
        self.bed.crash()
        self._wait_again()

    def _wait_again(self) -> None:
        for file in self.files:
            self._touch(file)

    def flush(self) -> None:
        self.bed.store.flush().result()

    def reset(self) -> None:
        """Reset the source: everything present is read again, and unread lines once or twice."""
        self.bed.change(generation=self.bed.source.generation + 1)
        for number in {number for file in self.files for number in file.lines}:
            self._most[number] += 1
            self._least[number] += number in self._read
        self._read.clear()
        self._wait_again()

    def check(self) -> None:
        """Read everything that is left, and compare."""
        for file in self.files:
            if file.is_open:
                self.write(0, file)
        for _ in range(2):  # also what was read long ago must be known again
            self.poll(POLLS_OF_COPIES)
            self.crash()
        stored = [int(message.split()[0]) for message in self.bed.messages]
        times = Counter(stored)
        wrong = {
            number: (times[number], self._least[number], self._most[number])
            for number in range(len(self._texts))
            if not self._least[number] <= times[number] <= self._most[number]
        }
        assert not wrong, "lines that were read too often, or not often enough"
        assert set(self.bed.messages) <= set(self._texts)
        for file in self.files:
            first = [stored.index(number) for number in file.lines if times[number] == 1]
            assert first == sorted(first)


def split(lines: list[int]) -> tuple[list[int], list[int]]:
    half = len(lines) // 2
    return lines[:half], lines[half:]

"""Any history of a log that is written, rotated and read: each whole line exactly once, in its file's order."""

import gzip
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sources.pulling import Pulling, pulling

STEPS = (
    *("write", "write", "half", "poll", "poll", "poll", "crash", "renew"),
    *("rename", "copy", "copy", "gzip", "zstd"),
)
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


class History:
    """A log and all that was ever written to it."""

    def __init__(self, bed: Pulling) -> None:
        self.bed = bed
        self.written: list[str] = []
        self.rotations = 0
        self._is_open = False

    @property
    def _path(self) -> Path:
        return self.bed.logs / "app.log"

    def step(self, name: str, size: int) -> None:
        ways: dict[str, Callable[[], object]] = {
            "write": lambda: self._write(size),
            "half": self._begin_line,
            "poll": self.bed.poll,
            "crash": self.bed.crash,
            "renew": self.bed.renew,
            "rename": self._rename,
            "copy": self._copy,
            "gzip": lambda: self._pack("gzip"),
            "zstd": lambda: self._pack("zstd"),
        }
        ways[name]()

    def _begin_line(self) -> None:
        if not self._is_open:
            self.written.append(f"{self.rotations} {len(self.written)} ")
            self.bed.write_bytes("app.log", self.written[-1].encode())
            self._is_open = True

    def _end_line(self) -> None:
        if self._is_open:
            self.written[-1] += "end"
            self.bed.write_bytes("app.log", b"end\n")
            self._is_open = False

    def _write(self, size: int) -> None:
        self._end_line()
        lines = [f"{self.rotations} {len(self.written) + at} {'x' * size}" for at in range(3)]
        self.bed.write("app.log", *lines)
        self.written += lines

    def _rename(self) -> None:
        self._end_line()
        if self._path.exists():
            self._path.rename(self._path.with_name(f"app.log.{self.rotations}"))
            self.rotations += 1

    def _copy(self) -> None:
        self._end_line()
        if self._path.exists():
            shutil.copy(self._path, self._path.with_name(f"app.log.{self.rotations}"))
            os.truncate(self._path, 0)
            self.rotations += 1

    def _pack(self, packer: str) -> None:
        """Compress what was rotated last."""
        path = self._path.with_name(f"app.log.{self.rotations - 1}")
        if path.exists():
            packed = path.with_name(f"{path.name}.{packer}")
            packed.write_bytes(PACKERS[packer](path.read_bytes()))
            shutil.copystat(path, packed)
            path.unlink()

    def check(self) -> None:
        self._end_line()
        for _ in range(2):  # also what was read long ago must be known again
            for _ in range(3):  # the last ones find that nothing changes any more
                self.bed.poll()
            self.bed.crash()
        read = self.bed.messages
        assert sorted(read) == sorted(self.written)
        by_file: defaultdict[str, list[int]] = defaultdict(list)
        for line in read:
            file, number = line.split()[:2]
            by_file[file].append(int(number))
        assert all(numbers == sorted(numbers) for numbers in by_file.values())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(STEPS), st.sampled_from([1, 60, 400])), min_size=20, max_size=40
    )
)
def test_each_line_is_read_once_whatever_happens_to_its_file(steps: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder, pulling(Path(folder), "app.log*") as bed:
        history = History(bed)
        for step in steps:
            history.step(*step)
        history.check()

"""Finds the files that match a glob, a slice at a time.

`*`, `?` and `[…]` stay within a name and match no leading dot unless it is written; `**` is any number of
directories, and does not follow links.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from logboom.formats.patterns import compile_search

SLICE_ENTRIES = 1_000
"""This many names are examined before other work gets a turn."""
MAGIC = frozenset("*?[")
ANY_DEPTH = "**"
KEPT_FAULTS = 100
"""At most this many unreadable files are named."""
SPECIAL = frozenset(r"\.+()|^$*?{}[]")


class FoundFile(NamedTuple):
    """A file as it was when it was found."""

    path: str
    device: int
    inode: int
    size: int
    mtime_ns: int


class GlobDirectory(NamedTuple):
    """A directory, and the parts of the glob that may match a name in it."""

    directory: str
    states: frozenset[int]
    is_inside: bool
    """Whether the parent directory may be read."""


def admit_all(_directory: str) -> bool:
    return True


class UnreadablePath(NamedTuple):
    """Why a file or directory cannot be read; others are not affected."""

    path: str
    reason: str
    mtime_ns: int = 0

    def __str__(self) -> str:
        path = show_path(self.path)
        return self.reason if path in self.reason else f"{path}: {self.reason}"


class Discovery:
    """The files that match a glob and are not excluded. `faults` are what could not be examined.

    Directories that `admits` refuses are not listed, and those that it closes are not descended into.
    """

    def __init__(
        self, path: str, exclude: tuple[str, ...], admits: Callable[[str], bool] = admit_all
    ) -> None:
        self._admits = admits
        self._parts = [part for part in path.split("/") if part]
        self._matchers = [match_name(part) for part in self._parts]
        self._excluded = [match_path(glob) for glob in exclude]
        self.faults: list[UnreadablePath] = []
        self.is_complete = True
        """Whether certainly no file was missed."""

    def walk(self) -> Iterator[list[FoundFile]]:
        """Yield every file, in slices, some of which may be empty."""
        self.faults, self.is_complete = [], True
        waiting = [GlobDirectory("/", self._close(0), is_inside=False)]
        while waiting:
            place = waiting.pop()
            if all(not MAGIC & set(self._parts[state]) for state in place.states):
                yield self._look_up(place, waiting)
            else:
                yield from self._scan(place, waiting)

    def _close(self, state: int) -> frozenset[int]:
        """Return this part of the glob, and the following ones that can match at the same depth because of `**`."""
        states = {state}
        while self._parts[state] == ANY_DEPTH and state + 1 < len(self._parts):
            state += 1
            states.add(state)
        return frozenset(states)

    def _look_up(self, place: GlobDirectory, waiting: list[GlobDirectory]) -> list[FoundFile]:
        """Follow literal names, which need no listing."""
        files = []
        for state in place.states:
            path = os.path.join(place.directory, self._parts[state])
            if self._is_excluded(path):
                continue
            if state + 1 < len(self._parts):
                waiting.append(GlobDirectory(path, self._close(state + 1), is_inside=False))
            elif found := self._examine(path):
                files.append(found)
        return files

    def _scan(
        self, place: GlobDirectory, waiting: list[GlobDirectory]
    ) -> Iterator[list[FoundFile]]:
        is_inside = self._admits(place.directory)
        if place.is_inside and not is_inside:
            return
        try:
            with os.scandir(place.directory) as entries:
                while names := list(islice(entries, SLICE_ENTRIES)):
                    files = []
                    for entry in names:
                        matching = self._match(entry, place.states)
                        deeper = self._find_deeper(entry, matching)
                        if deeper:
                            waiting.append(GlobDirectory(entry.path, deeper, is_inside))
                        elif is_inside and len(self._parts) - 1 in matching:
                            files.append(self._examine(entry))
                    yield [found for found in files if found]
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._note(place.directory, error)

    def _match(self, entry: "os.DirEntry[str]", states: frozenset[int]) -> list[int]:
        """Return the parts of the glob that an entry's name matches."""
        name = encode_name(entry.name)
        matching = [state for state in states if self._matchers[state](name)]
        return [] if matching and self._is_excluded(entry.path) else matching

    def _find_deeper(self, entry: "os.DirEntry[str]", matching: list[int]) -> frozenset[int]:
        """Return the parts that may match below an entry; empty if it is not a directory."""
        deeper: set[int] = set()
        for state in matching:
            if self._parts[state] == ANY_DEPTH:
                if entry.is_dir(follow_symlinks=False):
                    deeper |= self._close(state)
            elif state + 1 < len(self._parts) and entry.is_dir():
                deeper |= self._close(state + 1)
        return frozenset(deeper)

    def _examine(self, entry: "str | os.DirEntry[str]") -> FoundFile | None:
        """Return the file of an entry, or None if it is not a regular file, or is gone."""
        try:
            status = os.stat(entry) if isinstance(entry, str) else entry.stat()
        except (FileNotFoundError, NotADirectoryError):
            if os.path.islink(entry):
                self._add(os.fspath(entry), "a link to a file that is not there")
            return None
        except OSError as error:
            self._note(os.fspath(entry), error)
            return None
        if stat.S_ISREG(status.st_mode):
            return describe(os.fspath(entry), status)
        # A directory that a wildcard happens to match is not worth reporting.
        if isinstance(entry, str) or not stat.S_ISDIR(status.st_mode):
            self._add(os.fspath(entry), "not a regular file")
        return None

    def _is_excluded(self, path: str) -> bool:
        name = encode_name(path)
        return any(matches(name) for matches in self._excluded)

    def _note(self, path: str, error: OSError) -> None:
        self.is_complete = False
        self._add(path, error.strerror or str(error))

    def _add(self, path: str, reason: str) -> None:
        if len(self.faults) < KEPT_FAULTS:
            mtime_ns = 0
            with suppress(OSError):
                mtime_ns = os.lstat(path).st_mtime_ns
            self.faults.append(UnreadablePath(path, reason, mtime_ns))


def find_renamed(directory: str, inodes: set[tuple[int, int]]) -> list[FoundFile]:
    """Return the files of a directory with these devices and inodes, whatever their names."""
    numbers = {number for _, number in inodes}
    files = []
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if entry.inode() in numbers and entry.is_file(follow_symlinks=False):
                found = describe(entry.path, entry.stat())
                if (found.device, found.inode) in inodes:
                    files.append(found)
    return files


def describe(path: str, status: os.stat_result) -> FoundFile:
    return FoundFile(path, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def match_name(part: str) -> Callable[[bytes], object]:
    """Return a test whether a name matches one part of a glob."""
    if not MAGIC & set(part):
        written = encode_name(part)
        return lambda name: name == written
    search = compile_search(translate(part), part, whole=True)
    if part.startswith("."):
        return search
    return lambda name: not name.startswith(b".") and search(name)


def match_path(glob: str) -> Callable[[bytes], object]:
    """Return a test whether a path, or a directory above it, matches a glob; a relative glob may match anywhere."""
    rooted = glob if glob.startswith("/") else f"/{ANY_DEPTH}/{glob}"
    expression = ""
    for part in rooted.strip("/").split("/"):
        expression += "(?:/[^/]+)*" if part == ANY_DEPTH else "/" + translate(part)
    return compile_search(f"{expression}(?:/.*)?", glob, whole=True)


def encode_name(name: str) -> bytes:
    """Return a name as text for patterns: bytes that are not UTF-8 match as any character."""
    return name.encode(errors="replace")


def translate(part: str) -> str:
    """Return one part of a glob as a regular expression."""
    expression, at = "", 0
    while at < len(part):
        character = part[at]
        at += 1
        closing = part.find("]", at + 1)
        if character == "*":
            expression += "[^/]*"
        elif character == "?":
            expression += "[^/]"
        elif character == "[" and closing > 0:
            inside = part[at:closing].replace("\\", r"\\").replace("[", r"\[")
            expression += f"[^{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]"
            at = closing + 1
        else:
            expression += f"\\{character}" if character in SPECIAL else character
    return expression


def show_path(path: str) -> str:
    """Return a path as text, even if it is not UTF-8."""
    return os.fsencode(path).decode(errors="backslashreplace")

"""What a poller remembers about the files of its source; everything that must last is in the store's marks.

A file that is not remembered is recognised by its marks, first its own, then those of its content.
"""

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum

from msgspec import field

from logboom.base.clock import NS_PER_S
from logboom.base.structs import MutableStruct
from logboom.sources.files.discover import FoundFile
from logboom.sources.files.identity import (
    START,
    FindMark,
    Inode,
    MarkNames,
    Reached,
    list_names,
    name_marks,
)
from logboom.sources.files.streams import Stream

FRESH_NS = NS_PER_S
"""A file changed this recently may still be changing: its time is set before its size."""
IDLE_NS = 2 * NS_PER_S
"""Copying or compressing a file never pauses for this long."""


class KnownFile(MutableStruct):
    """A file as it was when it was last read."""

    path: str
    size: int
    mtime_ns: int
    is_packed: bool
    reached: Reached = START
    here: str = ""
    """The mark name of the content up to the read position."""
    names: MarkNames | None = None
    """The names of the marks that were set last."""
    is_over: bool = False
    """Whether these belong to the file's previous content."""
    since: int = 0
    """The poll that started reading it; 0 if that was in an earlier process."""
    has_rest: bool = False
    fault: str = ""
    is_whole: bool = True
    is_renamed: bool = False
    """Whether it had another path before, as after a rotation."""
    directives: bytes | None = None
    format: str = ""
    """What `auto` detected."""
    confidence: float = 0.0

    def is_same(self, found: FoundFile) -> bool:
        return (found.size, found.mtime_ns) == (self.size, self.mtime_ns)

    def move(self, path: str) -> None:
        """Note the path. Of a file that was renamed the last line is still to be read."""
        if path != self.path:
            self.path, self.is_renamed = path, True
            is_read = self.is_packed or self.reached.offset >= self.size
            self.has_rest = self.has_rest or not is_read


class Candidate(MutableStruct):
    """A file that is about to be read."""

    found: FoundFile
    stream: Stream
    head: bytes
    is_settled: bool
    """Whether it is unchanged since the last poll."""
    is_idle: bool
    """Whether that was long ago."""

    @property
    def inode(self) -> Inode:
        return self.found.device, self.found.inode


class Resolved(MutableStruct):
    """Where to start, and which marks are set; `is_over` if they belong to the file's previous content."""

    reached: Reached
    names: MarkNames | None
    since: int
    is_over: bool = False


class Undecided(Enum):
    """Why it is not yet known where to start."""

    WAIT = "the file is being changed right now"
    DOUBT = "it may be a copy of another file: decided when all others are known"


class Memory(MutableStruct):
    """Files by device and inode."""

    files: dict[Inode, KnownFile] = field(default_factory=dict)
    waiting: dict[Inode, tuple[FoundFile, int]] = field(default_factory=dict)
    """Files that are not read yet, with their state and since when it is unchanged."""
    number: int = 0
    """The number of the poll."""
    _owners: "dict[str, list[KnownFile]] | None" = None
    _gone: set[tuple[str, str]] = field(default_factory=set)
    """The paths and contents of files that no longer exist."""

    def begin(self) -> None:
        self.number += 1
        self._owners = None

    def know_owners(self, listed: Iterable[Inode]) -> None:
        """Learn which of the existing files have which content."""
        present = set(listed)
        self._gone = set()
        owners: defaultdict[str, list[KnownFile]] = defaultdict(list)
        for inode, known in self.files.items():
            if known.names and inode not in present:
                self._gone.add((known.path, known.names.content))
            elif known.names and not known.is_over:
                owners[known.names.content].append(known)
        self._owners = owners

    def wait(self, found: FoundFile, now_ns: int) -> None:
        """Postpone a file."""
        if not self._is_waiting(found):
            self.waiting[found.device, found.inode] = found, now_ns

    def is_settled(self, found: FoundFile) -> bool:
        """Return whether a file is unchanged since the last poll."""
        known = self.files.get((found.device, found.inode))
        return known.is_same(found) if known else self._is_waiting(found)

    def is_idle(self, found: FoundFile, now_ns: int) -> bool:
        """Return whether a postponed file has not changed for long."""
        if not self._is_waiting(found):
            return False
        return now_ns - self.waiting[found.device, found.inode][1] >= IDLE_NS

    def _is_waiting(self, found: FoundFile) -> bool:
        before, _ = self.waiting.get((found.device, found.inode), (None, 0))
        return before is not None and before[3:] == found[3:]

    def resolve(self, candidate: Candidate, find: FindMark, now_ns: int) -> Resolved | Undecided:
        """Return where to start reading a file."""
        known = self.files.get(candidate.inode)
        if known:
            resolved = self._follow(candidate, known, now_ns)
            if resolved:
                return resolved
            known.is_over = True
        names = list_names(candidate.inode, candidate.head)
        for each in names:
            reached = Reached.decode(find(each.own) or 0)
            if reached.offset and reached.fits(candidate.stream):
                return Resolved(reached, each, 0)
        for each in names:
            reached = Reached.decode(find(each.content) or 0)
            if reached.offset:
                return self._compare(candidate, reached, each)
        return self._begin(known)

    def _begin(self, known: KnownFile | None = None) -> Resolved:
        return Resolved(START, known.names if known else None, self.number, is_over=True)

    def _follow(
        self, candidate: Candidate, known: KnownFile, now_ns: int
    ) -> Resolved | Undecided | None:
        """Continue a remembered file; return None if it has become another one."""
        found, reached = candidate.found, known.reached
        if not reached.offset and found.path != known.path:
            return None  # of an empty file only the inode is the same
        here = name_marks(candidate.inode, candidate.head, reached.offset).content
        if found.size < known.size or here != known.here or not reached.fits(candidate.stream):
            return None
        if found.size == known.size and found.mtime_ns > known.mtime_ns:
            if 0 <= now_ns - found.mtime_ns < FRESH_NS:
                return Undecided.WAIT
            return self._begin(known)
        return Resolved(reached, known.names, known.since, known.is_over)

    def _compare(
        self, candidate: Candidate, reached: Reached, names: MarkNames
    ) -> Resolved | Undecided:
        """Decide about a file that starts like one that was read: the same one, moved or compressed, or a duplicate."""
        if self._owners is None:
            return Undecided.DOUBT
        owners = [
            owner
            for owner in self._owners.get(names.content, ())
            if owner.is_packed == candidate.stream.is_packed
        ]
        if not owners:
            is_made_anew = (candidate.found.path, names.content) in self._gone
            if reached.fits(candidate.stream) and not is_made_anew:
                return Resolved(reached, names, 0)
            return self._begin()
        if any(owner.since < self.number for owner in owners) and not candidate.is_idle:
            return Undecided.WAIT  # it may be in the process of being copied and then truncated
        return self._begin()

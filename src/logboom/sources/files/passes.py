"""The work of a poller, step by step, in any thread: find files, read them, collect batches to deliver."""

import logging
import os
from collections import defaultdict
from collections.abc import Generator, Iterator
from heapq import nlargest

from msgspec import field
from prometheus_client import Counter

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.errors import LogboomError, NotFound
from logboom.base.structs import MutableStruct
from logboom.control.saved.sources import FileStatus, Source
from logboom.formats.reader import Options
from logboom.model.batch import Lines
from logboom.sources.files.discover import (
    KEPT_FAULTS,
    Discovery,
    FoundFile,
    UnreadablePath,
    find_renamed,
    show_path,
)
from logboom.sources.files.identity import HEAD_BYTES, Inode, MarkNames, Reached, name_marks
from logboom.sources.files.marks import REVIEW_NS, name_prefix, review
from logboom.sources.files.memory import Candidate, KnownFile, Memory, Undecided
from logboom.sources.files.reading import FileReading, ReadEvents
from logboom.sources.files.streams import open_stream
from logboom.sources.roots import Roots
from logboom.store.store import Store

log = logging.getLogger(__name__)

BATCH_BYTES = 4 * 1024 * 1024
BATCH_LINES = 10_000
SLICE_FILES = 100
"""This many files are examined before other work gets a turn."""
SHOWN_FILES = 1_000
ENDS_EARLY = "the compressed file ends too early, or is still being written"
FOLLOWED_NS = 600 * NS_PER_S
"""A file that was renamed to a name outside the source is followed for this long after its last change."""
QUIET_NS = 600 * NS_PER_S
"""For this long after its last change a file with only a header may still become a table."""

ENDED_NS = 60 * NS_PER_S
"""A file that was renamed is complete when it has not changed for this long."""

NEVER_READ = -1
"""The size recorded for a file that was not read to its end, so that it is examined again."""

read_bytes = Counter("logboom_source_read_bytes", "Bytes of files that pull sources have read")
lost_bytes = Counter(
    "logboom_source_lost_bytes", "Bytes of files that were gone before pull sources had read them"
)


class Batch(MutableStruct):
    """What is delivered at once: pieces of one or many files, and the positions after them."""

    pieces: list[Lines] = field(default_factory=list)
    marks: dict[str, int] = field(default_factory=dict)
    lines: int = 0
    size_bytes: int = 0

    @property
    def is_empty(self) -> bool:
        return not self.pieces and not self.marks

    def has_room(self, lines: int, size_bytes: int) -> bool:
        fits = self.lines + lines <= BATCH_LINES and self.size_bytes + size_bytes <= BATCH_BYTES
        return fits or not self.pieces

    def add(self, lines: Lines, count: int, size_bytes: int) -> None:
        self.pieces.append(lines)
        self.lines += count
        self.size_bytes += size_bytes


Steps = Generator[Batch, None, Undecided | None]

PAUSE = Batch()
"""Nothing to deliver; lets other work run."""


class Pass:
    """Repeated passes over the files of a source. One thread at a time."""

    def __init__(self, source: Source, store: Store, roots: Roots, clock: Clock) -> None:
        self._source = source
        self._store = store
        self._roots = roots
        self._clock = clock
        self._prefix = name_prefix(source.id, source.generation)
        self._memory = Memory()
        self._batch = Batch()
        self._renamed: set[Inode] = set()
        self._is_new = True
        self._reviewed_ns = 0
        self.current_file = ""
        self.faults: list[UnreadablePath] = []
        self.files = 0
        self.size_bytes = 0

    def work(self) -> "Generator[Batch, None, None]":
        """Yield one pass, in steps; each batch must be delivered before the next step.

        If that fails, call `forget`.
        """
        self.faults, self.files, self.size_bytes = [], 0, 0
        self._batch = Batch()
        if self._is_new:
            self._store.refresh()  # marks of other nodes count too
            self._is_new = False
        self._memory.begin()
        files: list[FoundFile] = []
        admits = self._roots.look().admits
        discovery = Discovery(self._source.path, self._source.exclude, admits)
        for some in discovery.walk():
            files += some
            yield PAUSE
        self.faults += discovery.faults
        listed = arrange(files)
        self.files = len(listed)
        followed = self._follow_renamed(listed)
        yield from self._read_files([*followed, *listed.values()])
        if self._batch.pieces:
            yield self._batch
        self.current_file = ""
        self._drop_missing(listed.keys() | self._renamed)
        unknown = (found.size for inode, found in listed.items() if inode not in self._memory.files)
        if discovery.is_complete and not any(unknown):
            yield from self._review_marks()

    def _review_marks(self) -> Iterator[Batch]:
        """Record in the store which files are gone, once all others are known; forget those gone for long."""
        now_ns = self._clock()
        if now_ns - self._reviewed_ns < REVIEW_NS:
            return
        self._reviewed_ns = now_ns
        marks = self._store.list_marks(f"{self._source.id}.")
        names = (known.names for known in self._memory.files.values() if known.names)
        present = {self._prefix + name for each in names for name in each}
        for changes in review(marks, self._source.generation, present, now_ns):
            yield Batch(marks=dict(changes))

    def forget(self) -> None:
        """Drop everything that is not in the store."""
        self._memory.files.clear()
        self._is_new = True
        self.current_file = ""

    @property
    def files_known(self) -> int:
        return len(self._memory.files)

    def list_files(self) -> tuple[FileStatus, ...]:
        """Return how far files were read: unreadable ones first, then the last changed ones."""
        files = {known.path: known for known in self._memory.files.values()}
        failed = {
            fault.path: describe_failed(fault, files.pop(fault.path, None)) for fault in self.faults
        }
        newest = nlargest(SHOWN_FILES, files.values(), key=lambda known: known.mtime_ns)
        return (*failed.values(), *(describe_read(known) for known in newest))

    def _follow_renamed(self, listed: dict[Inode, FoundFile]) -> list[FoundFile]:
        """Return files that were renamed within their directory: their writer may still have them open."""
        missing: defaultdict[str, set[Inode]] = defaultdict(set)
        for inode, known in self._memory.files.items():
            if inode not in listed:
                missing[os.path.dirname(known.path)].add(inode)
        followed = []
        for directory, inodes in missing.items():
            for found in find_renamed(directory, inodes):
                known = self._memory.files[found.device, found.inode]
                is_recent = self._clock() - found.mtime_ns < FOLLOWED_NS
                if known.has_rest or is_recent or not known.is_same(found):
                    followed.append(found)
        self._renamed = {(found.device, found.inode) for found in followed}
        return followed

    def _read_files(self, files: list[FoundFile]) -> Iterator[Batch]:
        doubtful: list[FoundFile] = []
        for turn, found in enumerate(files):
            if turn % SLICE_FILES == 0:
                yield PAUSE
            if (yield from self._read_file(found)) is Undecided.DOUBT:
                doubtful.append(found)
        if doubtful:
            self._memory.know_owners((found.device, found.inode) for found in files)
        for found in doubtful:
            yield from self._read_file(found)

    def _read_file(self, found: FoundFile) -> Steps:
        known = self._memory.files.get((found.device, found.inode))
        if known and known.is_same(found):
            known.move(found.path)
            if not known.has_rest:
                self._note(found, known.fault)
                return None
        if not known and not found.size:
            return None
        try:
            return (yield from self._open(found))
        except NotFound:
            return None
        except LogboomError as error:
            self._note(found, error.message)
        except OSError as error:
            self._note(found, error.strerror or str(error))
        return None

    def _open(self, found: FoundFile) -> Steps:
        inode = found.device, found.inode
        with self._roots.open_file(found.path) as file:
            status = os.fstat(file.fileno())
            if (status.st_dev, status.st_ino) != inode:
                return None  # replaced by another file: the next pass will find it
            stream = open_stream(file.fileno(), self._source.compression)
            memory, now_ns = self._memory, self._clock()
            is_settled, is_idle = memory.is_settled(found), memory.is_idle(found, now_ns)
            stream.examine()
            undecided: Undecided | None = Undecided.WAIT
            if stream.is_whole or is_idle:
                head = stream.read_at(0, HEAD_BYTES)
                candidate = Candidate(found, stream, head, is_settled, is_idle)
                undecided = yield from self._read(candidate)
        if undecided is Undecided.WAIT:
            memory.wait(found, now_ns)
        return undecided

    def _read(self, candidate: Candidate) -> Steps:
        found, stream, inode = candidate.found, candidate.stream, candidate.inode
        before = self._memory.files.get(inode)
        resolved = self._memory.resolve(candidate, self._find_mark, self._clock())
        if isinstance(resolved, Undecided):
            return resolved
        if resolved.is_over and inode in self._renamed:
            self._renamed.remove(inode)  # only the inode number is the same
            return None
        self.current_file = show_path(found.path)
        known = KnownFile(
            found.path,
            NEVER_READ,
            found.mtime_ns,
            stream.is_packed,
            reached=resolved.reached,
            here=name_marks(inode, candidate.head, resolved.reached.offset).content,
            names=resolved.names,
            is_over=resolved.is_over,
            since=resolved.since,
        )
        self._memory.files[inode] = known
        self._memory.waiting.pop(inode, None)
        if before and not resolved.is_over:
            known.is_renamed = before.is_renamed or before.path != found.path
        reading = self._make_reading(candidate, known)
        if before and not resolved.is_over:
            reading.directives = before.directives
            known.format, known.confidence = before.format, before.confidence
        for piece in reading.read(known.reached.offset):
            yield from self._add(candidate, known, piece)
            if not stream.is_packed and piece.end >= found.size:
                break  # what is written meanwhile is left for the next pass
        known.size, known.directives = found.size, reading.directives
        if self._source.format == "auto" and reading.choice is not None:
            known.format, known.confidence = reading.choice.name, reading.choice.confidence
        is_waiting = not candidate.is_settled or (known.is_renamed and not reading.is_ended)
        known.has_rest = reading.needs_row or (reading.has_rest and is_waiting)
        known.fault, known.is_whole = stream.fault, stream.is_whole
        self._note(found, known.fault)
        return None

    def _note(self, found: FoundFile, reason: str) -> None:
        if reason and len(self.faults) < KEPT_FAULTS:
            self.faults.append(UnreadablePath(found.path, reason, found.mtime_ns))

    def _make_reading(self, candidate: Candidate, known: KnownFile) -> FileReading:
        source, fold, now_ns = self._source, self._source.multiline, self._clock()
        options = Options(source.grok, now_ns=now_ns)
        if fold:
            options = Options(source.grok, fold.pattern, fold.max_lines, now_ns)
        is_new = 0 <= now_ns - candidate.found.mtime_ns < QUIET_NS
        is_quiet = candidate.stream.is_packed or not is_new
        is_ended = known.is_renamed and now_ns - candidate.found.mtime_ns >= ENDED_NS
        return FileReading(
            candidate.stream, source.format, options, candidate.is_settled, is_quiet, is_ended
        )

    def _find_mark(self, name: str) -> int | None:
        mark = self._batch.marks.get(self._prefix + name)
        if mark is None:
            mark = self._store.find_mark(self._prefix + name)
        return None if mark is None else abs(mark)

    def _add(self, candidate: Candidate, known: KnownFile, piece: ReadEvents) -> Iterator[Batch]:
        """Add a piece and its position to the batch; return the previous batch if that is full."""
        reached = Reached.at(candidate.stream, piece.end)
        size_bytes = piece.end - known.reached.offset
        if len(candidate.head) < min(piece.end, HEAD_BYTES):
            candidate.head = candidate.stream.read_at(0, HEAD_BYTES)  # it has grown meanwhile
        names = name_marks(candidate.inode, candidate.head, piece.end)
        if piece.lines.data:
            count = piece.lines.data.count(b"\n") + 1
            if not self._batch.has_room(count, size_bytes):
                full, self._batch = self._batch, Batch()
                yield full
            self._batch.add(self._sign(piece.lines, known.path), count, size_bytes)
            self._mark(known, names, reached)
        known.reached, known.here = reached, names.content
        self.size_bytes += size_bytes
        read_bytes.inc(size_bytes)

    def _sign(self, lines: Lines, path: str) -> Lines:
        """Name the path of the file as the origin of events without one, unless the source has a tag."""
        return lines if self._source.source else lines.come_from(show_path(path))

    def _mark(self, known: KnownFile, names: MarkNames, reached: Reached) -> None:
        """Set the marks of a file, and delete those that they replace."""
        marks, before = self._batch.marks, known.names
        if before and before.own != names.own:
            marks[self._prefix + before.own] = 0
        # Its previous content may come back as a copy, which will need this mark.
        if before and before.content != names.content and not known.is_over:
            marks[self._prefix + before.content] = 0
        for name in names:
            marks[self._prefix + name] = reached.encode()
        known.names, known.is_over = names, False

    def _drop_missing(self, present: set[Inode]) -> None:
        """Forget files that are gone; their unread rest is lost, unless another file contains it."""
        files = self._memory.files
        gone = [files.pop(inode) for inode in files.keys() - present]
        for inode in self._memory.waiting.keys() - present:
            del self._memory.waiting[inode]
        held = {known.names.content for known in files.values() if known.names} if gone else set()
        for known in gone:
            unread = 0 if known.is_packed else known.size - known.reached.offset
            if unread > 0 and not (known.names and known.names.content in held):
                lost_bytes.inc(unread)
                log.warning(
                    "a file was removed before it was read to its end",
                    extra={"path": show_path(known.path), "unread_bytes": unread},
                )


def describe_read(known: KnownFile) -> FileStatus:
    """Return a file's status; one that is compressed and lacks its end may still be written, which is no failure."""
    error = "" if known.is_whole else ENDS_EARLY
    return describe_known(known, error)


def describe_failed(fault: UnreadablePath, known: KnownFile | None) -> FileStatus:
    """Return the status of a file that failed; it is known if some of it could be read."""
    if known is not None:
        return describe_known(known, fault.reason)
    return FileStatus(show_path(fault.path), 0, fault.mtime_ns, error=fault.reason)


def describe_known(known: KnownFile, error: str) -> FileStatus:
    return FileStatus(
        show_path(known.path),
        known.reached.offset,
        known.mtime_ns,
        known.format,
        known.confidence,
        error,
    )


def arrange(files: list[FoundFile]) -> dict[Inode, FoundFile]:
    """Return each file once, whatever its names; the least recently changed first."""
    arranged: dict[Inode, FoundFile] = {}
    for found in sorted(files, key=lambda found: (found.mtime_ns, found.path)):
        arranged.setdefault((found.device, found.inode), found)
    return arranged

"""Earlier answers by idempotency key: a repeated key gets the same answer and stores nothing.

A key is durable in the write-ahead log with its batch, and moves to the journal here before the log's segment is
deleted. A bulk load has no log record: its key is journalled with the path of its first block, and counts only if
that block was committed, whatever happened to it since. The journal contains digests instead of keys, and at most
twice as much as `answer_memory`.
"""

import logging
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import google_crc32c
import msgspec

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.files import append_synced, replace_file
from logboom.base.versions import ANSWERS, check_version, parse_version
from logboom.store.idempotency.memory import AnswerMemory, IngestAnswer, digest_key

log = logging.getLogger(__name__)

REWRITE_AFTER_BYTES = 1024 * 1024


class Heading(msgspec.Struct, frozen=True):
    """The first line of the journal; journals of the first release have none."""

    format: str


class JournalLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the journal. Older ones have the key instead of its digest."""

    time_ns: int
    ingested: int
    errors: int
    partitions: list[str]
    block: str | None = None
    sender: str = ""
    digest: str = ""
    key: str = ""

    @classmethod
    def of(cls, digest: bytes, answer: IngestAnswer) -> "JournalLine":
        members = msgspec.structs.asdict(answer) | {"digest": digest.hex(), "key": ""}
        return cls(**members)

    def find_digest(self) -> bytes:
        return bytes.fromhex(self.digest) if self.digest else digest_key(self.key)


class Answers:
    """Remembers answers for `hours`, while they fit in `size_bytes`. Thread-safe."""

    def __init__(
        self,
        path: Path,
        hours: float,
        size_bytes: int,
        clock: Clock,
        was_committed: Callable[[str], bool],
    ) -> None:
        self._path = path
        self._clock = clock
        self._was_committed = was_committed
        self._lock = threading.Lock()
        self._memory = AnswerMemory(int(hours * 3600 * NS_PER_S), size_bytes)
        # A separate lock, so that looking up a key never waits for the disk.
        self._file_lock = threading.Lock()
        self._rewritten_bytes = 0
        self._appended_bytes = 0
        self._is_torn = False

    def check_format(self) -> None:
        """Raise TooNew if a newer build wrote the journal in a format that this one cannot read."""
        check_journal(self._path)

    def open(self) -> None:
        """Read the journal; forget what is expired, exceeds the limit, or was never committed."""
        if self._path.exists():
            with self._path.open("rb") as lines:
                for number, line in enumerate(lines):
                    if number > 0 or not is_heading(self._path, line):
                        self._read_line(line)
        with self._file_lock:
            try:
                self._rewrite()
            except OSError:
                # The journal's contents are loaded; it is rewritten with the next answers.
                log.exception("idempotency journal not rewritten")
                self._is_torn = True

    def _read_line(self, line: bytes) -> None:
        try:
            entry = decode_line(line)
            digest = entry.find_digest()
        except ValueError as error:
            extra = {"bytes": len(line), "reason": str(error)}
            log.warning("idempotency journal has a damaged line", extra=extra)
            return
        members = msgspec.structs.asdict(entry)
        del members["digest"]
        answer = IngestAnswer(**members)
        if self._counts(answer):
            self._keep(digest, msgspec.structs.replace(answer, block=None))

    def find(self, key: str) -> IngestAnswer | None:
        with self._lock:
            answer = self._memory.find(key, self._clock())
        return answer if answer is not None and self._counts(answer) else None

    def _counts(self, answer: IngestAnswer) -> bool:
        return answer.block is None or self._was_committed(answer.block)

    def remember(self, answer: IngestAnswer) -> None:
        """Keep an answer that something else makes durable."""
        self._keep(digest_key(answer.key), answer)

    def _keep(self, digest: bytes, answer: IngestAnswer) -> None:
        with self._lock:
            self._memory.keep(digest, answer, self._clock())

    def journal(self, answers: list[IngestAnswer]) -> None:
        """Keep answers and make them durable here; may be repeated with the same ones."""
        if not answers:
            return
        for answer in answers:
            self.remember(answer)
        with self._file_lock:
            most_bytes = max(REWRITE_AFTER_BYTES, self._rewritten_bytes)
            if self._is_torn or self._appended_bytes > most_bytes:
                self._rewrite()
            else:
                self._append(answers)

    def _append(self, answers: list[IngestAnswer]) -> None:
        lines = encode_lines((digest_key(answer.key), answer) for answer in answers)
        # A line that fails half-way would corrupt the next one, so everything is rewritten then.
        self._is_torn = True
        append_synced(self._path, lines)
        self._is_torn = False
        self._appended_bytes += len(lines)

    def _rewrite(self) -> None:
        """Rewrite the journal without what is forgotten."""
        with self._lock:
            self._memory.drop_old(self._clock())
            kept = list(self._memory)
        lines = msgspec.json.encode(Heading(str(ANSWERS))) + b"\n" + encode_lines(kept)
        replace_file(self._path, lines)
        self._is_torn = False
        self._rewritten_bytes, self._appended_bytes = len(lines), 0


def encode_lines(answers: Iterable[tuple[bytes, IngestAnswer]]) -> bytes:
    return b"".join(encode_line(JournalLine.of(digest, answer)) for digest, answer in answers)


def encode_line(entry: JournalLine) -> bytes:
    """Return JSON, a tab and its checksum."""
    text = msgspec.json.encode(entry)
    return b"%b\t%08x\n" % (text, google_crc32c.value(text))


def decode_line(line: bytes) -> JournalLine:
    """Decode a line; raise ValueError if it is damaged. Lines of the first release have no checksum."""
    text, tab, checksum = line.rstrip(b"\n").rpartition(b"\t")
    if not tab:
        return msgspec.json.decode(line, type=JournalLine)
    if checksum != b"%08x" % google_crc32c.value(text):
        raise ValueError("its checksum is wrong")
    return msgspec.json.decode(text, type=JournalLine)


def check_journal(path: Path) -> None:
    """Raise TooNew if a newer build wrote the journal in a format that this one cannot read; it may be missing."""
    if path.exists():
        with path.open("rb") as lines:
            is_heading(path, lines.readline())


def is_heading(path: Path, line: bytes) -> bool:
    try:
        version = parse_version(msgspec.json.decode(line, type=Heading).format)
    except ValueError:
        return False
    check_version(str(path), version, ANSWERS)
    return True

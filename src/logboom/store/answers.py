"""Answers already given, by idempotency key: the same key gets the same answer and stores nothing again.

A key is durable in the write-ahead log with its batch, and moves to the journal here before the log's
segment goes. A bulk load has no log record: its key is journalled with the path of its first block, and
counts only if the catalog knows that block.
"""

import logging
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.files import append_synced, replace_file

log = logging.getLogger(__name__)

REWRITE_AFTER = 10_000


class Answer(msgspec.Struct, frozen=True):
    """What was answered to the request that carried `key`; `block` where it counts only with that block."""

    key: str
    time_ns: int
    ingested: int
    errors: int
    partitions: list[str]
    block: str | None = None


class Answers:
    """Remembers answers for `hours`. May be called from any thread."""

    def __init__(
        self, path: Path, hours: float, clock: Clock, is_live: Callable[[str], bool]
    ) -> None:
        self._path = path
        self._keep_ns = int(hours * 3600 * NS_PER_S)
        self._clock = clock
        self._is_live = is_live
        self._lock = threading.Lock()
        self._answers: dict[str, Answer] = {}
        # Apart from the other, so that nobody who looks a key up waits for the disk.
        self._file_lock = threading.Lock()
        self._rewritten = 0
        self._appended = 0
        self._is_torn = False

    def open(self) -> None:
        """Read the journal; forget what is too old or was never committed."""
        if self._path.exists():
            for line in self._path.read_bytes().splitlines():
                try:
                    answer = msgspec.json.decode(line, type=Answer)
                except msgspec.MsgspecError:
                    log.warning("idempotency journal has a torn line", extra={"bytes": len(line)})
                    continue
                if self._counts(answer):
                    self.remember(msgspec.structs.replace(answer, block=None))
        with self._file_lock:
            self._rewrite()

    def find(self, key: str) -> Answer | None:
        with self._lock:
            answer = self._answers.get(key)
        if answer is None or not self._counts(answer):
            return None
        return answer if answer.time_ns >= self._clock() - self._keep_ns else None

    def _counts(self, answer: Answer) -> bool:
        return answer.block is None or self._is_live(answer.block)

    def remember(self, answer: Answer) -> None:
        """Keep an answer whose durability is somebody else's care."""
        with self._lock:
            self._answers[answer.key] = answer

    def journal(self, answers: list[Answer]) -> None:
        """Keep answers and make them durable here; may be tried again with the same ones."""
        if not answers:
            return
        for answer in answers:
            self.remember(answer)
        with self._file_lock:
            if self._is_torn or self._appended > max(REWRITE_AFTER, self._rewritten):
                self._rewrite()
            else:
                self._append(answers)

    def _append(self, answers: list[Answer]) -> None:
        # A line that fails half-way would spoil the one after it: then all are written anew.
        self._is_torn = True
        append_synced(self._path, encode_lines(answers))
        self._is_torn = False
        self._appended += len(answers)

    def _rewrite(self) -> None:
        """Write the journal anew without what is too old."""
        oldest_ns = self._clock() - self._keep_ns
        with self._lock:
            self._answers = {
                key: answer for key, answer in self._answers.items() if answer.time_ns >= oldest_ns
            }
            kept = list(self._answers.values())
        replace_file(self._path, encode_lines(kept))
        self._is_torn = False
        self._rewritten, self._appended = len(kept), 0


def encode_lines(answers: list[Answer]) -> bytes:
    return b"".join(msgspec.json.encode(answer) + b"\n" for answer in answers)

"""Named control documents in the object store, one immutable object per generation.

A change is made by creating generation N+1; anybody else who tries gets Conflict. So any number of processes can
share the store.
"""

import logging
import os
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from logboom.base.errors import Conflict, Corrupt, NotFound, Overtaken, Unavailable
from logboom.base.stores.layout import CONTROL_NOTE, LOG_FOLDER
from logboom.base.stores.objects import ObjectStore
from logboom.control.documents.cipher import Cipher

log = logging.getLogger(__name__)

FOLDER = "control"
GENERATION_DIGITS = 12
KEPT_GENERATIONS = 5
KEPT_WRITES = 256
READ_ATTEMPTS = 10

WRITE_BYTES = 6
CONTENT = re.compile(rb"([0-9a-f]{12}(?: [0-9a-f]{12})*)\n(.*)", re.DOTALL)
"""The ids of the last writes that led to a document, and its body."""


@dataclass(frozen=True)
class Document:
    generation: int
    body: bytes
    writes: tuple[bytes, ...] = field(default=(), compare=False, repr=False)
    """The writes that led to it; the last of them made this generation."""


class Listing(threading.local):
    """The generations of every document, by its name, while a thread goes through all of them."""

    found: dict[str, list[int]] | None = None


class Documents:
    """Reads the newest generation, writes the next one. Thread-safe.

    A store that cannot be read raises Unavailable; it never looks like a missing document.
    """

    def __init__(self, objects: ObjectStore, cipher: Cipher) -> None:
        self._objects = objects
        self._cipher = cipher
        self._known_writes: dict[str, tuple[int, tuple[bytes, ...]]] = {}
        """The generation last read or written, by document name."""
        self._listing = Listing()

    @contextmanager
    def listed_once(self) -> Iterator[None]:
        """Let this thread list all documents once, instead of listing each of them, while the context lasts."""
        found: dict[str, list[int]] = {}
        with _translated("list"):
            for entry in self._objects.list_below(FOLDER):
                name, _, generation = entry.rpartition("/")
                found.setdefault(name, []).extend(parse_generations([generation]))
        self._listing.found = found
        try:
            yield
        finally:
            self._listing.found = None

    def find_generation(self, name: str) -> int:
        """Return the newest generation, without reading it; 0 if the document was never written."""
        with _translated(name):
            return max(self._list_following(name), default=0)

    def read(self, name: str) -> Document | None:
        """Return the newest generation, or None if the document was never written."""
        with _translated(name):
            for _ in range(READ_ATTEMPTS):
                generations = self._list_following(name)
                if not generations:
                    return None
                # Writers may overtake us and delete what we have just listed.
                with suppress(NotFound):
                    return self._read_generation(name, generations[-1])
                self._listing.found = None
        raise Unavailable(f"control document {name} keeps vanishing while it is read")

    def write(self, name: str, body: bytes, expected_generation: int) -> int:
        """Store the generation after `expected_generation` (0: none yet), durable on return.

        Raise Conflict if the newest generation is another one.
        """
        generation = expected_generation + 1
        object_name = name_object(name, generation)
        write = os.urandom(WRITE_BYTES).hex().encode()
        with _translated(name):
            if max(self._list_generations(name), default=0) != expected_generation:
                raise _changed(name, expected_generation)
            try:
                writes = (*self._list_writes(name, expected_generation), write)[-KEPT_WRITES:]
                content = b" ".join(writes) + b"\n" + body
                self._objects.put_new(object_name, self._cipher.seal(object_name, content))
            except (Conflict, NotFound) as error:
                raise _changed(name, expected_generation) from error
            newest = self._delete_old_generations(name, generation)
        # Others wrote so much since we looked that our generation may have been used and deleted before us.
        is_doubtful = generation <= newest - KEPT_GENERATIONS
        if is_doubtful and not self._has_write(name, generation, write):
            raise _changed(name, expected_generation)
        self._known_writes[name] = generation, writes
        return generation

    def note_change(self) -> None:
        """Leave a note for the other nodes of a bucket; if that fails, they find the change some minutes later."""
        if not self._objects.is_remote:
            return
        try:
            self._objects.replace(
                f"{LOG_FOLDER}/{CONTROL_NOTE}", os.urandom(WRITE_BYTES).hex().encode()
            )
        except (OSError, Unavailable):
            log.warning("other nodes could not be told that control documents changed")

    def list_names(self) -> list[str]:
        """Return the names of all documents that were ever written."""
        with _translated("list"):
            return [name for name in self._objects.list(FOLDER) if self._list_generations(name)]

    def forget_history(self, name: str) -> None:
        """Delete all generations but the newest; nobody else may be writing."""
        with _translated(name):
            for generation in self._list_generations(name)[:-1]:
                self._objects.delete(name_object(name, generation))

    def _list_following(self, name: str) -> list[int]:
        """Return the existing generations; raise Corrupt if one that this process has seen is gone without a successor.

        Otherwise a deleted document would open the first-run setup again, or undo changes.
        """
        # Looked up before listing, so that concurrent writes are not missed.
        known, _ = self._known_writes.get(name, (0, ()))
        if self._listing.found is not None:
            listed = self._listing.found.get(name, [])
            if max(listed, default=0) >= known:
                return sorted(listed)
        generations = self._list_generations(name)
        if max(generations, default=0) < known:
            raise Corrupt(f"{FOLDER}/{name}", 0, f"generation {known} was deleted")
        return generations

    def _list_generations(self, name: str) -> list[int]:
        return sorted(parse_generations(self._objects.list(f"{FOLDER}/{name}")))

    def _read_generation(self, name: str, generation: int) -> Document:
        object_name = name_object(name, generation)
        sealed = self._objects.read(object_name)
        content = CONTENT.fullmatch(self._cipher.unseal(object_name, sealed))
        if not content:
            raise Corrupt(object_name, 0, "it is not a control document")
        writes = tuple(content[1].split())
        self._known_writes[name] = generation, writes
        return Document(generation, content[2], writes)

    def _list_writes(self, name: str, generation: int) -> tuple[bytes, ...]:
        """Return the writes that led to a generation; raise NotFound if it was deleted."""
        if not generation:
            return ()
        known, writes = self._known_writes.get(name, (0, ()))
        return writes if known == generation else self._read_generation(name, generation).writes

    def _has_write(self, name: str, generation: int, write: bytes) -> bool:
        """Return whether the document includes a write, even after many others."""
        document = self.read(name)
        if document and write in document.writes:
            return True
        if document and document.generation - generation < KEPT_WRITES:
            return False
        raise Unavailable(
            f"control document {name} was changed so often that it is unknown whether this change was saved"
        )

    def _delete_old_generations(self, name: str, written: int) -> int:
        """Delete all but the newest generations; return the newest one."""
        generations = self._list_generations(name)
        newest = max(generations, default=written)
        for generation in generations:
            if generation <= newest - KEPT_GENERATIONS:
                try:
                    self._objects.delete(name_object(name, generation))
                except (OSError, Unavailable):
                    log.warning(
                        "an old control document could not be deleted", extra={"document": name}
                    )
        return newest


def name_object(name: str, generation: int) -> str:
    return f"{FOLDER}/{name}/{generation:0{GENERATION_DIGITS}d}"


def _changed(name: str, expected_generation: int) -> Overtaken:
    return Overtaken(
        f"control document {name} was changed in the meantime, expected generation {expected_generation}"
    )


@contextmanager
def _translated(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(f"control document {name} is unreachable: {error.strerror}") from error


def parse_generations(entries: Iterable[str]) -> Iterator[int]:
    """Yield the numbers of those entries of a folder that are generations."""
    for entry in entries:
        if len(entry) == GENERATION_DIGITS and entry.isascii() and entry.isdecimal():
            yield int(entry)

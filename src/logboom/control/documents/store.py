"""Named control documents in the object store, one immutable object for each generation.

Whoever creates generation N+1 has made the change; anybody else who wanted to gets Conflict. So any
number of processes may share the store.
"""

import logging
import os
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from logboom.base.errors import Conflict, Corrupt, NotFound, Overtaken, Unavailable
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
"""The last writes that made a document what it is, each a random name, and its body."""


@dataclass(frozen=True)
class Document:
    generation: int
    body: bytes
    writes: tuple[bytes, ...] = field(default=(), compare=False, repr=False)
    """That it is the outcome of: the last of them made this generation."""


class Listing(threading.local):
    """The generations of every document, by its name, while a thread goes through all of them."""

    found: dict[str, list[int]] | None = None


class Documents:
    """Reads the newest generation, writes the next one. May be called from any thread.

    A store that cannot be read raises Unavailable; it never looks like a document that is not there.
    """

    def __init__(self, objects: ObjectStore, cipher: Cipher) -> None:
        self._objects = objects
        self._cipher = cipher
        self._known_writes: dict[str, tuple[int, tuple[bytes, ...]]] = {}
        """Of the generation that was last read or written, by the name of the document."""
        self._listing = Listing()

    @contextmanager
    def listed_once(self) -> Iterator[None]:
        """Inside, this thread looks at one listing of all documents instead of listing each of them."""
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
        """The newest generation, without reading it; 0 when the document was never written."""
        with _translated(name):
            return max(self._list_following(name), default=0)

    def read(self, name: str) -> Document | None:
        """The newest generation; None when the document was never written."""
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

        Conflict when the newest generation is another one.
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
        # Others wrote so much since we looked that our place may have been used and cleared before us.
        is_doubtful = generation <= newest - KEPT_GENERATIONS
        if is_doubtful and not self._has_write(name, generation, write):
            raise _changed(name, expected_generation)
        self._known_writes[name] = generation, writes
        return generation

    def list_names(self) -> list[str]:
        """Every document that was ever written."""
        with _translated("list"):
            return [name for name in self._objects.list(FOLDER) if self._list_generations(name)]

    def forget_history(self, name: str) -> None:
        """Delete all generations but the newest; nobody else may be writing."""
        with _translated(name):
            for generation in self._list_generations(name)[:-1]:
                self._objects.delete(name_object(name, generation))

    def _list_following(self, name: str) -> list[int]:
        """The generations that are there; Corrupt when one that this process has seen is gone and none follows it.

        Otherwise a deleted document would open the first-run setup again, or bring back what was changed.
        """
        # Looked up before listing: what is written meanwhile is not missed.
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
        """That a generation is the outcome of; NotFound when it is cleared by now."""
        if not generation:
            return ()
        known, writes = self._known_writes.get(name, (0, ()))
        return writes if known == generation else self._read_generation(name, generation).writes

    def _has_write(self, name: str, generation: int, write: bytes) -> bool:
        """Whether the document is the outcome of a write, after many others since."""
        document = self.read(name)
        if document and write in document.writes:
            return True
        if document and document.generation - generation < KEPT_WRITES:
            return False
        raise Unavailable(
            f"control document {name} was changed so often meanwhile that nobody knows whether this change counts"
        )

    def _delete_old_generations(self, name: str, written: int) -> int:
        """Returns the newest generation."""
        generations = self._list_generations(name)
        newest = max(generations, default=written)
        for generation in generations:
            if generation <= newest - KEPT_GENERATIONS:
                try:
                    self._objects.delete(name_object(name, generation))
                except (OSError, Unavailable):
                    log.warning("an old control document stays", extra={"document": name})
        return newest


def name_object(name: str, generation: int) -> str:
    return f"{FOLDER}/{name}/{generation:0{GENERATION_DIGITS}d}"


def _changed(name: str, expected_generation: int) -> Overtaken:
    return Overtaken(
        f"control document {name} has changed meanwhile, expected generation {expected_generation}"
    )


@contextmanager
def _translated(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(f"control document {name} is out of reach: {error.strerror}") from error


def parse_generations(entries: Iterable[str]) -> Iterator[int]:
    """The numbers of those entries of a folder that are generations."""
    for entry in entries:
        if len(entry) == GENERATION_DIGITS and entry.isascii() and entry.isdecimal():
            yield int(entry)

"""A typed control document with a copy in memory: reads are free, concurrent edits are not lost."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec
from msgspec import inspect

from logboom.base.errors import Conflict, Corrupt, Overtaken, Unavailable
from logboom.control.documents.store import Document, Documents, name_object
from logboom.control.documents.unknown import Unknown, put_back, set_aside

EDIT_ATTEMPTS = 20

Body = TypeVar("Body", bound=msgspec.Struct)


class Snapshot(Generic[Body]):
    """The newest known generation of one document. Thread-safe."""

    def __init__(
        self,
        documents: Documents,
        name: str,
        empty: Body,
        kind: type[Body] | None = None,
        *,
        is_followed: bool = True,
    ) -> None:
        """`empty` is the body of a document that was never written; `kind` is its type if that is generic.

        Other nodes are told about changes of a document that is followed; any other is refreshed when it is needed.
        """
        self._documents = documents
        self._name = name
        self._is_followed = is_followed
        self._kind: type[Body] = kind or type(empty)
        self._decoder: msgspec.json.Decoder[Body] = msgspec.json.Decoder(self._kind)
        self._lock = threading.RLock()
        self._held = (0, empty)
        self._unknown = Unknown()
        """What a newer build added to the document; preserved when the document is rewritten."""
        self.refresh()

    @property
    def generation(self) -> int:
        """0 if the document was never written."""
        return self._held[0]

    @property
    def body(self) -> Body:
        return self._held[1]

    def refresh(self) -> Body:
        """Look for a newer generation in the store; on failure the copy in memory stays."""
        with self._lock:
            found = self._documents.find_generation(self._name)
            if found < self.generation:
                raise Unavailable(
                    f"control document {self._name} fell from generation {self.generation} to {found}"
                )
            if found > self.generation:
                self._take_over()
            return self.body

    def create(self, body: Body) -> None:
        """Write the first generation; raise Conflict if the document exists."""
        with self._lock:
            self._write(body, expected_generation=0)

    def edit(self, change: Callable[[Body], Body], expected_generation: int | None = None) -> Body:
        """Store the result of `change` on the newest body; it is called again if others were faster.

        If a generation is expected, any other is Overtaken.
        """
        with self._lock:
            for _ in range(EDIT_ATTEMPTS):
                body = self.refresh()
                self.check_generation(expected_generation)
                changed = change(body)
                try:
                    self._write(changed, self.generation)
                except Conflict:
                    continue
                return changed
        raise Conflict(f"control document {self._name} is changed too often by others, try again")

    def check_generation(self, expected: int | None) -> None:
        """Raise Overtaken if a generation is expected and the one in memory differs."""
        if expected not in (None, self.generation):
            raise Overtaken(
                f"{self._name} changed in the meantime: generation {self.generation}, expected {expected}"
            )

    def _take_over(self) -> None:
        document = self._documents.read(self._name)
        if document is None:
            raise Unavailable(f"control document {self._name} vanished while it was read")
        self._held = (document.generation, self._decode(document))

    def _write(self, body: Body, expected_generation: int) -> None:
        content = msgspec.json.encode(body)
        if self._unknown:
            tree = msgspec.json.decode(content)
            put_back(tree, self._unknown)
            content = msgspec.json.encode(tree)
        generation = self._documents.write(self._name, content, expected_generation)
        self._held = (generation, body)
        if self._is_followed:
            self._documents.note_change()

    def _decode(self, document: Document) -> Body:
        try:
            return self._read(document.body)
        except msgspec.MsgspecError as error:
            object_name = name_object(self._name, document.generation)
            raise Corrupt(object_name, 0, f"it is not a {self._name} document: {error}") from error

    def _read(self, content: bytes) -> Body:
        self._unknown = Unknown()
        try:
            return self._decoder.decode(content)
        except msgspec.ValidationError:
            tree = msgspec.json.decode(content)
            self._unknown = set_aside(tree, inspect.type_info(self._kind))
            return msgspec.convert(tree, self._kind)

"""A typed control document with a copy in memory: reads cost nothing, edits lose nobody's change."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from logboom.base.errors import Conflict, Corrupt, Unavailable
from logboom.control.documents import Document, Documents, name_object

EDIT_ATTEMPTS = 20

Body = TypeVar("Body", bound=msgspec.Struct)


class Snapshot(Generic[Body]):
    """The newest known generation of one document. May be called from any thread."""

    def __init__(self, documents: Documents, name: str, empty: Body) -> None:
        """`empty` is the body while the document was never written."""
        self._documents = documents
        self._name = name
        self._decoder: msgspec.json.Decoder[Body] = msgspec.json.Decoder(type(empty))
        self._lock = threading.RLock()
        self._held = (0, empty)
        self.refresh()

    @property
    def generation(self) -> int:
        """0 while the document was never written."""
        return self._held[0]

    @property
    def body(self) -> Body:
        return self._held[1]

    def refresh(self) -> Body:
        """Look for a newer generation in the store; on failure the one in memory stays."""
        with self._lock:
            document = self._documents.read(self._name)
            found = document.generation if document else 0
            if found < self.generation:
                raise Unavailable(
                    f"control document {self._name} fell from generation {self.generation} to {found}"
                )
            if document is not None and found > self.generation:
                self._held = (found, self._decode(document))
            return self.body

    def create(self, body: Body) -> None:
        """Write the first generation; Conflict when the document exists."""
        with self._lock:
            self._write(body, expected_generation=0)

    def edit(self, change: Callable[[Body], Body]) -> None:
        """Store what `change` makes of the newest body; it is called again when others were faster."""
        with self._lock:
            for _ in range(EDIT_ATTEMPTS):
                body = change(self.refresh())
                try:
                    return self._write(body, self.generation)
                except Conflict:
                    continue
        raise Conflict(f"control document {self._name} is changed too often by others, try again")

    def _write(self, body: Body, expected_generation: int) -> None:
        content = msgspec.json.encode(body)
        generation = self._documents.write(self._name, content, expected_generation)
        self._held = (generation, body)

    def _decode(self, document: Document) -> Body:
        try:
            return self._decoder.decode(document.body)
        except msgspec.MsgspecError as error:
            object_name = name_object(self._name, document.generation)
            raise Corrupt(object_name, 0, f"it is not a {self._name} document: {error}") from error

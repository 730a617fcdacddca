"""The interface of a store of objects.

Objects are immutable: created once, read, listed, deleted. Names are relative paths of safe ASCII
parts that this program makes up itself; nothing a client sends becomes part of a name.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Protocol, TypeVar

from logboom.base.pages import Pages, Span

T = TypeVar("T")


class ObjectStore(Protocol):
    """Where blocks, the catalog and control documents live. Thread-safe.

    All methods may raise OSError or Unavailable when it is out of reach.
    """

    is_remote: bool
    """Whether it can be unreachable while this machine works."""

    def check(self) -> None:
        """Write a probe; raise Unavailable unless the store exists and `put_new` works as promised."""

    def put_new(self, name: str, data: bytes) -> None:
        """Create an object, durable on return; raise Conflict when the name exists."""

    def put_all(self, objects: Mapping[str, bytes]) -> None:
        """Create several objects, all durable on return, at little more than the cost of one. After a failure some may exist."""

    def put_written(self, name: str, write: Callable[[IO[bytes]], T]) -> T:
        """Create an object like `put_new`, from what `write` puts into a file; it need not fit into memory."""

    def read(self, name: str) -> bytes:
        """Return the object's bytes; raise NotFound when there is none."""

    def read_start(self, name: str, size_bytes: int) -> bytes:
        """Return up to `size_bytes` from the start of an object; raise NotFound if it does not exist."""

    def read_pages(self, pages: Pages, start: int, end: int) -> bytes:
        """Return the bytes from `start` to `end`, counted from the first page; raise Corrupt if a page is damaged."""

    def list(self, prefix: str) -> list[str]:
        """Return names directly below the folder `prefix`, sorted; empty when there is no such folder."""

    def list_below(self, prefix: str) -> Sequence[str]:
        """Return the names of all objects at any depth below the folder `prefix`, relative to it, sorted."""

    def list_stamps(self, prefix: str, after: str) -> Mapping[str, str]:
        """Return the names directly below the folder `prefix` that sort after `after`, with their stamps.

        It takes a single request if they are few. A stamp differs whenever the content was written again.
        """

    def measure(self, name: str) -> int:
        """Return the object's size in bytes; raise NotFound when there is none."""

    def list_unfinished(self) -> dict[str, int]:
        """Return unfinished files of writers, and when each was last changed, in nanoseconds.

        They are no objects, but can be deleted by their names.
        """

    def delete(self, name: str) -> None:
        """Remove an object; a missing one is no error."""

    def delete_all(self, names: Iterable[str]) -> None:
        """Remove objects one after the other, in this order; missing ones are no error."""

    def replace(self, name: str, data: bytes) -> None:
        """Create or replace an object, durable on return. Only for objects that can be rebuilt."""

    def sync(self, prefix: str) -> None:
        """Make everything visible in the folder `prefix` durable, including leftovers of a failed `put_new`."""

    def locate(self, name: str) -> str:
        """Return the path or address by which other programs open the object."""

    def use(self, name: str, read: Callable[[str], T]) -> T:
        """Call `read` with the path of a file that holds the object, valid until it returns; return its result."""

    def is_local(self, name: str, /) -> bool:
        """Return whether the whole object is on this machine, so that `use` fetches nothing."""

    def use_pages(self, pages: Pages, spans: Sequence[Span], /, read: Callable[[str], T]) -> T:
        """Do what `use` does, but only these spans of the pages are guaranteed to be in the file; they are verified."""

    def measure_cache(self) -> int:
        """Return how many bytes of objects are cached on this machine."""

    def keep(self, name: str, data: bytes) -> None:
        """Cache an object that was just created, so that `use` finds it; failures are ignored."""

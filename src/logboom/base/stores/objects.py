"""The interface of a store of objects.

Objects are immutable: created once, read, listed, deleted. Names are relative paths of safe ASCII
parts that this program makes up itself; nothing a client sends becomes part of a name.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Protocol, TypeVar

from logboom.base.pages import Pages, Span

T = TypeVar("T")


class ObjectStore(Protocol):
    """Where blocks, the catalog and control documents live. Every method may be called from any thread.

    All may raise OSError or Unavailable when it is out of reach.
    """

    is_remote: bool
    """Whether it can be out of reach while this machine is well."""

    def check(self) -> None:
        """Unavailable unless the store is there and keeps what `put_new` promises; writes to find out."""

    def put_new(self, name: str, data: bytes) -> None:
        """Create an object, durable on return; Conflict when the name exists."""

    def put_all(self, objects: Mapping[str, bytes]) -> None:
        """Create many objects at little more than the cost of one, all durable on return; after a failure some may exist."""

    def put_written(self, name: str, write: Callable[[IO[bytes]], T]) -> T:
        """Create an object of what `write` puts into a file, which need not fit in memory; as `put_new` otherwise."""

    def read(self, name: str) -> bytes:
        """The object's bytes; NotFound when there is none."""

    def read_start(self, name: str, size_bytes: int) -> bytes:
        """The first bytes of an object, all if it has fewer; NotFound when there is none."""

    def read_pages(self, pages: Pages, start: int, end: int) -> bytes:
        """Some bytes of pages, counted from the first page; Corrupt when a page is damaged."""

    def list(self, prefix: str) -> list[str]:
        """Names directly below the folder `prefix`, sorted; empty when there is no such folder."""

    def list_below(self, prefix: str) -> Sequence[str]:
        """The names of all objects below the folder `prefix`, at any depth and from there on, sorted."""

    def measure(self, name: str) -> int:
        """The object's size in bytes; NotFound when there is none."""

    def list_unfinished(self) -> dict[str, int]:
        """The files that writers began and did not finish yet, and when each was changed, in nanoseconds.

        They are no objects, but can be deleted by their names.
        """

    def delete(self, name: str) -> None:
        """Remove an object; a missing one is no error."""

    def delete_all(self, names: Iterable[str]) -> None:
        """Remove objects one after the other, in this order; missing ones are no error."""

    def replace(self, name: str, data: bytes) -> None:
        """Create an object or put another in its place, durable on return. Only for what can be made again."""

    def sync(self, prefix: str) -> None:
        """Make durable what is to be seen in the folder `prefix`, also what a failed `put_new` left there."""

    def locate(self, name: str) -> str:
        """The path or address by which other programs open the object."""

    def use(self, name: str, read: Callable[[str], T]) -> T:
        """What `read` makes of the object as a file, given a path that is good until it returns."""

    def is_local(self, name: str, /) -> bool:
        """Whether the whole object is on this machine, so that `use` fetches nothing."""

    def use_pages(self, pages: Pages, spans: Sequence[Span], /, read: Callable[[str], T]) -> T:
        """What `read` makes of the object as a file that has at least these spans of its pages, verified."""

    def keep(self, name: str, data: bytes) -> None:
        """Have an object that was just made at hand for `use`; a failure is no error."""

"""Lists directories of the node, to help find the path for a source."""

import os
import stat
from collections.abc import Iterable, Iterator
from itertools import islice

from logboom.base.errors import Invalid
from logboom.control.saved.sources import DirectoryEntry, Listing
from logboom.sources.files.discover import MAGIC, Discovery, show_path
from logboom.sources.roots import Roots

MOST_ENTRIES = 1_000
MOST_LOOKED_AT = 100_000


class Browser:
    """Lists directories below the roots; blocks, and is thread-safe."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots

    def check_globs(self, path: str, exclude: tuple[str, ...]) -> None:
        """Raise Invalid for a malformed glob, Forbidden if nothing that the path matches may be read."""
        Discovery(path, exclude)
        parts = path.split("/")
        wild = next((at for at, part in enumerate(parts) if MAGIC & set(part)), len(parts))
        self._roots.check("/".join(parts[:wild]) or "/")

    def list(self, path: str) -> Listing:
        """Return the entries of a directory; without a path those of the only root, or all roots themselves.

        What may not be read is left out. Raise Forbidden, NotFound or Invalid if there is no such directory.
        """
        if not path and len(self._roots.allowed) > 1:
            entries = (describe(str(root), str(root)) for root in self._roots.allowed)
            return Listing(path="", entries=[entry for entry in entries if entry])
        return self._list_directory(normalise(path or str(self._roots.allowed[0])))

    def _list_directory(self, path: str) -> Listing:
        with self._roots.open_directory(path) as handle, os.scandir(handle) as found:
            ranked = sorted(
                (not is_directory(entry), entry.name) for entry in islice(found, MOST_LOOKED_AT)
            )
            is_all = next(found, None) is None
        names = (name for _, name in ranked)
        shown = [*islice(self._describe_admitted(path, names), MOST_ENTRIES + 1)]
        is_all = is_all and len(shown) <= MOST_ENTRIES
        return Listing(path=show_path(path), entries=shown[:MOST_ENTRIES], complete=is_all)

    def _describe_admitted(self, path: str, names: Iterable[str]) -> Iterator[DirectoryEntry]:
        places = self._roots.look()
        for name in names:
            place = os.path.join(path, name)
            entry = describe(place, name)
            if entry and places.admits(place):
                yield entry


def normalise(path: str) -> str:
    if not path.startswith("/") or "\0" in path:
        raise Invalid(f"path {path[:80]!r}, expected an absolute path")
    return os.path.normpath("/" + path.lstrip("/"))


def is_directory(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def describe(path: str, name: str) -> DirectoryEntry | None:
    """Return a file or directory as it is shown, or None if it is neither, or gone."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return DirectoryEntry(show_path(name), "dir", None, status.st_mtime_ns)
    if stat.S_ISREG(status.st_mode):
        return DirectoryEntry(show_path(name), "file", status.st_size, status.st_mtime_ns)
    return None

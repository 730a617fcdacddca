"""Pull sources: which files of the node are read, how, and where their events go."""

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

import msgspec

from logboom.base.clock import Clock
from logboom.base.errors import Invalid, about
from logboom.base.ids import make_ulid
from logboom.base.stores.places import is_bucket
from logboom.control.access.principal import Reach
from logboom.control.access.scopes import Scope
from logboom.control.documents.records import (
    Allow,
    Record,
    Records,
    allow_all,
    apply_changes,
    check_label,
)
from logboom.control.documents.store import Documents
from logboom.control.registry.environments import DEFAULT_ENVIRONMENT, check_name
from logboom.model.names import DEFAULT_INDEX, check_open, normalise_glob, parse_template

SHORTEST_POLL_SECS = 5
LONGEST_POLL_SECS = 86_400
MOST_LINES = 100_000
LONGEST_PATH = 4096
LONGEST_TAG = 1024
MOST_EXCLUDED = 100

Compression = Literal["auto", "none", "gzip", "zstd"]


class Multiline(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Multi-line events: a line that matches the pattern starts an event of at most `max_lines` lines."""

    pattern: str
    max_lines: Annotated[int, msgspec.Meta(ge=1, le=MOST_LINES)] = 500


class Source(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A pull source.

    `path` is a glob; `source` is the tag of events that have none.
    `generation` is part of the names of the read positions: a new one makes every file be read from its start.
    """

    name: str
    environment: str = DEFAULT_ENVIRONMENT
    index: str = DEFAULT_INDEX
    path: str
    exclude: tuple[str, ...] = ()
    format: str = "auto"
    compression: Compression = "auto"
    multiline: Multiline | None = None
    grok: str = ""
    poll_interval_secs: int = 10
    source: str = ""
    enabled: bool = True
    generation: int = 0

    @property
    def reach(self) -> Reach:
        """Where its events go; what follows a placeholder may be cut off, so it counts as anything."""
        template = parse_template(self.index)
        index = f"{template.texts[0]}*" if template.paths else template.texts[0]
        return Reach(frozenset({Scope.INGEST}), (self.environment,), (normalise_glob(index),))


class FileStatus(msgspec.Struct, frozen=True):
    """How far a file was read, and its modification time then; bytes in `path` that are not UTF-8 are escaped."""

    path: str
    bytes: int
    mtime_ns: int
    format: str = ""
    """What `auto` detected; empty if the source names its format, or the file was not read yet."""
    confidence: float = 0.0
    error: str = ""
    """Why it cannot be read, or not to its end."""


class SourceStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The status of a source on this node; `last_error` says why the last run failed."""

    last_run_ns: int | None = None
    last_status: Literal["ok", "error"] | None = None
    last_error: str = ""
    total_ingested: int = 0
    current_file: str = ""
    files: tuple[FileStatus, ...] = ()
    """The files that were changed last."""
    files_total: int = 0


class DirectoryEntry(msgspec.Struct, frozen=True):
    """A file or directory of the node; a directory has no size."""

    name: str
    type: Literal["dir", "file"]
    size_bytes: int | None
    mtime_ns: int


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """The entries of a directory of the node, directories first; not `complete` if there are too many."""

    path: str
    entries: list[DirectoryEntry]
    complete: bool = True


Check = Callable[[Source], object]
"""Raises Invalid if a source cannot be read as configured."""

CHANGEABLE = frozenset(Source.__struct_fields__) - {"id", "generation"}


class Sources(Records[Source]):
    """All pull sources. `check` verifies that the environment exists and the format is known."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        super().__init__(documents, "sources", Source)
        self._clock = clock

    def create(
        self, members: Mapping[str, object], check: Check, allow: Allow[Source] = allow_all
    ) -> Source:
        """Return a new source; `name` and `path` have no default."""
        blank = Source(id=make_ulid(self._clock()), name="", path="")
        source = change_source(blank, members, check)
        self._add(source, allow)
        return source

    def update(
        self,
        source_id: str,
        changes: Mapping[str, object],
        check: Check,
        expected_generation: int | None = None,
        allow: Allow[Source] = allow_all,
    ) -> Source:
        """Replace the members named in `changes`; the read positions are kept."""
        return self._replace(
            source_id,
            lambda source: change_source(source, changes, check),
            expected_generation,
            allow,
        )

    def reset(
        self,
        source_id: str,
        expected_generation: int | None = None,
        allow: Allow[Source] = allow_all,
    ) -> Source:
        """Make every file be read from its start again."""
        return self._replace(
            source_id,
            lambda source: msgspec.structs.replace(source, generation=source.generation + 1),
            expected_generation,
            allow,
        )


def change_source(source: Source, changes: Mapping[str, object], check: Check) -> Source:
    changed = apply_changes(source, changes, CHANGEABLE)
    check_source(changed)
    check(changed)
    return changed


def check_source(source: Source) -> None:
    check_label("source", source.name)
    with about("environment"):
        check_name(source.environment)
    with about("index"):
        check_open(parse_template(source.index))
    with about("path"):
        check_path(source.path)
    with about("exclude"):
        check_excluded(source.exclude)
    if not SHORTEST_POLL_SECS <= source.poll_interval_secs <= LONGEST_POLL_SECS:
        raise Invalid(
            f"poll_interval_secs is {source.poll_interval_secs}, "
            f"expected {SHORTEST_POLL_SECS} to {LONGEST_POLL_SECS}",
            field="poll_interval_secs",
        )
    if len(source.source) > LONGEST_TAG:
        raise Invalid(
            f"source tag is {len(source.source)} characters long, expected at most {LONGEST_TAG}",
            field="source",
        )


def check_path(path: str) -> None:
    if is_bucket(path):
        raise Invalid(
            f"path {path[:80]!r}: sources in a bucket are not available yet, expected a local path"
        )
    if not path.startswith("/") or "\0" in path or len(path) > LONGEST_PATH:
        raise Invalid(
            f"path {path[:80]!r}, expected an absolute glob of at most {LONGEST_PATH} characters"
        )
    if ".." in path.split("/"):
        raise Invalid(f"path {path[:80]!r} leads upwards, expected one without ..")


def check_excluded(globs: tuple[str, ...]) -> None:
    if len(globs) > MOST_EXCLUDED:
        raise Invalid(f"exclude holds {len(globs)} globs, expected at most {MOST_EXCLUDED}")
    for glob in globs:
        if not 0 < len(glob) <= LONGEST_PATH or "\0" in glob:
            raise Invalid(
                f"exclude {glob[:80]!r}, expected a glob of 1 to {LONGEST_PATH} characters"
            )

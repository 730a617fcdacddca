"""Logboom as a library: searches a data directory or a bucket in place, with or without a running service.

logs = logboom.open("data")
for row in logs.search("level:error | top 5 service"): ...
"""

import math
import os
import shutil
import tempfile
import threading
import time
import warnings
import weakref
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, TypedDict, Unpack

import polars as pl

from logboom.base.clock import system_clock
from logboom.base.errors import Invalid
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import ADDRESSES, is_bucket, parse_place
from logboom.base.structs import prepare_structs
from logboom.control.access.globs import matches_any
from logboom.control.access.principal import UNLIMITED, Principal
from logboom.engine.answers.engine import Engine
from logboom.engine.execution.gate import Gate
from logboom.engine.rows.frames import make_frame
from logboom.engine.terms.limits import Limits, OnProgress
from logboom.search.answers import SearchAnswer, Tail
from logboom.search.question import Moment, Question
from logboom.search.service import SearchService
from logboom.store.reader import StoreReader

CACHE_BYTES = 256 << 20
FILES_BYTES = 4 << 30
QUERIES = 64
MAX_LIMIT = 2**31 - 1
POLL_S = 0.5
MEMBERS = {"start": "from_", "end": "to"}
"""Members of a question whose options have other names."""

Row = dict[str, Any]


class Where(TypedDict, total=False):
    """Where to search: as in the HTTP API, with `start` and `end` for `from` and `to`."""

    env: str
    index: str
    start: Moment
    end: Moment
    timezone: str
    raw: bool


class Options(Where, total=False):
    """Where to search, and how much of the answer is wanted."""

    limit: int
    cursor: str | None
    count: bool


class Results:
    """The rows of one answer and its warnings; `hint` says why there are none."""

    def __init__(self, answer: SearchAnswer) -> None:
        self.type = answer.type
        self.rows: list[Row] = answer.rows
        self.columns = answer.columns
        self.complete = answer.complete
        self.warnings = answer.warnings
        self.query = answer.query
        self.cursor = answer.cursor
        self.total = answer.total
        self.took_ms = answer.took_ms
        self.hint = answer.explanation.hint if answer.explanation else ""

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<{len(self.rows)} rows of {self.query!r}>"

    def to_polars(self) -> pl.DataFrame:
        """Return one column per name, `_time` as a timestamp; mixed types become JSON texts."""
        return make_frame(self.columns, self.rows)


class StoreResources:
    """The environments of a store, and the lookup tables passed to `open`."""

    def __init__(self, store: StoreReader, tables: Mapping[str, pl.DataFrame]) -> None:
        self._store = store
        self.tables = tables

    def list_envs(self, _principal: Principal = UNLIMITED) -> tuple[str, ...]:
        """Return the environments that have events."""
        return tuple(self._store.snapshot().envs)

    def choose_envs(self, text: str, _principal: Principal = UNLIMITED) -> tuple[str, ...]:
        """Return names as they are, even of environments without events yet; globs are expanded."""
        parts = [part.strip() for part in text.split(",") if part.strip()]
        if not parts:
            raise Invalid(f"env {text!r}, expected a name, a comma list or globs")
        return tuple(dict.fromkeys(env for part in parts for env in self._expand(part)))

    def _expand(self, part: str) -> list[str]:
        if "*" not in part and "?" not in part:
            return [part]
        return [env for env in self.list_envs() if matches_any((part,), env)]


class Logs:
    """A store that is searched from this process; close it, or use it in a `with` statement.

    It sees what is in blocks: events that a running service has just ingested appear within seconds.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, tables: Mapping[str, pl.DataFrame] | None = None
    ) -> None:
        """`path` is a directory or the address of a bucket (`s3://`, `gs://`, `az://`); NotFound if there is no store.

        `tables` are the tables that `lookup` may use.
        """
        self._store = open_reader(path)
        prepare_structs()
        self._pool = ThreadPoolExecutor(os.cpu_count())
        limits, gate = Limits(timeout_s=math.inf), Gate(QUERIES, QUERIES, threading.TIMEOUT_MAX)
        engine = Engine(self._store, self._pool, limits, gate, CACHE_BYTES)
        self._resources = StoreResources(self._store, tables or {})
        self._search = SearchService(engine, self._resources, system_clock)

    @property
    def environments(self) -> tuple[str, ...]:
        """The environments that have events."""
        return self._resources.list_envs()

    def search(
        self, query: str = "", *, on_progress: OnProgress | None = None, **options: Unpack[Options]
    ) -> Results:
        """Return what the service would answer; raise Invalid for a bad query or option.

        `on_progress` is called with the number of finished blocks and of all blocks.
        """
        question = make_question(query, **options)
        check_limit(question.limit)
        answer = self._search.search(UNLIMITED, question, on_progress=on_progress)
        return Results(answer)

    def tail(self, query: str = "", **where: Unpack[Where]) -> Iterator[Row]:
        """Yield events as they become searchable, without end.

        A RuntimeWarning names a damaged block, whose events cannot be returned.
        """
        return self._follow(self._search.tail(UNLIMITED, make_question(query, **where)))

    def _follow(self, tail: Tail) -> Iterator[Row]:
        while True:
            sent = tail.take(self._store.snapshot())
            for warning in tail.take_warnings():
                warnings.warn(str(warning["message"]), RuntimeWarning, stacklevel=2)
            yield from (each.row for each in sent)
            if not sent:
                time.sleep(POLL_S)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def __enter__(self) -> "Logs":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_reader(path: str | os.PathLike[str]) -> StoreReader:
    """Return the store in a directory, or in a bucket, whose blocks are cached in a temporary directory."""
    address = os.fspath(path)
    if not is_bucket(address):
        return StoreReader(Path(address))
    try:
        place = parse_place(address)
    except ValueError as error:
        raise Invalid(f"path {address!r}, expected a directory, {ADDRESSES}") from error
    files = Path(tempfile.mkdtemp(prefix="logboom-"))
    objects = open_objects(place, files, FILES_BYTES)
    weakref.finalize(objects, shutil.rmtree, files, ignore_errors=True)
    return StoreReader(objects)


def make_question(query: str, **options: Unpack[Options]) -> Question:
    members: dict[str, Any] = {MEMBERS.get(name, name): value for name, value in options.items()}
    return Question(query=query, **members)


def check_limit(limit: int) -> None:
    if not 0 <= limit <= MAX_LIMIT:
        raise Invalid(f"limit {limit}, expected 0 to {MAX_LIMIT}")

"""Searches a data directory without a server, with a progress bar for slow searches."""

import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from logboom.cli.answers import Explanation, SearchAnswer
from logboom.cli.search_options import SearchOptions
from logboom.library import Logs

LONG_S = 1.0
"""A search that takes longer than this many seconds shows its progress."""


class Bar:
    """A progress bar that appears late and is erased at the end; nothing is shown without a terminal."""

    def __init__(self, console: Console) -> None:
        columns = (
            TextColumn("searching"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("blocks"),
            TimeElapsedColumn(),
        )
        self._progress = Progress(
            *columns, console=console, transient=True, disable=not console.is_terminal
        )
        self._task = self._progress.add_task("searching", total=None)
        self._started_s = time.monotonic()

    def show(self, done: int, total: int) -> None:
        self._progress.update(self._task, completed=done, total=total)
        if time.monotonic() - self._started_s >= LONG_S:
            self._progress.start()

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()


def search_directory(path: Path, options: SearchOptions, console: Console) -> SearchAnswer:
    with Logs(path) as logs, Bar(console) as bar:
        results = logs.search(
            options.query,
            env=options.env,
            index=options.index,
            start=options.start,
            end=options.end,
            limit=options.limit,
            timezone=options.timezone,
            on_progress=bar.show,
        )
    return SearchAnswer(
        type=results.type,
        columns=results.columns,
        rows=results.rows,
        complete=results.complete,
        warnings=results.warnings,
        explanation=Explanation(results.hint),
    )


def tail_directory(path: Path, options: SearchOptions) -> Generator[dict[str, Any], None, None]:
    """Yield events of the blocks that a service writes there, as they appear."""
    with Logs(path) as logs:
        yield from logs.tail(
            options.query, env=options.env, index=options.index, timezone=options.timezone
        )

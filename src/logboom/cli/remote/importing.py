"""`logboom import`: sends log files to a server.

Each file is one request, stored entirely or not at all. It has its own idempotency key, so retries after an error
never store it twice.
"""

import os
import shutil
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Any, BinaryIO

import msgspec
import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from logboom.base.errors import Invalid, LogboomError
from logboom.base.structs import InternalStruct
from logboom.cli.options import DEFAULT_URL, Format, MaxLines, Token, Url, check_max_lines
from logboom.cli.output import show
from logboom.cli.remote.collection import leave_out, print_rows
from logboom.cli.remote.retries import Retrier
from logboom.cli.remote.server import Remote
from logboom.cli.screen import defuse

PATH = "/api/ingest/raw"
STDIN = "-"
PIECE_BYTES = 256 * 1024
MAGIC_BYTES = 6
ENCODINGS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""First bytes of compressed files, which are sent to the server as they are."""
UNREADABLE = {b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip"}


COLUMNS = ("file", "ingested", "errors", "format", "partitions")


class Stored(msgspec.Struct):
    """The server's answer about one file."""

    ingested: int
    errors: int
    format: str
    partitions: list[str]
    confidence: float | None = None
    """How certain the format is, if it was detected."""


def run_import(  # noqa: PLR0913 - one argument an option
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…",
            help="Files, optionally compressed with gzip or zstd; - is standard input.",
        ),
    ],
    format: Annotated[
        str, typer.Option(help="Format of the files; auto detects it for each file.")
    ] = "auto",
    index: Annotated[
        str | None, typer.Option(help="Index; may contain {{path}} placeholders.")
    ] = None,
    env: Annotated[str | None, typer.Option(help="Environment.")] = None,
    source: Annotated[
        str | None, typer.Option(help="Source of events that do not name one.")
    ] = None,
    grok: Annotated[
        str | None, typer.Option(help="Preset, %{…} pattern or regex with named groups.")
    ] = None,
    multiline: Annotated[
        str | None, typer.Option(help="Regex that matches the first line of each event.")
    ] = None,
    max_lines: MaxLines = None,
    url: Url = DEFAULT_URL,
    token: Token = "",
) -> None:
    """Send log files to a server and print the result for each; retries while the server is busy."""
    check_max_lines(max_lines, multiline)
    for name in files:
        check_file(name)
    target = {"index": index, "env": env, "source": source}
    reading = {"format": format, "grok": grok, "multiline": multiline, "max_lines": max_lines}
    params = leave_out({**target, **reading})
    console = Console(stderr=True)
    stored: list[tuple[str, Stored]] = []
    try:
        with Remote(url, token) as remote, make_progress(console) as progress:
            sender = Sender(remote, params, progress, Retrier(console))
            for name in files:
                each = sender.send(name)
                stored.append((name, each))
    finally:
        report(stored, console)


def check_file(name: str) -> None:
    if name != STDIN and (Path(name).is_dir() or not os.access(name, os.R_OK)):
        raise Invalid(f"cannot read {name!r}, expected a file")


def make_progress(console: Console) -> Progress:
    """Return a progress bar for each file, on a terminal."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


class Sender(InternalStruct, frozen=True):
    """Sends files, all with the same options."""

    remote: Remote
    params: Mapping[str, str]
    progress: Progress
    retrier: Retrier

    def send(self, name: str) -> Stored:
        try:
            with opened(name) as file:
                return msgspec.convert(self._send(name, file), Stored)
        except OSError as error:
            raise Invalid(f"cannot read {name!r}: {error.strerror}") from error
        except msgspec.ValidationError as error:
            raise self.remote.refuse() from error
        except LogboomError as error:
            raise type(error)(f"{name}: {error.message}", **error.data) from error

    def _send(self, name: str, file: BinaryIO) -> Any:
        start = file.tell()
        headers = {
            "Content-Encoding": find_encoding(file.read(MAGIC_BYTES)),
            "Idempotency-Key": uuid.uuid4().hex,
        }
        total = file.seek(0, os.SEEK_END) - start
        task = self.progress.add_task(defuse(name), total=total)

        def upload() -> Any:
            file.seek(start)
            self.progress.reset(task)
            body = self._read(file, task)
            return self.remote.upload(PATH, body, params=self.params, headers=headers)

        return self.retrier.call(upload)

    def _read(self, file: BinaryIO, task: TaskID) -> Iterator[bytes]:
        """Read from the current position of the file, and advance the progress bar."""
        while piece := file.read(PIECE_BYTES):
            yield piece
            self.progress.advance(task, len(piece))


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Open a file that can be read again for a retry; the contents of a pipe are saved for this."""
    is_stdin = name == STDIN
    place = sys.stdin.fileno() if is_stdin else name
    with open(place, "rb", closefd=not is_stdin) as file, TemporaryFile() as kept:
        if file.seekable():
            yield file
        else:
            shutil.copyfileobj(file, kept)
            kept.seek(0)
            yield kept


def find_encoding(head: bytes) -> str:
    """Return the content encoding of a file that starts with these bytes."""
    for magic, kind in UNREADABLE.items():
        if head.startswith(magic):
            raise Invalid(f"compressed with {kind}, expected gzip, zstd or plain text")
    return next((name for magic, name in ENCODINGS.items() if head.startswith(magic)), "identity")


def describe_format(stored: Stored) -> str:
    """Return the name of a format, with its confidence if it was detected, such as `postgres (97%)`."""
    if stored.confidence is None:
        return stored.format
    return f"{stored.format} ({stored.confidence:.0%})"


def report(stored: list[tuple[str, Stored]], console: Console) -> None:
    """Print a line for each file, then the warnings."""
    rows = [
        {"file": name, **msgspec.to_builtins(each), "format": describe_format(each)}
        for name, each in stored
    ]
    print_rows(COLUMNS, rows, Format.TABLE)
    errors = sum(each.errors for _, each in stored)
    if errors:
        note = f"{errors} lines did not match the format and were stored as plain messages, or were rejected"
        show(console, note, "yellow")

"""`logboom import`: log files to a server. Each is one request, which is stored whole or not at all."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from stat import S_ISREG
from typing import Annotated, BinaryIO

import msgspec
import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from logboom.base.errors import Invalid, LogboomError
from logboom.cli.collection import leave_out, print_rows
from logboom.cli.options import DEFAULT_URL, Format, Token, Url
from logboom.cli.output import show
from logboom.cli.remote import Remote
from logboom.cli.screen import defuse

STDIN = "-"
PIECE_BYTES = 256 * 1024
MAGIC_BYTES = 6
ENCODINGS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""What compressed files begin with; the server takes them as they are."""
UNREADABLE = {b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip"}


class Stored(msgspec.Struct):
    """What a server says of one file."""

    ingested: int
    errors: int
    format: str
    partitions: list[str]


def run_import(  # noqa: PLR0913 - one argument an option
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…", help="Files, also compressed by gzip or zstd; - is standard input."
        ),
    ],
    format: Annotated[str, typer.Option(help="What they hold; auto looks at each.")] = "auto",
    index: Annotated[
        str | None, typer.Option(help="Index, may hold {{path}} placeholders.")
    ] = None,
    env: Annotated[str | None, typer.Option(help="Environment.")] = None,
    source: Annotated[str | None, typer.Option(help="Source of events that name none.")] = None,
    grok: Annotated[
        str | None, typer.Option(help="Preset, %{…} pattern or regex with named groups.")
    ] = None,
    multiline: Annotated[
        str | None, typer.Option(help="Regex of the lines that begin an event.")
    ] = None,
    url: Url = DEFAULT_URL,
    token: Token = "",
) -> None:
    """Send log files to a server, and print what became of each."""
    for name in files:
        check_file(name)
    options = {"format": format, "index": index, "env": env, "source": source}
    params = leave_out(options | {"grok": grok, "multiline": multiline})
    console = Console(stderr=True)
    stored: list[tuple[str, Stored]] = []
    try:
        with Remote(url, token) as remote, make_progress(console) as progress:
            for name in files:
                each = send_file(remote, name, params, progress)
                stored.append((name, each))
    finally:
        report(stored, console)


def check_file(name: str) -> None:
    if name != STDIN and (Path(name).is_dir() or not os.access(name, os.R_OK)):
        raise Invalid(f"cannot read {name!r}, expected a file")


def make_progress(console: Console) -> Progress:
    """A bar for each file, on a terminal."""
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


def send_file(remote: Remote, name: str, params: Mapping[str, str], progress: Progress) -> Stored:
    try:
        with open_file(name) as file:
            head = file.read(MAGIC_BYTES)
            headers = {"Content-Encoding": find_encoding(head)}
            body = read_pieces(file, head, name, progress)
            answer = remote.upload("/api/ingest/raw", body, params=params, headers=headers)
        return msgspec.convert(answer, Stored)
    except OSError as error:
        raise Invalid(f"cannot read {name!r}: {error.strerror}") from error
    except msgspec.ValidationError as error:
        raise remote.refuse() from error
    except LogboomError as error:
        raise type(error)(f"{name}: {error.message}", **error.data) from error


def open_file(name: str) -> BinaryIO:
    is_stdin = name == STDIN
    return open(sys.stdin.fileno() if is_stdin else name, "rb", closefd=not is_stdin)


def find_encoding(head: bytes) -> str:
    """The content encoding of a file that begins so."""
    for magic, kind in UNREADABLE.items():
        if head.startswith(magic):
            raise Invalid(f"compressed by {kind}, expected gzip, zstd or plain text")
    return next((name for magic, name in ENCODINGS.items() if head.startswith(magic)), "identity")


def read_pieces(file: BinaryIO, head: bytes, name: str, progress: Progress) -> Iterator[bytes]:
    """The bytes of a file, of which the first are read already, while the bar moves on."""
    status = os.fstat(file.fileno())
    total = status.st_size if S_ISREG(status.st_mode) else None
    task = progress.add_task(defuse(name), total=total)
    piece = head
    while piece:
        yield piece
        progress.advance(task, len(piece))
        piece = file.read(PIECE_BYTES)


def report(stored: list[tuple[str, Stored]], console: Console) -> None:
    """A line for each file, and what is to be known beside."""
    rows = [{"file": name, **msgspec.to_builtins(each)} for name, each in stored]
    print_rows(("file", *Stored.__struct_fields__), rows, Format.TABLE)
    errors = sum(each.errors for _, each in stored)
    if errors:
        note = f"{errors} lines were not of their format and are kept as messages, or were refused"
        show(console, note, "yellow")

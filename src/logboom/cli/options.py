"""Options that several commands share, and prompts."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from logboom.base.errors import Invalid

DEFAULT_URL = "http://127.0.0.1:7300"

Url = Annotated[str, typer.Option(envvar="LOGBOOM_URL", help="Address of the server.")]
Token = Annotated[
    str, typer.Option(envvar="LOGBOOM_TOKEN", help="Session token or key for the server.")
]
DataDirectory = Annotated[Path | None, typer.Option("--data", help="Data directory.")]
StoreAddress = Annotated[
    str | None, typer.Option("--store", help="Store address, file:///… or s3://…")
]
MaxLines = Annotated[
    int | None, typer.Option(help="Maximum number of lines per event; with --multiline.", min=1)
]
PasswordStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input.")
]


class Format(StrEnum):
    TABLE = "table"
    JSON = "json"
    CSV = "csv"


Printed = Annotated[Format, typer.Option("--format", help="Output format of rows.")]


def check_max_lines(max_lines: int | None, multiline: str | None) -> None:
    if max_lines is not None and not multiline:
        raise Invalid(f"--max-lines is {max_lines} without --multiline, expected both")


def ask_password(from_stdin: bool, *, is_new: bool) -> str:
    """Read a password from the first line of standard input, or prompt for it, twice for a new one.

    It is never an argument: other users of the machine can see those, and shells record them.
    """
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise Invalid("no terminal to ask for the password, expected --password-stdin")
    password: str = typer.prompt("Password", hide_input=True, confirmation_prompt=is_new, err=True)
    return password

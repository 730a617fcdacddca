"""Collections of a server (users, tokens, keys, environments): list, create, update and delete their items."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
import typer
from rich.console import Console

from logboom.base.errors import Conflict, Invalid, NotFound
from logboom.base.structs import InternalStruct
from logboom.cli.answers import SearchAnswer
from logboom.cli.options import DEFAULT_URL, Format, Printed, Token, Url
from logboom.cli.output import WRITERS, open_output, show
from logboom.cli.remote.server import Remote

Row = dict[str, Any]
Envs = Annotated[
    list[str] | None, typer.Option("--env", help="Environment it may use, or a glob; repeatable.")
]
Indexes = Annotated[
    list[str] | None, typer.Option("--index", help="Index it may use, or a glob; repeatable.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Skip the confirmation.")]


class Collection(InternalStruct, frozen=True):
    """A kind of item: its route, the member that is its name, and the columns that a table shows.

    `revealed` is the member that appears only in the answer to creating an item.
    """

    noun: str
    path: str
    name: str
    columns: tuple[str, ...]
    revealed: str = ""

    def read(self, remote: Remote) -> list[Row]:
        try:
            return msgspec.convert(remote.call("GET", self.path), list[Row])
        except msgspec.ValidationError as error:
            raise remote.refuse() from error

    def find(self, remote: Remote, name: str) -> Row:
        """Find an item by id, else by name. Several tokens or keys may have the same name."""
        rows = self.read(remote)
        found = [row for row in rows if row.get("id") == name]
        found = found or [row for row in rows if row.get(self.name) == name]
        if not found:
            raise NotFound(f"no {self.noun} {name!r}, expected a listed name or id")
        if len(found) > 1:
            raise Conflict(f"{len(found)} {self.noun}s are named {name!r}, expected an id")
        return found[0]

    def locate(self, row: Row) -> str:
        return f"{self.path}/{quote(str(row['id']), safe='')}"


def make_list(collection: Collection) -> Callable[..., None]:
    def run(url: Url = DEFAULT_URL, token: Token = "", format: Printed = Format.TABLE) -> None:
        with Remote(url, token) as remote:
            rows = collection.read(remote)
        print_rows(collection.columns, rows, format)

    run.__doc__ = f"List the {collection.noun}s."
    return run


def make_delete(collection: Collection) -> Callable[..., None]:
    def run(
        name: Annotated[str, typer.Argument(help=f"Name or id of the {collection.noun}.")],
        yes: Yes = False,
        url: Url = DEFAULT_URL,
        token: Token = "",
    ) -> None:
        with Remote(url, token) as remote:
            row = collection.find(remote, name)
            if not yes:
                question = f"Delete the {collection.noun} {row[collection.name]!r}?"
                typer.confirm(question, abort=True, err=True)
            remote.call("DELETE", collection.locate(row))

    run.__doc__ = f"Delete the named {collection.noun}."
    return run


def create(
    collection: Collection, remote: Remote, members: Mapping[str, object], format: Format
) -> None:
    """Create an item and print it; in table format only its secret, so that a script can capture it."""
    with remote:
        row = read_row(remote, remote.call("POST", collection.path, leave_out(members)))
    revealed = collection.revealed
    if not revealed:
        return print_rows(collection.columns, [row], format)
    if format is Format.TABLE:
        typer.echo(str(row.get(revealed, "")))
    else:
        print_rows((*collection.columns, revealed), [row], format)
    hint = f"keep the {revealed} of {row.get(collection.name)!r}: it is not shown again"
    return show(Console(stderr=True), hint, "yellow")


def update(
    collection: Collection,
    remote: Remote,
    name: str,
    changes: Mapping[str, object],
    format: Format,
) -> None:
    """Change the members that are not None, and print the result."""
    body = leave_out(changes)
    if not body:
        raise Invalid(f"nothing to change for {name!r}, expected at least one option")
    with remote:
        place = collection.locate(collection.find(remote, name))
        row = read_row(remote, remote.call("PATCH", place, body))
    print_rows(collection.columns, [row], format)


def read_row(remote: Remote, answer: object) -> Row:
    if not isinstance(answer, dict):
        raise remote.refuse()
    return answer


def leave_out(members: Mapping[str, object]) -> Row:
    """Drop the options that were not given; Typer passes an empty list for a repeatable option."""
    return {name: value for name, value in members.items() if value is not None and value != []}


def print_rows(columns: tuple[str, ...], rows: list[Row], format: Format) -> None:
    if format is Format.TABLE:
        rows = [{name: join(value) for name, value in row.items()} for row in rows]
    output = open_output()
    found = SearchAnswer(type="table", columns=list(columns), rows=rows, complete=True, warnings=[])
    WRITERS[format](found, output)
    output.flush()


def join(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, list) else value

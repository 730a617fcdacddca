"""`logboom source`: the pull sources of a server."""

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Annotated, Any

import typer

from logboom.base.errors import Invalid
from logboom.cli.options import (
    DEFAULT_URL,
    Format,
    MaxLines,
    Printed,
    Token,
    Url,
    check_max_lines,
)
from logboom.cli.remote.collection import (
    Collection,
    Row,
    leave_out,
    make_delete,
    print_rows,
    read_row,
)
from logboom.cli.remote.server import Remote

SOURCES = Collection(
    "source",
    "/api/sources",
    name="name",
    columns=("name", "path", "enabled", "last_run", "last_status", "total_ingested", "id"),
)

Name = Annotated[str, typer.Argument(help="Name or id of the source.")]

MEMBERS: dict[str, tuple[str, Any]] = {
    "env": (
        "environment",
        Annotated[str | None, typer.Option(help="Environment for its events.")],
    ),
    "index": (
        "index",
        Annotated[str | None, typer.Option(help="Index; may contain {{path}} placeholders.")],
    ),
    "exclude": (
        "exclude",
        Annotated[list[str] | None, typer.Option(help="Glob of paths to skip; repeatable.")],
    ),
    "read_as": (
        "format",
        Annotated[
            str | None, typer.Option(help="Format of the files; auto detects it for each file.")
        ],
    ),
    "compression": (
        "compression",
        Annotated[str | None, typer.Option(help="auto, none, gzip or zstd.")],
    ),
    "multiline": (
        "multiline",
        Annotated[
            str | None,
            typer.Option(help="Regex that matches the first line of each event; '' for none."),
        ],
    ),
    "max_lines": ("max_lines", MaxLines),
    "grok": (
        "grok",
        Annotated[
            str | None, typer.Option(help="Preset, %{…} pattern or regex with named groups.")
        ],
    ),
    "interval": (
        "poll_interval_secs",
        Annotated[int | None, typer.Option(help="Seconds between two polls, at least 5.", min=5)],
    ),
    "source": (
        "source",
        Annotated[str | None, typer.Option(help="Source of events that do not name one.")],
    ),
    "enabled": (
        "enabled",
        Annotated[
            bool | None, typer.Option("--enable/--disable", help="Whether the source is read.")
        ],
    ),
}
"""The options that say how a source is read, and the API member for each."""


def take_members(command: Callable[..., None]) -> Callable[..., None]:
    """Add every option of MEMBERS to a command, which receives the given ones as `members`."""

    def run(**arguments: Any) -> None:
        said = {member: arguments.pop(option) for option, (member, _) in MEMBERS.items()}
        fold = describe_fold(said.pop("multiline"), said.pop("max_lines"))
        command(**arguments, members=leave_out(said) | fold)

    parameters: list[Parameter] = []
    for each in signature(command).parameters.values():
        if each.name == "members":
            parameters += [
                Parameter(option, Parameter.KEYWORD_ONLY, default=None, annotation=kind)
                for option, (_, kind) in MEMBERS.items()
            ]
        else:
            parameters.append(each.replace(kind=Parameter.KEYWORD_ONLY))
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__doc__ = command.__doc__
    return run


def run_list(url: Url = DEFAULT_URL, token: Token = "", format: Printed = Format.TABLE) -> None:
    """List the sources."""
    with Remote(url, token) as remote:
        rows = SOURCES.read(remote)
    print_sources(rows, format)


@take_members
def run_create(
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    path: Annotated[str, typer.Argument(help="Absolute glob of files on the server.")],
    members: Row,
    url: Url = DEFAULT_URL,
    token: Token = "",
    format: Printed = Format.TABLE,
) -> None:
    """Make the server read files on its own machine."""
    body = {"name": name, "path": path, **members}
    with Remote(url, token) as remote:
        row = read_row(remote, remote.call("POST", SOURCES.path, body))
    print_sources([row], format)


@take_members
def run_update(  # noqa: PLR0913 - one argument an option
    name: Name,
    members: Row,
    rename: Annotated[str | None, typer.Option(help="New name.")] = None,
    path: Annotated[str | None, typer.Option(help="Absolute glob of files.")] = None,
    url: Url = DEFAULT_URL,
    token: Token = "",
    format: Printed = Format.TABLE,
) -> None:
    """Change a source; the read positions of its files are kept."""
    body = leave_out({"name": rename, "path": path}) | members
    if not body:
        raise Invalid(f"nothing to change for {name!r}, expected at least one option")
    with Remote(url, token) as remote:
        place = SOURCES.locate(SOURCES.find(remote, name))
        row = read_row(remote, remote.call("PATCH", place, body))
    print_sources([row], format)


def run_show(
    name: Name, url: Url = DEFAULT_URL, token: Token = "", format: Printed = Format.TABLE
) -> None:
    """Show a source: its options, its status and its files."""
    with Remote(url, token) as remote:
        row = SOURCES.find(remote, name)
    if format is not Format.TABLE:
        return print_sources([row], format)
    members = lift_status(row)
    files = members.pop("files", [])
    lines = [{"member": member, "value": value} for member, value in members.items()]
    print_rows(("member", "value"), lines, format)
    return print_rows(("path", "bytes", "mtime"), files, format)


def make_action(action: str, help_text: str) -> Callable[..., None]:
    """Make a command that triggers an action of a source."""

    def run(
        name: Name, url: Url = DEFAULT_URL, token: Token = "", format: Printed = Format.TABLE
    ) -> None:
        with Remote(url, token) as remote:
            place = SOURCES.locate(SOURCES.find(remote, name))
            row = read_row(remote, remote.call("POST", f"{place}/{action}"))
        print_sources([row], format)

    run.__doc__ = help_text
    return run


def describe_fold(pattern: str | None, max_lines: int | None) -> Row:
    """Return the member that describes multi-line events, if any of its options is given."""
    check_max_lines(max_lines, pattern)
    if pattern is None:
        return {}
    if not pattern:
        return {"multiline": None}
    return {"multiline": leave_out({"pattern": pattern, "max_lines": max_lines})}


def print_sources(rows: list[Row], format: Format) -> None:
    if format is not Format.JSON:
        rows = [lift_status(row) for row in rows]
    print_rows(SOURCES.columns, rows, format)


def lift_status(row: Row) -> dict[str, Any]:
    """Flatten a source: the members of its status become members of the row."""
    members = dict(row)
    status = members.pop("status", None)
    return members | (status if isinstance(status, dict) else {})


COMMANDS: dict[str, Callable[..., None]] = {
    "list": run_list,
    "create": run_create,
    "show": run_show,
    "update": run_update,
    "delete": make_delete(SOURCES),
    "run": make_action("run", "Poll a source now, and show its status."),
    "reset": make_action("reset", "Read all files of a source again from the start."),
}

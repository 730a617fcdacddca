"""`logboom source`: the pull sources of a server."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from logboom.base.errors import Invalid
from logboom.cli.collection import Collection, Row, leave_out, make_delete, print_rows, read_row
from logboom.cli.options import DEFAULT_URL, Format, Printed, Token, Url
from logboom.cli.remote import Remote

SOURCES = Collection(
    "source",
    "/api/sources",
    name="name",
    columns=("name", "path", "enabled", "last_run", "last_status", "total_ingested", "id"),
)

Name = Annotated[str, typer.Argument(help="Name or id of the source.")]
Env = Annotated[str | None, typer.Option(help="Environment that its events go to.")]
Index = Annotated[str | None, typer.Option(help="Index, may hold {{path}} placeholders.")]
Exclude = Annotated[
    list[str] | None, typer.Option(help="Glob of paths that are not read; repeatable.")
]
TextFormat = Annotated[
    str | None, typer.Option("--read-as", help="What the files hold; auto looks at each.")
]
Compression = Annotated[str | None, typer.Option(help="auto, none, gzip or zstd.")]
Multiline = Annotated[
    str | None, typer.Option(help="Regex of the lines that begin an event; '' for none.")
]
MaxLines = Annotated[
    int | None, typer.Option(help="Lines that one event may have; with --multiline.", min=1)
]
Grok = Annotated[str | None, typer.Option(help="Preset, %{…} pattern or regex with named groups.")]
Interval = Annotated[
    int | None, typer.Option("--interval", help="Seconds between two looks, at least 5.", min=5)
]
Tag = Annotated[str | None, typer.Option("--source", help="Source of events that name none.")]
Enabled = Annotated[bool | None, typer.Option("--enable/--disable", help="Is it read?")]


def run_list(url: Url = DEFAULT_URL, token: Token = "", format: Printed = Format.TABLE) -> None:
    """List the sources."""
    with Remote(url, token) as remote:
        rows = SOURCES.read(remote)
    print_sources(rows, format)


def run_create(  # noqa: PLR0913 - one argument an option
    name: Annotated[str, typer.Argument(help="What the source is called.")],
    path: Annotated[str, typer.Argument(help="Absolute glob of files on the server.")],
    env: Env = None,
    index: Index = None,
    exclude: Exclude = None,
    read_as: TextFormat = None,
    compression: Compression = None,
    multiline: Multiline = None,
    max_lines: MaxLines = None,
    grok: Grok = None,
    interval: Interval = None,
    source: Tag = None,
    enabled: Enabled = None,
    url: Url = DEFAULT_URL,
    token: Token = "",
    format: Printed = Format.TABLE,
) -> None:
    """Let the server read files of its own machine."""
    members = {
        "name": name,
        "path": path,
        "environment": env,
        "index": index,
        "exclude": exclude,
        "format": read_as,
        "compression": compression,
        "grok": grok,
        "poll_interval_secs": interval,
        "source": source,
        "enabled": enabled,
    }
    body = leave_out(members) | describe_fold(multiline, max_lines)
    with Remote(url, token) as remote:
        row = read_row(remote, remote.call("POST", SOURCES.path, body))
    print_sources([row], format)


def run_update(  # noqa: PLR0913 - one argument an option
    name: Name,
    rename: Annotated[str | None, typer.Option(help="New name.")] = None,
    path: Annotated[str | None, typer.Option(help="Absolute glob of files.")] = None,
    env: Env = None,
    index: Index = None,
    exclude: Exclude = None,
    read_as: TextFormat = None,
    compression: Compression = None,
    multiline: Multiline = None,
    max_lines: MaxLines = None,
    grok: Grok = None,
    interval: Interval = None,
    source: Tag = None,
    enabled: Enabled = None,
    url: Url = DEFAULT_URL,
    token: Token = "",
    format: Printed = Format.TABLE,
) -> None:
    """Change a source; how far files were read stays."""
    changes = {
        "name": rename,
        "path": path,
        "environment": env,
        "index": index,
        "exclude": exclude,
        "format": read_as,
        "compression": compression,
        "grok": grok,
        "poll_interval_secs": interval,
        "source": source,
        "enabled": enabled,
    }
    body = leave_out(changes) | describe_fold(multiline, max_lines)
    if not body:
        raise Invalid(f"nothing to change of {name!r}, expected an option that says what")
    with Remote(url, token) as remote:
        place = SOURCES.locate(SOURCES.find(remote, name))
        row = read_row(remote, remote.call("PATCH", place, body))
    print_sources([row], format)


def run_show(
    name: Name, url: Url = DEFAULT_URL, token: Token = "", format: Printed = Format.TABLE
) -> None:
    """Show all of a source: how it is read, how it goes, and its files."""
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
    """A command that has the server do something with a source."""

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
    """The member that says how lines are folded, if there is something to say."""
    if pattern is None:
        if max_lines is not None:
            raise Invalid(f"--max-lines is {max_lines} alone, expected --multiline too")
        return {}
    if not pattern:
        return {"multiline": None}
    return {"multiline": leave_out({"pattern": pattern, "max_lines": max_lines})}


def print_sources(rows: list[Row], format: Format) -> None:
    if format is not Format.JSON:
        rows = [lift_status(row) for row in rows]
    print_rows(SOURCES.columns, rows, format)


def lift_status(row: Row) -> dict[str, Any]:
    """A source with the members of its status beside its own."""
    members = dict(row)
    status = members.pop("status", None)
    return members | (status if isinstance(status, dict) else {})


COMMANDS: dict[str, Callable[..., None]] = {
    "list": run_list,
    "create": run_create,
    "show": run_show,
    "update": run_update,
    "delete": make_delete(SOURCES),
    "run": make_action("run", "Read a source now, and say how it went."),
    "reset": make_action("reset", "Let a source be read again from the start of every file."),
}

"""`logboom query` and `logboom tail`: search a server or a data directory from the shell."""

from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from logboom.base.errors import Invalid
from logboom.cli.answers import SearchAnswer
from logboom.cli.options import DEFAULT_URL, Format, Printed, Token, Url
from logboom.cli.output import LINES, WRITERS, open_output, show_remarks
from logboom.cli.remote.following import Following
from logboom.cli.remote.server import Remote
from logboom.cli.search_options import SearchOptions

Query = Annotated[
    str,
    typer.Argument(
        help="Query, for example 'level:error | top 5 service'; put it after -- if it starts with -."
    ),
]
Filter = Annotated[
    str,
    typer.Argument(
        help="Query, for example 'level:error service:payment'; put it after -- if it starts with -."
    ),
]
Start = Annotated[
    str | None, typer.Option("--from", help="Start of the time range, for example -1h.")
]
End = Annotated[str | None, typer.Option("--to", help="End of the time range.")]
Env = Annotated[str, typer.Option(help="Environment, a comma list or globs.")]
Index = Annotated[str, typer.Option(help="Index, a comma list or globs.")]
Zone = Annotated[
    str, typer.Option("--timezone", help="Time zone of days, and of times without a zone.")
]
Data = Annotated[
    Path | None, typer.Option(help="Search this data directory directly, without a server.")
]


def run_query(  # noqa: PLR0913 - one argument an option
    query: Query = "",
    start: Start = None,
    end: End = None,
    env: Env = "default",
    index: Index = "*",
    limit: Annotated[int, typer.Option(help="Maximum number of events.", min=1)] = 100,
    format: Printed = Format.TABLE,
    timezone: Zone = "UTC",
    data: Data = None,
    url: Url = DEFAULT_URL,
    token: Token = "",
) -> None:
    """Search and print the result."""
    options = SearchOptions(query, env, index, start, end, timezone, limit)
    console = Console(stderr=True)
    found = search(data, url, token, options, console)
    output = open_output()
    WRITERS[format](found, output)
    output.flush()
    show_remarks(found, console)


def search(
    data: Path | None, url: str, token: str, options: SearchOptions, console: Console
) -> SearchAnswer:
    if data:
        from logboom.cli.directory import search_directory  # noqa: PLC0415 - the engine takes a second to load

        return search_directory(data, options, console)
    with Remote(url, token) as remote, console.status("searching"):
        return remote.search(options)


def run_tail(  # noqa: PLR0913 - one argument an option
    query: Filter = "",
    env: Env = "default",
    index: Index = "*",
    timezone: Zone = "UTC",
    data: Data = None,
    url: Url = DEFAULT_URL,
    token: Token = "",
    lines: Annotated[int | None, typer.Option(help="Stop after this many events.", min=1)] = None,
    format: Annotated[Format, typer.Option(help="Output format of events.")] = Format.TABLE,
) -> None:
    """Print events as they become searchable, until interrupted."""
    if format is Format.CSV:
        raise Invalid("format csv needs to know all columns in advance, expected table or json")
    options = SearchOptions(query, env, index, timezone=timezone)
    output = open_output()
    with closing(follow(data, url, token, options)) as events:
        for number, event in enumerate(events, start=1):
            output.write(LINES[format](event) + "\n")
            output.flush()
            if number == lines:
                break


def follow(
    data: Path | None, url: str, token: str, options: SearchOptions
) -> Generator[dict[str, Any], None, None]:
    if data:
        from logboom.cli.directory import tail_directory  # noqa: PLC0415 - as above

        yield from tail_directory(data, options)
    else:
        with Remote(url, token) as remote:
            yield from Following(remote, options)

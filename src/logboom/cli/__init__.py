"""The command line: arguments to settings, then the work; an error is one line and a status."""

import sys
from collections.abc import Callable

import typer

from logboom.base.errors import LogboomError
from logboom.cli.query import run_query, run_tail
from logboom.cli.screen import defuse
from logboom.cli.service import run_serve, show_version

COMMANDS: dict[str, Callable[..., None]] = {
    "serve": run_serve,
    "query": run_query,
    "tail": run_tail,
    "version": show_version,
}


def make_app() -> typer.Typer:
    app = typer.Typer(
        name="logboom",
        help="Log ingestion and search.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    for name, command in COMMANDS.items():
        app.command(name)(command)
    return app


def main() -> None:
    """Typer ends quietly, with a status, when interrupted or when nobody reads the output any more."""
    try:
        make_app()()
    except LogboomError as error:
        sys.stderr.write(f"logboom: {defuse(error.message)}\n")
        if suggestion := error.data.get("suggestion"):
            sys.stderr.write(f"try: {defuse(str(suggestion))}\n")
        sys.exit(1)

"""The command line: it parses arguments and runs a command; an error prints one line and sets the exit status."""

import signal
import sys
from collections.abc import Callable, Mapping
from typing import Annotated

import typer

from logboom.base.errors import LogboomError
from logboom.cli.cluster import run_scheduler, run_worker
from logboom.cli.screen import defuse
from logboom.cli.service import read_plain, run_serve, show_version, start_serving

Command = Callable[..., None]
Group = tuple[str, Mapping[str, Command]]


def make_app(commands: Mapping[str, Command], groups: Mapping[str, Group]) -> typer.Typer:
    app = typer.Typer(
        name="logboom",
        help="Log ingestion and search.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    # With a callback, an application that has a single command still expects the command's name.
    app.callback()(take_options)
    add_commands(app, commands)
    for name, (help_text, of_group) in groups.items():
        group = typer.Typer(help=help_text, no_args_is_help=True)
        add_commands(group, of_group)
        app.add_typer(group, name=name)
    return app


def take_options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=show_version, is_eager=True),
    ] = False,
) -> None:
    """Options that come before the command."""


def add_commands(app: typer.Typer, commands: Mapping[str, Command]) -> None:
    for name, command in commands.items():
        app.command(name)(command)


def choose_app(arguments: list[str]) -> typer.Typer:
    """Load only what serves: importing the other commands takes time, and memory for as long as it runs."""
    serving: dict[str, Command] = {
        "serve": run_serve,
        "scheduler": run_scheduler,
        "worker": run_worker,
    }
    if arguments and arguments[0] in serving:
        return make_app(serving, {})
    from logboom.cli.table import COMMANDS, GROUPS  # noqa: PLC0415

    return make_app(COMMANDS, GROUPS)


def main() -> None:
    """Run a command; Typer exits quietly when it is interrupted or the reader of its output goes away."""
    command, *arguments = sys.argv[1:] or [""]
    flags = read_plain(arguments) if command == "serve" else None
    try:
        if flags is None:
            choose_app(sys.argv[1:])()
        else:
            start_serving(flags)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except LogboomError as error:
        sys.stderr.write(f"logboom: {defuse(error.message)}\n")
        if suggestion := error.data.get("suggestion"):
            sys.stderr.write(f"try: {defuse(str(suggestion))}\n")
        sys.exit(1)

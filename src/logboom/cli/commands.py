"""The command line as Typer runs it: which commands there are, in groups."""

from collections.abc import Callable, Mapping
from typing import Annotated

import typer

from logboom.cli.service import show_version

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
    """Handle the options that come before the command."""


def add_commands(app: typer.Typer, commands: Mapping[str, Command]) -> None:
    for name, command in commands.items():
        app.command(name)(command)

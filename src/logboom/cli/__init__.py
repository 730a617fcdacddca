"""The command line: arguments to settings, then the work; an error is one line and a status."""

import sys
from collections.abc import Callable

import typer

from logboom.base.errors import LogboomError
from logboom.cli import admin, envs, keys, sources, tokens, users
from logboom.cli.agents import run_mcp
from logboom.cli.backup import run_backup, run_restore
from logboom.cli.check import run_check, run_repair
from logboom.cli.doctor import run_doctor
from logboom.cli.importing import run_import
from logboom.cli.query import run_query, run_tail
from logboom.cli.screen import defuse
from logboom.cli.service import run_serve, show_version

COMMANDS: dict[str, Callable[..., None]] = {
    "serve": run_serve,
    "query": run_query,
    "tail": run_tail,
    "import": run_import,
    "login": users.run_login,
    "mcp": run_mcp,
    "doctor": run_doctor,
    "check": run_check,
    "repair": run_repair,
    "backup": run_backup,
    "restore": run_restore,
    "version": show_version,
}
GROUPS: dict[str, tuple[str, dict[str, Callable[..., None]]]] = {
    "user": ("The accounts of a server.", users.COMMANDS),
    "token": ("The ingest tokens of a server.", tokens.COMMANDS),
    "key": ("The API keys of a server.", keys.COMMANDS),
    "env": ("The environments of a server.", envs.COMMANDS),
    "source": ("The files that a server reads by itself.", sources.COMMANDS),
    "admin": ("Work on the data of a stopped service.", admin.COMMANDS),
}


def make_app() -> typer.Typer:
    app = typer.Typer(
        name="logboom",
        help="Log ingestion and search.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    add_commands(app, COMMANDS)
    for name, (help_text, commands) in GROUPS.items():
        group = typer.Typer(help=help_text, no_args_is_help=True)
        add_commands(group, commands)
        app.add_typer(group, name=name)
    return app


def add_commands(app: typer.Typer, commands: dict[str, Callable[..., None]]) -> None:
    for name, command in commands.items():
        app.command(name)(command)


def main() -> None:
    """Typer ends quietly, with a status, when interrupted or when nobody reads the output any more."""
    try:
        make_app()()
    except LogboomError as error:
        sys.stderr.write(f"logboom: {defuse(error.message)}\n")
        if suggestion := error.data.get("suggestion"):
            sys.stderr.write(f"try: {defuse(str(suggestion))}\n")
        sys.exit(1)

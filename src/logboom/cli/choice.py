"""Which commands are loaded: those that serve, or all."""

import typer

from logboom.cli.cluster import run_scheduler, run_worker
from logboom.cli.commands import Command, make_app
from logboom.cli.service import run_serve


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

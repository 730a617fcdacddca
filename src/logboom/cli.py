"""The command line: arguments to settings, then the server; an error is one line and a status."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from logboom import __version__
from logboom.base.errors import LogboomError
from logboom.config import load_settings
from logboom.server import serve

app = typer.Typer(
    name="logboom",
    help="Log ingestion and search.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.command("serve")
def run_serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[str | None, typer.Option(help="Port to listen on.")] = None,
    data: Annotated[Path | None, typer.Option(help="Data directory.")] = None,
    store: Annotated[str | None, typer.Option(help="Store address, file:///…")] = None,
) -> None:
    """Serve until stopped."""
    serve(load_settings({"host": host, "port": port, "data_dir": data, "store_url": store}))


@app.command("version")
def show_version() -> None:
    """Print the version."""
    typer.echo(__version__)


def main() -> None:
    try:
        app()
    except LogboomError as error:
        sys.stderr.write(f"logboom: {error.message}\n")
        sys.exit(1)

"""`logboom serve` and `logboom version`."""

from pathlib import Path
from typing import Annotated

import typer

from logboom.base.version import __version__
from logboom.cli.serving import OPTIONS, start_serving


def run_serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[str | None, typer.Option(help="Port to listen on.")] = None,
    data: Annotated[Path | None, typer.Option(help="Data directory.")] = None,
    store: Annotated[str | None, typer.Option(help="Store address, file:///… or s3://…")] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate, PEM; enables TLS.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Key of the certificate, PEM.")] = None,
) -> None:
    """Serve until stopped."""
    given = (host, port, data, store, tls_cert, tls_key)
    start_serving(dict(zip(OPTIONS.values(), given, strict=True)))


def run_version(
    check: Annotated[
        Path | None,
        typer.Option("--check", help="Check whether this version can open a data directory."),
    ] = None,
) -> None:
    """Print the version. With --check, exits with status 1 if a newer version wrote the data directory."""
    if check is None:
        typer.echo(__version__)
        return
    # Imported here because queries from the shell should not wait for the server's modules.
    from logboom.cli.maintenance.formats import check_formats  # noqa: PLC0415

    check_formats(check)


def show_version(wanted: bool) -> None:
    """Print the version and exit, for `logboom --version`."""
    if wanted:
        typer.echo(f"logboom {__version__}")
        raise typer.Exit

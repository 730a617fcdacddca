"""`logboom serve` and `logboom version`."""

import gc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from logboom.base.version import __version__
from logboom.config import load_settings

OPTIONS = {
    "--host": "host",
    "--port": "port",
    "--data": "data_dir",
    "--store": "store_url",
    "--tls-cert": "tls_cert",
    "--tls-key": "tls_key",
}
"""The settings that the options of `serve` stand for."""


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


def read_plain(arguments: Sequence[str]) -> dict[str, str] | None:
    """The settings in the arguments of `serve`; None if Typer has to read or explain them.

    Typer loads Pydantic to convert arguments: a tenth of a second at start, and 7 MB for as long as the server runs.
    """
    names, values = arguments[::2], arguments[1::2]
    is_plain = len(names) == len(values) == len(set(names)) and OPTIONS.keys() >= set(names)
    if not is_plain or any(value.startswith("-") for value in values):
        return None
    return {OPTIONS[name]: value for name, value in zip(names, values, strict=True)}


def start_serving(flags: Mapping[str, object]) -> None:
    settings = load_settings(flags)
    # What a server loads at its start is never garbage, so collecting only costs time; the server enables it again.
    gc.disable()
    # Imported here because neither a query from the shell nor a wrong setting should wait for the server's modules.
    from logboom.server import serve  # noqa: PLC0415

    serve(settings)


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
    from logboom.cli.formats import check_formats  # noqa: PLC0415

    check_formats(check)


def show_version(wanted: bool) -> None:
    """Print the version and exit, for `logboom --version`."""
    if wanted:
        typer.echo(f"logboom {__version__}")
        raise typer.Exit

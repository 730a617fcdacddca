"""Starting to serve, without Typer if the arguments are plain."""

import gc
from collections.abc import Mapping, Sequence

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


def read_plain(arguments: Sequence[str]) -> dict[str, str] | None:
    """Return the settings in the arguments of `serve`, or None if Typer has to read or explain them.

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

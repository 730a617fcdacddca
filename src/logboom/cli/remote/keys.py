"""`logboom key`: the API keys of a server."""

from collections.abc import Callable
from typing import Annotated

import typer

from logboom.cli.options import DEFAULT_URL, Format, Printed, Token, Url
from logboom.cli.remote.collection import (
    Collection,
    Envs,
    Indexes,
    create,
    make_delete,
    make_list,
    update,
)
from logboom.cli.remote.server import Remote

KEYS = Collection(
    "key",
    "/api/keys",
    name="name",
    columns=("name", "scopes", "envs", "indexes", "tools", "id"),
    revealed="key",
)

SCOPES_HELP = "search, edit, ingest, admin or mcp; repeatable."
Scopes = Annotated[list[str] | None, typer.Option("--scope", help=SCOPES_HELP)]
Tools = Annotated[
    list[str] | None, typer.Option("--tool", help="MCP tool it may use, or a glob; repeatable.")
]


def run_create(  # noqa: PLR0913 - one argument an option
    name: Annotated[str, typer.Argument(help="What the key is for.")],
    scopes: Annotated[list[str], typer.Option("--scope", help=SCOPES_HELP)],
    envs: Envs = None,
    indexes: Indexes = None,
    tools: Tools = None,
    url: Url = DEFAULT_URL,
    token: Token = "",
    format: Printed = Format.TABLE,
) -> None:
    """Create a key and print it once; without limits it may use everything that its scopes allow."""
    members = {"name": name, "scopes": scopes, "envs": envs, "indexes": indexes, "tools": tools}
    create(KEYS, Remote(url, token), members, format)


def run_update(  # noqa: PLR0913 - one argument an option
    name: Annotated[str, typer.Argument(help="Name or id of the key.")],
    rename: Annotated[str | None, typer.Option(help="New name.")] = None,
    scopes: Scopes = None,
    envs: Envs = None,
    indexes: Indexes = None,
    tools: Tools = None,
    url: Url = DEFAULT_URL,
    token: Token = "",
    format: Printed = Format.TABLE,
) -> None:
    """Change what a key may do; the key itself stays the same."""
    changes = {"name": rename, "scopes": scopes, "envs": envs, "indexes": indexes, "tools": tools}
    update(KEYS, Remote(url, token), name, changes, format)


COMMANDS: dict[str, Callable[..., None]] = {
    "list": make_list(KEYS),
    "create": run_create,
    "update": run_update,
    "delete": make_delete(KEYS),
}

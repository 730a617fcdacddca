"""`logboom token`: the ingest tokens of a server."""

from collections.abc import Callable
from typing import Annotated

import typer

from logboom.cli.options import DEFAULT_URL, Format, Printed, Token, Url
from logboom.cli.remote.collection import Collection, create, make_delete, make_list, update
from logboom.cli.remote.server import Remote

TOKENS = Collection(
    "token",
    "/api/tokens",
    name="name",
    columns=("name", "env", "indexes", "enabled", "last_used", "id"),
    revealed="token",
)

ENV_HELP = "Environment for all its events."
Indexes = Annotated[
    list[str] | None, typer.Option("--index", help="Index it may write, or a glob; repeatable.")
]
Enabled = Annotated[
    bool | None, typer.Option("--enable/--disable", help="Whether the token works.")
]


def run_create(  # noqa: PLR0913 - one argument an option
    name: Annotated[str, typer.Argument(help="What the token is for.")],
    env: Annotated[str, typer.Option(help=ENV_HELP)] = "default",
    indexes: Indexes = None,
    enabled: Enabled = None,
    url: Url = DEFAULT_URL,
    token: Token = "",
    format: Printed = Format.TABLE,
) -> None:
    """Create a token and print it once; without --index it may write to every index."""
    members = {"name": name, "env": env, "indexes": indexes, "enabled": enabled}
    create(TOKENS, Remote(url, token), members, format)


def run_update(  # noqa: PLR0913 - one argument an option
    name: Annotated[str, typer.Argument(help="Name or id of the token.")],
    rename: Annotated[str | None, typer.Option(help="New name.")] = None,
    env: Annotated[str | None, typer.Option(help=ENV_HELP)] = None,
    indexes: Indexes = None,
    enabled: Enabled = None,
    url: Url = DEFAULT_URL,
    token: Token = "",
    format: Printed = Format.TABLE,
) -> None:
    """Change what a token may do; the token itself stays the same."""
    changes = {"name": rename, "env": env, "indexes": indexes, "enabled": enabled}
    update(TOKENS, Remote(url, token), name, changes, format)


COMMANDS: dict[str, Callable[..., None]] = {
    "list": make_list(TOKENS),
    "create": run_create,
    "update": run_update,
    "delete": make_delete(TOKENS),
}

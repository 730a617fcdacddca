"""`logboom user` and `logboom login`: the accounts of a server."""

from collections.abc import Callable
from typing import Annotated

import typer

from logboom.cli.options import (
    DEFAULT_URL,
    Format,
    PasswordStdin,
    Printed,
    Token,
    Url,
    ask_password,
)
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

USERS = Collection(
    "user",
    "/api/users",
    name="username",
    columns=("username", "role", "envs", "indexes", "enabled", "id"),
)

Role = Annotated[str | None, typer.Option(help="admin, editor or viewer.")]
Identity = Annotated[
    str | None, typer.Option("--saml-identity", help="Name of the user at the identity provider.")
]
Enabled = Annotated[
    bool | None, typer.Option("--enable/--disable", help="Whether the user can sign in.")
]


def run_create(  # noqa: PLR0913 - one argument an option
    username: Annotated[str, typer.Argument(help="Name to sign in with.")],
    role: Role = "viewer",
    envs: Envs = None,
    indexes: Indexes = None,
    enabled: Enabled = None,
    saml_identity: Identity = None,
    no_password: Annotated[
        bool,
        typer.Option("--no-password", help="The user can sign in only through single sign-on."),
    ] = False,
    password_stdin: PasswordStdin = False,
    url: Url = DEFAULT_URL,
    token: Token = "",
    format: Printed = Format.TABLE,
) -> None:
    """Create an account; without --env and --index it sees everything that its role allows."""
    members = {
        "username": username,
        "password": None if no_password else ask_password(password_stdin, is_new=True),
        "role": role,
        "envs": envs,
        "indexes": indexes,
        "enabled": enabled,
        "saml_identity": saml_identity,
    }
    create(USERS, Remote(url, token), members, format)


def run_update(  # noqa: PLR0913 - one argument an option
    name: Annotated[str, typer.Argument(help="Name or id of the user.")],
    rename: Annotated[str | None, typer.Option(help="New name.")] = None,
    role: Role = None,
    envs: Envs = None,
    indexes: Indexes = None,
    enabled: Enabled = None,
    saml_identity: Identity = None,
    password: Annotated[bool, typer.Option("--password", help="Ask for a new password.")] = False,
    password_stdin: PasswordStdin = False,
    url: Url = DEFAULT_URL,
    token: Token = "",
    format: Printed = Format.TABLE,
) -> None:
    """Change an account, which ends its sessions."""
    is_new_password = password or password_stdin
    changes = {
        "username": rename,
        "role": role,
        "envs": envs,
        "indexes": indexes,
        "enabled": enabled,
        "saml_identity": saml_identity,
        "password": ask_password(password_stdin, is_new=True) if is_new_password else None,
    }
    update(USERS, Remote(url, token), name, changes, format)


def run_login(
    username: Annotated[str, typer.Option(help="Username.")],
    password_stdin: PasswordStdin = False,
    url: Url = DEFAULT_URL,
) -> None:
    """Sign in and print the session token: export LOGBOOM_TOKEN=$(logboom login --username …)."""
    password = ask_password(password_stdin, is_new=False)
    with Remote(url, "") as remote:
        typer.echo(remote.login(username, password))


COMMANDS: dict[str, Callable[..., None]] = {
    "list": make_list(USERS),
    "create": run_create,
    "update": run_update,
    "delete": make_delete(USERS),
}

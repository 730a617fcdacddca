"""`logboom env`: the environments of a server."""

from collections.abc import Callable
from typing import Annotated

import typer

from logboom.base.errors import Invalid
from logboom.cli.options import DEFAULT_URL, Format, Printed, Token, Url
from logboom.cli.remote.collection import Collection, create, make_list, print_rows, read_row
from logboom.cli.remote.server import Remote

ENVIRONMENTS = Collection(
    "environment",
    "/api/envs",
    name="name",
    columns=("name", "retention_days", "retention_bytes"),
)

Name = Annotated[str, typer.Argument(help="Name of the environment.")]
Retention = Annotated[
    int | None, typer.Option("--retention-days", help="Days to keep its events.", min=1)
]
Size = Annotated[
    int | None,
    typer.Option("--retention-bytes", help="Maximum size of its blocks, in bytes.", min=1),
]


def run_create(
    name: Name,
    retention_days: Retention = None,
    retention_bytes: Size = None,
    url: Url = DEFAULT_URL,
    token: Token = "",
    format: Printed = Format.TABLE,
) -> None:
    """Create an environment; without --retention-days it uses the general retention."""
    members = {"name": name, "retention_days": retention_days, "retention_bytes": retention_bytes}
    create(ENVIRONMENTS, Remote(url, token), members, format)


def run_update(  # noqa: PLR0913 - one argument an option
    name: Name,
    retention_days: Retention = None,
    retention_bytes: Size = None,
    general: Annotated[
        bool,
        typer.Option(
            "--general-retention", help="Remove its own limits and use the general retention."
        ),
    ] = False,
    url: Url = DEFAULT_URL,
    token: Token = "",
    format: Printed = Format.TABLE,
) -> None:
    """Change how long events are kept, or how many bytes they may take."""
    limits = {"retention_days": retention_days, "retention_bytes": retention_bytes}
    changes = {member: limit for member, limit in limits.items() if limit is not None}
    if general == bool(changes):
        raise Invalid(
            f"unclear what to change for {name!r}, expected --retention-days and --retention-bytes, or --general-retention alone"
        )
    with Remote(url, token) as remote:
        place = ENVIRONMENTS.locate(ENVIRONMENTS.find(remote, name))
        row = read_row(remote, remote.call("PATCH", place, limits if general else changes))
    print_rows(ENVIRONMENTS.columns, [row], format)


def run_delete(
    name: Name,
    confirm: Annotated[
        str | None, typer.Option(help="Confirm by repeating the name, when there is no terminal.")
    ] = None,
    url: Url = DEFAULT_URL,
    token: Token = "",
) -> None:
    """Delete an environment and all its events permanently."""
    with Remote(url, token) as remote:
        row = ENVIRONMENTS.find(remote, name)
        question = f"All events of {name!r} will be deleted. Type the name to confirm"
        repeated = typer.prompt(question, err=True) if confirm is None else confirm
        if repeated != name:
            raise Invalid(f"{repeated!r} is not the environment's name, expected {name!r}")
        remote.call("DELETE", ENVIRONMENTS.locate(row), params={"name": repeated})


COMMANDS: dict[str, Callable[..., None]] = {
    "list": make_list(ENVIRONMENTS),
    "create": run_create,
    "update": run_update,
    "delete": run_delete,
}

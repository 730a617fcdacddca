"""`logboom alerts`: list a server's alerts, see when they fired and who was notified, mute and enable them."""

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
import typer

from logboom.cli.options import DEFAULT_URL, Format, Printed, Token, Url
from logboom.cli.remote.collection import Collection, make_delete, print_rows
from logboom.cli.remote.server import Remote

ALERTS = Collection(
    "alert",
    "/api/alerts",
    name="name",
    columns=("name", "severity", "status", "since", "value", "muted_until", "owner", "id"),
)
EPISODE_COLUMNS = ("from", "to", "highest", "sent")

Name = Annotated[str, typer.Argument(help="Name or id of the alert.")]
Firing = Annotated[bool, typer.Option("--firing", help="Only alerts that are firing.")]
Until = Annotated[
    str, typer.Option("--until", help="Mute until this time: absolute, or relative such as now+2h.")
]


def run_list(
    firing: Firing = False,
    url: Url = DEFAULT_URL,
    token: Token = "",
    format: Printed = Format.TABLE,
) -> None:
    """List the alerts and their states."""
    with Remote(url, token) as remote:
        rows = [flatten(row) for row in ALERTS.read(remote)]
    print_rows(ALERTS.columns, [row for row in rows if not firing or is_firing(row)], format)


def flatten(row: dict[str, Any]) -> dict[str, Any]:
    """Flatten an alert: the members of its state become members of the row."""
    state = row.get("state") or {}
    return {**row, **{name: state.get(name) for name in ("status", "since", "value")}}


def is_firing(row: dict[str, Any]) -> bool:
    return row.get("status") == "firing"


def run_history(
    name: Name, url: Url = DEFAULT_URL, token: Token = "", format: Printed = Format.TABLE
) -> None:
    """Show when an alert fired and which notifications were sent."""
    with Remote(url, token) as remote:
        place = ALERTS.locate(ALERTS.find(remote, name))
        try:
            rows = msgspec.convert(remote.call("GET", f"{place}/history"), list[dict[str, Any]])
        except msgspec.ValidationError as error:
            raise remote.refuse() from error
    if format is Format.TABLE:
        rows = [{**row, "sent": [describe_sent(sent) for sent in row["sent"]]} for row in rows]
    print_rows(EPISODE_COLUMNS, rows, format)


def describe_sent(sent: dict[str, Any]) -> str:
    error = f" ({sent['error']})" if sent.get("error") else ""
    return f"{sent['state']} to {sent['name'] or sent['channel']}: {sent['status']}{error}"


def run_mute(
    name: Name,
    until: Until,
    url: Url = DEFAULT_URL,
    token: Token = "",
) -> None:
    """Stop the notifications of an alert for a while; it is still checked."""
    change(name, {"muted_until": until}, url, token)


def run_unmute(name: Name, url: Url = DEFAULT_URL, token: Token = "") -> None:
    """Resume the notifications of an alert; one that is firing is reported at its next check."""
    change(name, {"muted_until": None}, url, token)


def run_enable(name: Name, url: Url = DEFAULT_URL, token: Token = "") -> None:
    """Enable an alert."""
    change(name, {"enabled": True}, url, token)


def run_disable(name: Name, url: Url = DEFAULT_URL, token: Token = "") -> None:
    """Disable an alert."""
    change(name, {"enabled": False}, url, token)


def change(name: str, changes: dict[str, object], url: str, token: str) -> None:
    with Remote(url, token) as remote:
        remote.call("PATCH", ALERTS.locate(ALERTS.find(remote, name)), changes)


COMMANDS: dict[str, Callable[..., None]] = {
    "list": run_list,
    "history": run_history,
    "mute": run_mute,
    "unmute": run_unmute,
    "enable": run_enable,
    "disable": run_disable,
    "delete": make_delete(ALERTS),
}

"""`logboom doctor`: checks whether everything a service needs is in place. Safe beside a running service."""

import typer

from logboom.base.clock import system_clock
from logboom.cli.options import DataDirectory, StoreAddress
from logboom.cli.screen import defuse
from logboom.config import load_settings

COLOURS = {"ok": "green", "warn": "yellow", "FAIL": "red"}


def run_doctor(data: DataDirectory = None, store: StoreAddress = None) -> None:
    """Check a data directory: store, keys, permissions, clock, disk. Exits with status 1 if something is wrong."""
    # Imported here because queries from the shell should not wait for the server's modules.
    from logboom.cli.maintenance.checkup import Installation, examine  # noqa: PLC0415

    place = Installation(load_settings({"data_dir": data, "store_url": store}), system_clock())
    statuses = set()
    for name, finding in examine(place):
        statuses.add(str(finding.status))
        status = typer.style(f"{finding.status:<5}", fg=COLOURS[finding.status])
        typer.echo(status + defuse(f"{name:<18} {finding.describe()}"))
    if "FAIL" in statuses:
        raise typer.Exit(1)

"""`logboom check` and `logboom repair`: find damage in a store and repair it."""

from typing import Annotated

import typer

from logboom.cli.options import DataDirectory, StoreAddress
from logboom.config import load_settings

Place = Annotated[
    str,
    typer.Argument(
        help="Data directory, or the directory or bucket (s3://bucket/prefix) of a store."
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only print what would be done.")]
From = Annotated[
    str | None, typer.Option("--from", help="Backup with intact copies of damaged blocks.")
]


def run_check(place: Place, store: StoreAddress = None) -> None:
    """Read every file of a store and report the damaged and missing ones; exits with status 1 if there are any."""
    # Imported here because queries from the shell should not wait for the server's modules.
    from logboom.cli.maintenance.soundness import check  # noqa: PLC0415

    if not check(place, store):
        raise typer.Exit(1)


def run_repair(
    data: DataDirectory = None,
    store: StoreAddress = None,
    dry_run: DryRun = False,
    backup: From = None,
) -> None:
    """Repair the store of a stopped service: rebuild indexes, set damaged blocks aside, report what is lost."""
    from logboom.cli.maintenance.soundness import repair  # noqa: PLC0415 - as above

    settings = load_settings({"data_dir": data, "store_url": store})
    if not repair(settings, backup, dry_run=dry_run):
        raise typer.Exit(1)

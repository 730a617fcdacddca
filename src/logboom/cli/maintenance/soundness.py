"""Implements `logboom check` and `logboom repair`, with line-by-line output."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from logboom.base.clock import system_clock
from logboom.base.errors import Conflict, LogboomError, NotFound, Unavailable
from logboom.base.files import lock_directory
from logboom.base.stores.local import LocalObjects
from logboom.base.stores.objects import ObjectStore
from logboom.base.stores.opening import open_objects
from logboom.base.wording import count
from logboom.cli.maintenance.backup import open_place, parse
from logboom.cli.screen import defuse
from logboom.config import Settings
from logboom.model.shredder import open_shredder
from logboom.store.backup.manifest import read_manifest
from logboom.store.integrity.check import Checked, check_store
from logboom.store.integrity.repair import Repair, RepairStep
from logboom.store.reader import StoreReader, find_store
from logboom.store.wal.survey import Survey, survey_log

CACHE_BYTES = 1 << 30


def check(place: str, store: str | None) -> bool:
    """Check a store; return whether it has no damaged or missing files."""
    data_dir = parse(place)
    with open_checked(store or place) as objects, translated("cannot be checked"):
        checked = check_store(objects, system_clock)
        survey = look_at_log(data_dir, objects) if isinstance(data_dir, Path) else Survey()
    typer.echo(
        f"version {checked.version}, {count(checked.blocks, 'block')} with "
        f"{count(checked.events, 'event')}; write-ahead log: {count(survey.records, 'record')}, "
        f"{count(survey.events, 'event')} not yet in blocks"
    )
    for path in checked.orphans:
        typer.echo(f"note: {defuse(path)} is not in the catalog; it will be deleted")
    if survey.torn_bytes:
        typer.echo(f"note: the write-ahead log ends with {survey.torn_bytes} unfinished bytes")
    return not count_damages(checked, survey)


def count_damages(checked: Checked, survey: Survey) -> int:
    """Print every damage, and return their number."""
    damages = {damage.name: damage.describe() for damage in checked.damages}
    damages |= {f"wal/{name}": reason for name, reason in survey.damaged.items()}
    for name, reason in damages.items():
        typer.echo(f"damaged: {defuse(name)}: {defuse(reason)}")
    if not damages:
        typer.echo("no damage found")
    return len(damages)


def repair(settings: Settings, backup: str | None, *, dry_run: bool) -> bool:
    """Repair a store; return whether no damage is left."""
    if not settings.data_dir.is_dir():
        raise NotFound(f"no directory {settings.data_dir}, expected one that a service has used")
    if settings.store_dir is not None and not settings.store_dir.is_dir():
        raise NotFound(f"no store at {settings.store_dir}")
    copies = open_place(backup, settings) if backup else None
    if copies:
        read_manifest(copies)
    with locked(settings.data_dir), translated("cannot be repaired"):
        objects = settings.open_store()
        checked = check_store(objects, system_clock)
        survey = look_at_log(settings.data_dir, objects)
        steps = Repair(objects, settings.data_dir, system_clock, copies).plan(checked, survey)
        outcomes = [carry_out(step, dry_run=dry_run) for step in steps]
    if not outcomes:
        typer.echo("no damage found")
    return all(outcomes)


def carry_out(step: RepairStep, *, dry_run: bool) -> bool:
    """Print a step and carry it out; return False if the damage remains."""
    typer.echo(f"{'would: ' if dry_run else ''}{defuse(step.name)}: {defuse(step.outcome)}")
    if step.act is None or dry_run:
        return False
    try:
        step.act()
    except LogboomError as error:
        typer.echo(f"failed: {defuse(step.name)}: {defuse(error.message)}", err=True)
        return False
    return True


@contextmanager
def open_checked(place: str) -> Iterator[ObjectStore]:
    """Open a store whose files are read from the bucket itself, not from a cache."""
    found = parse(place)
    if isinstance(found, Path):
        yield LocalObjects(find_store(found))
        return
    with tempfile.TemporaryDirectory() as folder:
        yield open_objects(found, Path(folder), CACHE_BYTES)


def look_at_log(data_dir: Path, objects: ObjectStore) -> Survey:
    """Return the write-ahead log of a data directory; an empty survey if it has none."""
    if not (data_dir / "wal").is_dir():
        return Survey()
    return survey_log(data_dir / "wal", find_committed(data_dir, objects), open_shredder())


def find_committed(data_dir: Path, objects: ObjectStore) -> int:
    """Return the last record that is in blocks; 0 while unknown."""
    try:
        node = (data_dir / "node").read_text().strip()
        return StoreReader(objects).snapshot().transactions.get(node, 0)
    except (LogboomError, OSError):
        return 0


@contextmanager
def locked(data_dir: Path) -> Iterator[None]:
    try:
        handle = lock_directory(data_dir)
    except Unavailable as error:
        raise Conflict(f"{error.message}: stop the service first") from error
    try:
        yield
    finally:
        os.close(handle)


@contextmanager
def translated(outcome: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(f"the store {outcome}: {error}") from error

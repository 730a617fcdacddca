"""`logboom admin`: maintenance of a stopped service, or of a store that several nodes share."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from logboom.base.errors import Invalid, NotFound, Unavailable
from logboom.base.files import lock_directory, replace_file, sync_directory
from logboom.base.stores.objects import ObjectStore
from logboom.cli.maintenance.departing import run_forget_node
from logboom.cli.options import DataDirectory, StoreAddress
from logboom.cli.screen import defuse
from logboom.config import Settings, load_settings
from logboom.control.documents.secrets import name_new_key, name_old_key


def run_rotate_key(data: DataDirectory = None, store: StoreAddress = None) -> None:
    """Give the control documents of a stopped service a new key. If interrupted, run it again."""
    settings = load_settings({"data_dir": data, "store_url": store})
    if settings.control_encryption == "off":
        raise Invalid("SERVICE_CONTROL_ENCRYPTION is off, expected on: there is no key to rotate")
    try:
        with locked(settings):
            rotate_key(settings.control_key_file, settings.open_store())
    except OSError as error:
        raise Unavailable(f"the key cannot be rotated: {error}") from error
    typer.echo(f"the control documents have a new key: {defuse(str(settings.control_key_file))}")
    kept = defuse(str(name_old_key(settings.control_key_file)))
    note = f"the old key is kept in {kept}: restoring older backups needs it; delete it when they are gone"
    typer.echo(note, err=True)


@contextmanager
def locked(settings: Settings) -> Iterator[None]:
    """Hold the lock of the data directory, so that no service can start meanwhile."""
    for directory in (settings.data_dir, settings.store_dir):
        if directory is not None and not directory.is_dir():
            raise NotFound(f"no directory {directory}, expected the data of a service")
    handle = lock_directory(settings.data_dir)
    try:
        yield
    finally:
        os.close(handle)


def rotate_key(path: Path, objects: ObjectStore) -> None:
    """Write the new key beside the old one, re-encrypt every document, then replace the old key.

    If this is interrupted at any point, both keys exist, and running it again continues with the same new key.
    """
    # Imported here because queries from the shell should not wait for the server's modules.
    from logboom.control.documents.rotate import rotate  # noqa: PLC0415
    from logboom.control.documents.secrets import read_or_create_secret, read_secret  # noqa: PLC0415

    old_key = read_secret(path)
    new_key = read_or_create_secret(name_new_key(path))
    rotate(objects, old_key, new_key)
    replace_file(name_old_key(path), path.read_bytes())
    name_new_key(path).replace(path)
    sync_directory(path.parent)


COMMANDS: dict[str, Callable[..., None]] = {
    "rotate-key": run_rotate_key,
    "forget-node": run_forget_node,
}

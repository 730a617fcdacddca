"""`logboom admin forget-node`: remove a node that shared a store and will not come back."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from logboom.base.clock import system_clock
from logboom.base.errors import Conflict, Invalid, NotFound, Unavailable
from logboom.base.stores.objects import ObjectStore
from logboom.cli.options import DataDirectory, StoreAddress
from logboom.config import Settings, load_settings

NodeName = Annotated[str, typer.Argument(help="Name of the node, as shown by the status.")]
LogDirectory = Annotated[
    Path | None,
    typer.Option("--wal", help="The node's data directory, to save the events in its log."),
]
GiveUp = Annotated[
    bool,
    typer.Option(
        "--give-up-wal", help="The node's disk is lost: give up the events that only its log had."
    ),
]


def run_forget_node(
    node: NodeName,
    wal: LogDirectory = None,
    give_up_wal: GiveUp = False,
    data: DataDirectory = None,
    store: StoreAddress = None,
) -> None:
    """Save the log of a node that is gone into the store, or give it up, and retire the node's name.

    The other nodes keep running. No data directory can use the name again.
    """
    if (wal is None) is not give_up_wal:
        raise Invalid("expected either --wal with the node's data directory, or --give-up-wal")
    settings = load_settings({"data_dir": data, "store_url": store})
    try:
        forget_node(node, wal, settings)
    except OSError as error:
        raise Unavailable(f"cannot forget node {node}: {error}") from error
    if wal:
        typer.echo(f"node {node} is forgotten; all events of its log are in the store")
    else:
        typer.echo(
            f"node {node} is forgotten; events that it had acknowledged but not flushed are lost"
        )


def forget_node(node: str, wal: Path | None, settings: Settings) -> None:
    # Imported here because queries from the shell should not wait for the server's modules.
    from logboom.control.documents.cipher import AesCipher, PlainCipher  # noqa: PLC0415
    from logboom.control.documents.secrets import read_secret  # noqa: PLC0415
    from logboom.control.documents.store import Documents  # noqa: PLC0415
    from logboom.control.registry.nodes import Nodes  # noqa: PLC0415
    from logboom.store.catalog.catalog import Catalog  # noqa: PLC0415
    from logboom.store.node import retire_node  # noqa: PLC0415

    objects = settings.open_store()
    is_encrypted = settings.control_encryption == "on"
    cipher = AesCipher(read_secret(settings.control_key_file)) if is_encrypted else PlainCipher()
    nodes = Nodes(Documents(objects, cipher), system_clock)
    catalog = Catalog(objects, system_clock)
    catalog.follow()
    known = nodes.by_name.get(node)
    if known and not nodes.is_missing(known):
        raise Conflict(
            f"node {node} was active less than five minutes ago: stop it, wait five minutes, and try again"
        )
    if wal:
        carry_over(node, wal, settings, objects)
        catalog.refresh()
    retire_node(catalog, node)
    nodes.forget(node, "carried over" if wal else "given up")


def carry_over(node: str, wal: Path, settings: Settings, objects: ObjectStore) -> None:
    """Open the store as that node once, which moves all events of its log into blocks."""
    from logboom.model.shredder import open_shredder  # noqa: PLC0415
    from logboom.store.node import read_node  # noqa: PLC0415
    from logboom.store.store import Store  # noqa: PLC0415

    if not (wal / "node").is_file():
        raise NotFound(f"{wal} is not the data directory of a node")
    if (found := read_node(wal / "node")) != node:
        raise Invalid(f"{wal} is the data directory of node {found}, expected that of {node}")
    options = replace(settings.store_options, data_dir=wal, compaction_secs=None)
    store = Store(options, objects, open_shredder(), system_clock)
    try:
        store.open()
        store.flush().result()
    finally:
        store.close()

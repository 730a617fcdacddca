"""`logboom admin forget-node`: a node that shared a store and will not come back."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from logboom.base.clock import system_clock
from logboom.base.errors import Conflict, Invalid, NotFound, Unavailable
from logboom.base.stores.objects import ObjectStore
from logboom.cli.options import DataDirectory, StoreAddress
from logboom.config import Settings, load_settings

NodeName = Annotated[str, typer.Argument(help="The node, as the status names it.")]
LogDirectory = Annotated[
    Path | None, typer.Option("--wal", help="The node's data directory, to carry its log over.")
]
GiveUp = Annotated[
    bool, typer.Option("--give-up-wal", help="Its disk is lost, with what only its log had.")
]


def run_forget_node(
    node: NodeName,
    wal: LogDirectory = None,
    give_up_wal: GiveUp = False,
    data: DataDirectory = None,
    store: StoreAddress = None,
) -> None:
    """Bring the log of a node that is gone into the store, or give it up, and end the node's name.

    The other nodes go on meanwhile. No data directory can use the name again.
    """
    if (wal is None) is not give_up_wal:
        raise Invalid("expected either --wal with the node's data directory, or --give-up-wal")
    settings = load_settings({"data_dir": data, "store_url": store})
    try:
        forget_node(node, wal, settings)
    except OSError as error:
        raise Unavailable(f"node {node} cannot be forgotten: {error}") from error
    if wal:
        typer.echo(f"node {node} is forgotten; all events of its log are in the store")
    else:
        typer.echo(
            f"node {node} is forgotten; events that it had acknowledged and not yet flushed are given up"
        )


def forget_node(node: str, wal: Path | None, settings: Settings) -> None:
    # Not at the top: a query from the shell should not wait for the parts of a server.
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
            f"node {node} was heard of less than five minutes ago: stop it, and wait that long"
        )
    if wal:
        carry_over(node, wal, settings, objects)
        catalog.refresh()
    retire_node(catalog, node)
    nodes.forget(node, "carried over" if wal else "given up")


def carry_over(node: str, wal: Path, settings: Settings, objects: ObjectStore) -> None:
    """Open the store as that node for a moment: then all events of its log are in blocks."""
    from logboom.model.shredder import open_shredder  # noqa: PLC0415
    from logboom.store.node import read_node  # noqa: PLC0415
    from logboom.store.store import Store  # noqa: PLC0415

    if not (wal / "node").is_file():
        raise NotFound(f"no data directory of a node at {wal}")
    if (found := read_node(wal / "node")) != node:
        raise Invalid(f"{wal} is the data directory of node {found}, expected that of {node}")
    options = replace(settings.store_options, data_dir=wal, compaction_secs=None)
    store = Store(options, objects, open_shredder(), system_clock)
    try:
        store.open()
        store.flush().result()
    finally:
        store.close()

"""The name of a node, and its claim to commit under that name.

A name may end up on two machines, for example when a disk image is copied. The log says which process holds it: each
start claims it again, and only a data directory that knows the last claim may do so.
"""

import os
import re
import secrets
from pathlib import Path

from logboom.base.errors import Conflict, Corrupt, NotFound, Unavailable
from logboom.base.files import publish_new, replace_file
from logboom.base.versions import CLAIM, check_version, parse_version
from logboom.store.catalog.catalog import Catalog
from logboom.store.wal.segment import HEADER_BYTES

NODE_NAME = re.compile("[0-9a-f]{8}")
CLAIM_BITS = 62
CLAIMS = "claim"
"""The file beside the name that keeps the claims."""
LOG = "wal"
"""The directory beside the name that has the write-ahead log."""
FORMAT = re.compile(r"format=(\d+\.\d+)")


def read_node(path: Path) -> str:
    """Return the name of this node, created on first use; raise Unavailable if it is missing beside a used log."""
    if not path.exists():
        check_unused(path)
        # Claims made under another name are of no use to a new one.
        path.with_name(CLAIMS).unlink(missing_ok=True)
        publish_new(path, os.urandom(4).hex().encode())
    name = path.read_bytes().decode(errors="replace").strip()
    if not NODE_NAME.fullmatch(name):
        raise Corrupt(str(path), 0, f"{name!r} is not the name of a node, expected 8 hex digits")
    return name


def check_unused(path: Path) -> None:
    """Raise Unavailable if there is a log of the node whose name is missing.

    Under another name, events that are already in blocks would be replayed from it again.
    """
    log = path.with_name(LOG)
    if log.is_dir() and any(each.stat().st_size > HEADER_BYTES for each in log.iterdir()):
        raise Unavailable(
            f"{path} is missing, but {log} has events of the node that it names: restore it from a backup, or write "
            "the node's name into it, which is the appId of its transactions in the store's _delta_log"
        )


def check_claim(catalog: Catalog, node: str, path: Path) -> int | None:
    """Return the last claim to the name; raise Unavailable if another data directory than that of `path` made it."""
    held = catalog.find_claim(node)
    if held is None:
        check_name(catalog, node, path)
    if held is not None and held not in read_claims(path):
        raise held_elsewhere(node, path)
    return held


def claim_node(catalog: Catalog, node: str, path: Path) -> None:
    """Become the process that commits as `node`; `path` keeps the claims this directory has made.

    Raise Unavailable if another data directory holds the name. May be retried after any failure.
    """
    held = check_claim(catalog, node, path)
    claim = secrets.randbits(CLAIM_BITS) + 1
    # Written before the commit, so that a crash between the two does not lock this directory out.
    write_claims(path, [claim] if held is None else [held, claim])
    try:
        catalog.claim(node, claim, expected=held)
    except Conflict as error:
        raise held_elsewhere(node, path) from error
    write_claims(path, [claim])


def retire_node(catalog: Catalog, node: str) -> None:
    """Retire the name of a node permanently: no data directory can commit under it again.

    Raise NotFound if no node of this name ever wrote; raise Conflict if its process has just started again.
    """
    held = catalog.find_claim(node)
    if held is None:
        known = ", ".join(sorted(catalog.snapshot.claims)) or "none"
        raise NotFound(f"no node {node!r} has used this store, expected one of: {known}")
    catalog.claim(node, secrets.randbits(CLAIM_BITS) + 1, expected=held)


def check_name(catalog: Catalog, node: str, path: Path) -> None:
    """Raise Corrupt if the claims of this directory were made under another name than its current one.

    Under a wrong name, events that are already in blocks would be replayed from the write-ahead log again.
    """
    claims = read_claims(path)
    for name, claim in catalog.snapshot.claims.items():
        if claim in claims:
            reason = f"it says {node}, but this data directory works as node {name}"
            raise Corrupt(str(path.with_name("node")), 0, reason)


def read_claims(path: Path) -> list[int]:
    """Return the claims in the file; empty if it is missing or damaged. Raise TooNew if a newer build wrote it."""
    try:
        words = path.read_text().split()
    except (FileNotFoundError, UnicodeDecodeError):
        return []
    for version in filter(None, map(FORMAT.fullmatch, words)):
        check_version(str(path), parse_version(version[1]), CLAIM)
    return [int(word) for word in words if word.isdecimal()]


def write_claims(path: Path, claims: list[int]) -> None:
    replace_file(path, " ".join([f"format={CLAIM}", *map(str, claims)]).encode())


def held_elsewhere(node: str, path: Path) -> Unavailable:
    return Unavailable(
        f"another data directory works as node {node}, as after copying a disk image, or {path} is damaged: stop the other, or "
        f"delete {path.with_name('node')} and {path.with_name('wal')} in a copy that has no events of its own"
    )

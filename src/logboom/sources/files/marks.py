"""How long read positions are remembered: as long as the files exist, and some time longer.

A negative mark belongs to a file that has been gone since the mark was set to that. If the file returns, the mark is
restored; after a while it is deleted, and the file would be read from its start.
"""

from collections.abc import Iterator, Mapping, Set
from itertools import islice

from logboom.base.clock import NS_PER_DAY, NS_PER_S
from logboom.store.catalog.marks import Mark, Marks, find_owner
from logboom.store.store import Store

KEPT_NS = 7 * NS_PER_DAY
"""Longer than files usually disappear for, such as for a disk repair or a weekly rotation."""
REVIEW_NS = 3600 * NS_PER_S
CHANGED_AT_ONCE = 5_000
"""As many marks as one commit changes."""
NS_PER_MS = 1_000_000


def name_prefix(source_id: str, generation: int) -> str:
    """Return the prefix of the marks of a source's files."""
    return f"{source_id}.{generation}/"


def review(
    marks: Mapping[str, Mark], generation: int, present: Set[str], now_ns: int
) -> Iterator[Marks]:
    """Return what to change in the marks of one source's files, once all existing files are known.

    `present` names the marks of existing files. Marks from before the last reset are deleted.
    """
    changes: dict[str, int] = {}
    for name, (value, set_ms) in marks.items():
        age = generation - read_generation(name)
        if age > 0:
            changes[name] = 0
        elif age < 0:
            continue  # another node already knows of a reset
        elif (value > 0) != (name in present):
            changes[name] = -value
        elif value < 0 and now_ns - set_ms * NS_PER_MS >= KEPT_NS:
            changes[name] = 0
    return cut(changes)


def read_generation(name: str) -> int:
    return int(name.split("/")[0].rpartition(".")[2])


def find_deserted(store: Store, sources: Set[str], now_ns: int) -> dict[str, list[str]]:
    """Return the marks of each deleted source, if none of them was set for long."""
    deserted: dict[str, list[str]] = {}
    recent: set[str] = set()
    for name, mark in store.list_marks("").items():
        owner = find_owner(name)
        if owner not in sources:
            deserted.setdefault(owner, []).append(name)
            if now_ns - mark.set_ms * NS_PER_MS < KEPT_NS:
                recent.add(owner)
    return {owner: names for owner, names in deserted.items() if owner not in recent}


def end_marks(store: Store, names: list[str]) -> None:
    for changes in cut(dict.fromkeys(names, 0)):
        store.set_marks(changes)


def cut(changes: Marks) -> Iterator[Marks]:
    rest = iter(changes.items())
    while some := dict(islice(rest, CHANGED_AT_ONCE)):
        yield some

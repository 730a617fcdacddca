"""Converts the actions of a commit to what it changes, and determines what the next commit must say."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from logboom.store.catalog.actions import (
    Action,
    Add,
    Commit,
    Remove,
    Transaction,
    describe_block,
    read_block,
)
from logboom.store.catalog.log import name_commit
from logboom.store.catalog.marks import PREFIX, Mark
from logboom.store.catalog.snapshot import CommitStep, Snapshot
from logboom.store.catalog.table import check_table

CLOCK = "clock"
"""The number under this name is a time in milliseconds that is known to be right."""
HOLDER = "holder/"
"""The number under `holder/<node>` is the claim of the process that may commit as that node."""


class Numbers(NamedTuple):
    """The numbers of a commit, by what they mean."""

    transactions: dict[str, int]
    claims: dict[str, int]
    marks: dict[str, Mark]
    confirmed_ms: int


def read_step(
    commit: Commit, version: int, snapshot: Snapshot
) -> tuple[CommitStep, dict[str, Mark]]:
    """Return what a commit changes, and the marks it sets. Raise TooNew if a newer build changed the log's format."""
    if commit.info is None:
        return read_foreign_step(commit, version, snapshot), {}
    metadata = commit.find_metadata()
    if metadata:
        check_table(metadata, name_commit(version))
    numbers = sort_numbers(commit.list_numbers())
    removed = commit.list_removed()
    # A commit may name a block twice, such as when it updates one that it restores for other engines.
    added = {block.path: block for block in map(read_block, commit.list_added())}
    step = CommitStep(
        version=version,
        time_ms=commit.info.timestamp,
        added=tuple(added.values()),
        removed={each.path: each.deletionTimestamp or 0 for each in removed},
        merged=frozenset(each.path for each in removed if not each.dataChange),
        transactions=numbers.transactions,
        claims=numbers.claims,
        confirmed_ms=numbers.confirmed_ms,
        metadata=metadata,
    )
    return step, numbers.marks


def read_foreign_step(commit: Commit, version: int, snapshot: Snapshot) -> CommitStep:
    """Return what another engine's commit does to the table as others see it; live blocks do not change."""
    removed = {each.path for each in commit.list_removed()}
    added = {each.path for each in commit.list_added()}
    return CommitStep(
        version=version,
        removed=dict.fromkeys(removed & snapshot.strays, 0),
        strays=frozenset(path for path in added if not snapshot.is_live(path)),
        missing=frozenset(path for path in removed | added if snapshot.is_live(path)),
        is_altered=bool(commit.find_metadata() or commit.find_protocol()),
    )


def sort_numbers(numbers: Iterable[Transaction]) -> Numbers:
    found = Numbers({}, {}, {}, 0)
    for each in numbers:
        if each.appId.startswith(PREFIX):
            mark = Mark(each.version, each.lastUpdated or 0)
            found.marks[each.appId.removeprefix(PREFIX)] = mark
        elif each.appId.startswith(HOLDER):
            found.claims[each.appId.removeprefix(HOLDER)] = each.version
        elif each.appId == CLOCK:
            found = found._replace(confirmed_ms=each.version)
        else:
            found.transactions[each.appId] = each.version
    return found


def undo_foreign(snapshot: Snapshot, now_ms: int, removes: Collection[str] = ()) -> list[Action]:
    """Return the actions that restore the table's files as this program knows them, except blocks in `removes`."""
    removed = [
        Action(remove=Remove(path, dataChange=False, deletionTimestamp=now_ms))
        for path in sorted(snapshot.strays)
    ]
    missing = snapshot.missing.difference(removes)
    live = [block for path in sorted(missing) if (block := snapshot.find(path))]
    added = [Action(add=describe_block(block, now_ms)) for block in live]
    return [*removed, *added]


def is_ours(add: Add) -> bool:
    """Return whether one of our nodes wrote the file that an `add` names."""
    return add.tags is not None and {"env", "day", "node"} <= add.tags.keys()

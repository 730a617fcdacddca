"""Names of fields that blocks have, known from their indexes alone."""

from collections.abc import Callable, Iterable
from contextlib import suppress

from logboom.base.errors import Corrupt
from logboom.control.globs import EVERY_INDEX, IndexBounds
from logboom.engine.search import BlockSource
from logboom.model.names import fold_name

MAX_BLOCKS = 50
"""The newest blocks that are asked; older ones rarely know other names."""


def list_fields(store: BlockSource, envs: Iterable[str], allowed: IndexBounds) -> set[str]:
    """The folded names of fields in the newest blocks of some environments.

    Blocks that hold indexes beside the allowed ones are left out: they would tell of those too.
    """
    newest = store.snapshot().list_newest(envs, MAX_BLOCKS)
    names: set[str] = set()
    for info in newest:
        # Whoever needs the events of a damaged block is told then.
        with suppress(Corrupt):
            index = store.indexes.read(info)
            if all(map(allowed.covers, index.indexes)):
                names.update(index.names_by_field)
    return names


def knows_field(
    store: BlockSource, envs: Iterable[str], allowed: IndexBounds = EVERY_INDEX
) -> Callable[[str], bool]:
    """Whether a name is a field there; nothing is looked at before the first question."""
    known: set[str] | None = None

    def knows(name: str) -> bool:
        nonlocal known
        if known is None:
            known = list_fields(store, envs, allowed)
        return fold_name(name) in known

    return knows

"""Batches to blocks, whatever is in them: one that cannot be made into blocks is set aside, and the others go on."""

import logging
from collections.abc import Sequence

import polars as pl

from logboom.base.errors import Unavailable
from logboom.model.batch import Batch
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import BlockWriter
from logboom.store.set_aside import SetAside

log = logging.getLogger(__name__)

STORE_FAILURES = (OSError, Unavailable)
"""What may go better another time."""
INDIGESTIBLE = (Exception, pl.exceptions.PanicException)
"""Anything else: the same batch would fail again and again, and hold up all that came after it."""


class Digester:
    """Writes the blocks of a flush. Not for more than one thread at a time."""

    def __init__(self, blocks: BlockWriter, set_aside: SetAside) -> None:
        self._blocks = blocks
        self._set_aside = set_aside

    def write(self, batches: Sequence[Batch]) -> list[BlockInfo]:
        """Durable blocks of all batches but those that are set aside; nothing refers to them yet.

        OSError or Unavailable when the store does not take them.
        """
        try:
            return self._blocks.write(batches)
        except STORE_FAILURES:
            raise
        except INDIGESTIBLE:
            log.exception("a flush failed, its batches are tried one by one")
        return self._write_whole([batch for batch in batches if self._is_whole(batch)])

    def _is_whole(self, batch: Batch) -> bool:
        """Whether a batch can be made into blocks; if not it is set aside."""
        try:
            self._blocks.rehearse(batch)
        except INDIGESTIBLE as error:
            self._set_aside.keep(batch, error)
            return False
        return True

    def _write_whole(self, batches: Sequence[Batch]) -> list[BlockInfo]:
        try:
            return self._blocks.write(batches)
        except STORE_FAILURES:
            raise
        except INDIGESTIBLE:
            log.exception("batches that are well alone fail together, each gets blocks of its own")
        return self._write_each(batches)

    def _write_each(self, batches: Sequence[Batch]) -> list[BlockInfo]:
        written: list[BlockInfo] = []
        try:
            for batch in batches:
                written += self._blocks.write([batch])
        except BaseException:
            self._blocks.discard(block.path for block in written)
            raise
        return written

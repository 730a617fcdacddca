"""Writes batches to blocks; a batch that cannot be written is set aside, and the others continue."""

import logging
from collections.abc import Sequence

import polars as pl

from logboom.base.errors import Unavailable
from logboom.model.batch import Batch
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import BlockWriter
from logboom.store.integrity.set_aside import SetAside

log = logging.getLogger(__name__)

STORE_FAILURES = (OSError, Unavailable)
"""Failures that may be temporary."""
INDIGESTIBLE = (Exception, pl.exceptions.PanicException)
"""Any other failure: the same batch would fail again and again, and block everything after it."""


class Digester:
    """Writes the blocks of a flush. Not thread-safe."""

    def __init__(self, blocks: BlockWriter, set_aside: SetAside) -> None:
        self._blocks = blocks
        self._set_aside = set_aside

    def write(self, batches: Sequence[Batch]) -> list[BlockInfo]:
        """Write durable blocks of all batches except those set aside; nothing refers to them yet.

        Raise OSError or Unavailable if the store does not accept them.
        """
        try:
            return self._blocks.write(batches)
        except STORE_FAILURES:
            raise
        except INDIGESTIBLE:
            log.exception("a flush failed, its batches are tried one by one")
        return self._write_whole([batch for batch in batches if self._is_whole(batch)])

    def _is_whole(self, batch: Batch) -> bool:
        """Return whether a batch can be written to blocks; if not it is set aside."""
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
            log.exception("batches fail together but not alone, each gets blocks of its own")
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

"""Merging of blocks on a cluster: a worker writes the new blocks, the node commits them."""

import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple

from logboom.base.clock import system_clock
from logboom.base.errors import LogboomError, Unavailable
from logboom.engine.cluster.tasks import find_readers, is_wanted, pack, unpack
from logboom.engine.execution.remote import Build, Cluster
from logboom.model.shredder import open_shredder
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import BlockWriter
from logboom.store.compaction.compactor import BlockMerger
from logboom.store.compaction.merge import Merger

log = logging.getLogger(__name__)


class MergeTask(NamedTuple):
    """Blocks to merge, and what a worker needs to write the new ones."""

    store_url: str
    node: str
    """The node that the new blocks belong to."""
    max_fields: int
    inputs: tuple[BlockInfo, ...]


class MergeOutcome(NamedTuple):
    """The new blocks, which are not committed yet, or the reason why there are none."""

    blocks: list[BlockInfo]
    problem: str | None = None


class ClusterMerger:
    """Merges blocks on workers, and on this node if that fails."""

    def __init__(self, cluster: Cluster, node: str, max_fields: int, own: BlockMerger) -> None:
        self._cluster = cluster
        self._node = node
        self._max_fields = max_fields
        self._own = own

    def merge(self, inputs: Sequence[BlockInfo], give_way: Callable[[], None]) -> list[BlockInfo]:
        """Merge blocks into new ones. If `give_way` raises, the worker deletes what it has written."""
        task = MergeTask(self._cluster.store_url, self._node, self._max_fields, tuple(inputs))
        outcome = self._ask(task, give_way)
        if outcome.problem is None:
            return outcome.blocks
        log.warning("blocks are merged on this node", extra={"reason": outcome.problem})
        return self._own.merge(inputs, give_way)

    def _ask(self, task: MergeTask, give_way: Callable[[], None]) -> MergeOutcome:
        give_way()
        try:
            outcome: MergeOutcome = unpack(self._cluster.run(run_merge, pack(task), give_way))
        except Unavailable as error:
            # Raises if the store is closing; otherwise it was the cluster.
            give_way()
            return MergeOutcome([], error.message)
        return outcome


def run_merge(build: Build, content: bytes) -> bytes:
    """Merge blocks on a worker; called by Dask."""
    task: MergeTask = unpack(content)
    try:
        objects = find_readers(build).open_objects(task.store_url)
        blocks = BlockWriter(objects, open_shredder(), task.node, system_clock, task.max_fields)
        return pack(MergeOutcome(Merger(objects, blocks).merge(task.inputs, stop_if_unwanted)))
    except (LogboomError, OSError) as error:
        return pack(MergeOutcome([], str(error)))


def stop_if_unwanted() -> None:
    if not is_wanted():
        raise Unavailable("the node does not wait for these blocks any more")

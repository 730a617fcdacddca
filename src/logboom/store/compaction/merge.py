"""Merging: the events of several blocks of one environment and day, written into new blocks."""

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from logboom.base.objects import ObjectStore
from logboom.model.columns import parse_column
from logboom.model.rows import CORE_SCHEMA, Rows
from logboom.model.summary import summarise
from logboom.store.block.info import BlockInfo
from logboom.store.block.parquet import encode_frame
from logboom.store.block.writer import BlockWriter, describe_rows

ORDER = ("_time", "_node", "_seq")
OWN_COLUMNS = frozenset({*CORE_SCHEMA, "_node", "_env", "_day"})
"""The columns of a block that hold no field of an event."""


class Merger:
    """Writes the events of blocks into new ones. May be used by any thread."""

    def __init__(self, objects: ObjectStore, blocks: BlockWriter) -> None:
        self._objects = objects
        self._blocks = blocks

    def merge(self, inputs: Sequence[BlockInfo], give_way: Callable[[], None]) -> list[BlockInfo]:
        """Write the events of blocks of one environment and day into new ones, sorted by time.

        Nothing refers to them yet. `give_way` is called often, between pieces of work, and may wait or raise;
        whatever is raised leaves no files behind.
        """
        frames = []
        for info in inputs:
            give_way()
            frames.append(self._objects.use(info.path, read_block))
        frame = pl.concat(frames, how="diagonal").sort(*ORDER)
        give_way()
        summaries = {
            name: summarise(parse_column(name), frame[name].drop_nulls().to_list())
            for name in frame.columns
            if name not in OWN_COLUMNS
        }
        give_way()
        level = max(info.level for info in inputs) + 1
        last_seq = max(info.last_seq for info in inputs)
        place = self._blocks.choose_place(inputs[0].env, inputs[0].day, level)
        try:
            index = describe_rows(Rows(frame, summaries))
            return [self._blocks.publish(place, encode_frame(frame), index, last_seq)]
        except BaseException:
            self._blocks.discard([place.path])
            raise


def read_block(path: str) -> pl.DataFrame:
    data = Path(path).read_bytes()
    return pl.read_parquet(data).cast({"_time": CORE_SCHEMA["_time"]})

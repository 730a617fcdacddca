"""Merging: the events of several blocks of one environment and day, written into new blocks."""

from collections.abc import Callable, Iterator, Sequence

import polars as pl
from msgspec import field
from msgspec.structs import replace

from logboom.base.stores.objects import ObjectStore
from logboom.base.structs import MutableStruct
from logboom.base.versions import Version
from logboom.store.block.encoding import decode_index
from logboom.store.block.index import BlockIndex
from logboom.store.block.info import BlockInfo
from logboom.store.block.layout import SHAPE, measure_memory
from logboom.store.block.output import CheckedFile
from logboom.store.block.parquet import (
    ROW_GROUP_ROWS,
    SAMPLE_ROWS,
    Layout,
    choose_dictionaries,
    list_long_texts,
    write_frames,
)
from logboom.store.block.writer import BlockWriter, name_index
from logboom.store.compaction.groups import MAX_ROWS, take_group
from logboom.store.compaction.rows import (
    ZONE_BYTES,
    MergeInput,
    RowMerger,
    unite_schemas,
    unite_versions,
)
from logboom.store.compaction.zones import describe_zone, join_zones

MAX_FILE_BYTES = 128 << 20


class Merger:
    """Writes the events of blocks into new ones. Thread-safe."""

    def __init__(self, objects: ObjectStore, blocks: BlockWriter) -> None:
        self._objects = objects
        self._blocks = blocks

    def merge(self, inputs: Sequence[BlockInfo], give_way: Callable[[], None]) -> list[BlockInfo]:
        """Write the events of blocks of one environment and day into new ones, sorted by time.

        Nothing refers to them yet. `give_way` is called often, between pieces of work, and may wait or raise; if it
        raises, no files are left behind.
        """
        level = max(info.level for info in inputs) + 1
        last_seq = max(info.last_seq for info in inputs)
        paths: list[str] = []
        blocks: list[BlockInfo] = []
        try:
            for zones in self._read_groups(inputs, give_way):
                while zones.peek() is not None:
                    place = self._blocks.choose_place(
                        inputs[0].env, inputs[0].day, zones.version, level
                    )
                    paths.append(place.path)
                    output = Output(zones, self._blocks, give_way)
                    blocks.append(self._blocks.publish_written(place, output.write, last_seq))
        except BaseException:
            self._blocks.discard(paths)
            raise
        return blocks

    def _read_groups(
        self, inputs: Sequence[BlockInfo], give_way: Callable[[], None]
    ) -> Iterator["Zones"]:
        """Yield the rows of each group of inputs that make good blocks together."""
        waiting = []
        known_names: dict[tuple[str, ...], tuple[str, ...]] = {}
        for info in inputs:
            give_way()
            source = self._open(info)
            # Most blocks have the same columns; thousands of copies of their names would fill the memory.
            names = known_names.setdefault(source.names, source.names)
            waiting.append(replace(source, names=names))
        while waiting:
            group, others = take_group(waiting)
            schema = unite_schemas(group)
            merger = RowMerger(group, self._objects, schema, give_way)
            yield Zones(unite_versions(group), schema, merger.read_zones())
            waiting = [*merger.left, *others]

    def _open(self, info: BlockInfo) -> MergeInput:
        name = name_index(info.path)
        return MergeInput.of(info, decode_index(self._objects.read(name), name))


class Zones(MutableStruct):
    """Consecutive zones of rows, with a look-ahead."""

    version: Version
    schema: pl.Schema
    frames: Iterator[pl.DataFrame]
    _next: pl.DataFrame | None = None

    def peek(self) -> pl.DataFrame | None:
        if self._next is None:
            self._next = next(self.frames, None)
        return self._next

    def take(self) -> pl.DataFrame:
        frame = self.peek()
        assert frame is not None, "it was looked at before"
        self._next = None
        return frame


class Output(MutableStruct):
    """A block being written: as many zones as it has room for, at least one."""

    zones: Zones
    blocks: BlockWriter
    give_way: Callable[[], None]
    _described: list[BlockIndex] = field(default_factory=list)

    def write(self, file: CheckedFile) -> BlockIndex:
        first = self.zones.peek()
        assert first is not None, "there is no empty block"
        row_bytes = measure_memory(first) / first.height
        row_group_rows = max(1, min(ROW_GROUP_ROWS, int(ZONE_BYTES / row_bytes)))
        sample = first.head(SAMPLE_ROWS)
        dictionaries = choose_dictionaries(sample, {})
        layout = Layout(
            self.zones.version,
            self.zones.schema,
            dictionaries,
            row_group_rows,
            splits_shapes=not dictionaries[SHAPE],
            long_texts=list_long_texts(sample),
        )
        del first
        write_frames(file, layout, self._take_zones(file, row_group_rows))
        return join_zones(self._described)

    def _take_zones(self, file: CheckedFile, row_group_rows: int) -> Iterator[pl.DataFrame]:
        while self._has_room(file, row_group_rows):
            zone = self.zones.take()
            self._described.append(describe_zone(zone, self.blocks.shredders))
            self.give_way()
            yield zone
            # Two zones at once would be too many.
            del zone

    def _has_room(self, file: CheckedFile, row_group_rows: int) -> bool:
        """Return whether another zone fits into the block; not if a row group of its rows would be too large."""
        zone = self.zones.peek()
        if zone is None or not self._described:
            return zone is not None
        rows = sum(index.rows for index in self._described) + zone.height
        group_bytes = measure_memory(zone) / zone.height * row_group_rows
        return (
            file.failure is None
            and file.size_bytes < MAX_FILE_BYTES
            and rows <= MAX_ROWS
            and group_bytes <= 2 * ZONE_BYTES
        )

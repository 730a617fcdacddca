"""Scope: which blocks a request looks at, and which of their rows are within its time and indexes."""

from collections.abc import Iterator

import polars as pl

from logboom.engine.blocks import Block
from logboom.engine.request import Request
from logboom.engine.skip import may_match
from logboom.store.block.writer import BlockInfo
from logboom.store.store import Store


def list_blocks(request: Request, store: Store) -> list[BlockInfo]:
    """Live blocks of the environment that overlap the time range, newest first."""
    live = store.snapshot().blocks.values()
    overlapping = [
        info
        for info in live
        if info.env == request.env
        and info.first_ns < request.to_ns
        and info.last_ns >= request.from_ns
    ]
    return sorted(overlapping, key=lambda info: (info.last_ns, info.path), reverse=True)


def open_block(request: Request, store: Store, info: BlockInfo) -> Block | None:
    """The block with its index; None when the index shows that it has nothing for this request."""
    block = Block(info, store.indexes.read(info.path), store.objects.locate(info.path))
    if not any(map(request.covers_index, block.index.indexes)):
        return None
    return block if may_match(request.query.filter, block) else None


def is_whole(request: Request, block: Block) -> bool:
    """Whether every row of the block is in scope."""
    in_time = request.from_ns <= block.index.first_ns and block.index.last_ns < request.to_ns
    return in_time and all(map(request.covers_index, block.index.indexes))


def build_scope(request: Request, block: Block) -> Iterator[pl.Expr]:
    """The tests that keep rows outside the scope out; none when the block is inside it."""
    if request.from_ns > block.index.first_ns:
        yield pl.col("_time") >= request.from_ns
    if request.to_ns <= block.index.last_ns:
        yield pl.col("_time") < request.to_ns
    wanted = [index for index in block.index.indexes if request.covers_index(index)]
    if len(wanted) < len(block.index.indexes):
        yield pl.col("_index").is_in(wanted)

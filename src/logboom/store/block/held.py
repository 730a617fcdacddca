"""Which columns each index has values in: bits in the order of the columns of a block's index.

They are kept only where a block has events of several indexes.
"""

from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from logboom.store.block.index import BlockIndex

MOST_MARKS = 1 << 20
"""A block with more indexes times columns tells nothing, so that its index stays small."""


def mark_held(frame: pl.DataFrame, columns: Sequence[str]) -> dict[str, bytes]:
    """Return the columns that each index of some rows has values in; nothing if there is only one index."""
    indexes = frame["_index"].n_unique()
    if indexes == 1 or indexes * len(columns) > MOST_MARKS:
        return {}
    found = frame.group_by("_index").agg(pl.col(columns).is_not_null().any())
    return {name: pack(flags) for name, *flags in found.iter_rows()}


def join_held(zones: Sequence[BlockIndex], columns: Iterable[str]) -> dict[str, bytes]:
    """Return the same for a block of these zones; nothing if one of them does not tell."""
    held: dict[str, set[str]] = {}
    for zone in zones:
        for index in zone.indexes:
            names = list_held(zone, index)
            if names is None:
                return {}
            held.setdefault(index, set()).update(names)
    order = list(columns)
    if len(held) == 1 or len(held) * len(order) > MOST_MARKS:
        return {}
    return {index: pack(name in names for name in order) for index, names in held.items()}


def list_held(block: BlockIndex, index: str) -> list[str] | None:
    """Return the columns that an index has values in; None if its block does not tell."""
    if len(block.indexes) == 1:
        return [name for name, summary in block.columns.items() if summary.count]
    marks = block.held.get(index)
    if marks is None:
        return None
    return [name for name, flag in zip(block.columns, unpack(marks), strict=False) if flag]


def pack(flags: Iterable[bool]) -> bytes:
    digits = "".join("1" if flag else "0" for flag in flags)
    return int(f"0{digits[::-1]}", 2).to_bytes(-(-len(digits) // 8), "little")


def unpack(packed: bytes) -> Iterator[bool]:
    digits = f"{int.from_bytes(packed, 'little'):0{8 * len(packed)}b}"
    return (digit == "1" for digit in reversed(digits))

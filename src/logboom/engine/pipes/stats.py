"""`stats`: one row per combination of the keys' values."""

from collections import Counter
from typing import Any, NamedTuple

import msgspec
import polars as pl

from logboom.engine.blocks import REST, Block
from logboom.engine.filters import CORE_FIELDS, build_filter
from logboom.engine.request import Request
from logboom.engine.scope import build_scope, is_whole
from logboom.lang import ast
from logboom.model.columns import Scalar
from logboom.model.names import fold_name

GroupKey = tuple["KeyPart", ...]


class KeyPart(NamedTuple):
    """One key's value; Python takes True and 1 for the same, a log does not."""

    is_bool: bool
    value: Scalar | None


def make_part(value: Scalar | None) -> KeyPart:
    return KeyPart(isinstance(value, bool), value)


MISSING = make_part(None)


class Groups(NamedTuple):
    """The partial result of one block: how many events each combination of values has."""

    counts: Counter[GroupKey]
    rows_scanned: int


class Stats:
    """Computes one `stats` pipe."""

    def __init__(self, pipe: ast.Stats) -> None:
        self._keys = pipe.keys
        self._names = [aggregate.name for aggregate in pipe.aggregates]
        self.columns = pipe.columns

    def compute_partial(self, request: Request, block: Block) -> Groups:
        """From the index where it says enough, else from the key columns."""
        if isinstance(request.query.filter, ast.Everything) and is_whole(request, block):
            counts = self._count_by_index(block)
            if counts is not None:
                return Groups(counts, 0)
        return Groups(self._count_by_scan(request, block), block.index.rows)

    def _count_by_index(self, block: Block) -> Counter[GroupKey] | None:
        if not self._keys:
            return Counter({(): block.index.rows})
        if len(self._keys) > 1 or block.has_overflow:
            return None
        if fold_name(self._keys[0]) in CORE_FIELDS:
            return Counter(
                {(make_part(name),): part.events for name, part in block.index.indexes.items()}
            )
        counts: Counter[GroupKey] = Counter()
        for column in block.find_columns(self._keys[0]):
            values = block.summarise(column).values
            if values is None:
                return None
            counts.update({(make_part(value),): count for value, count in values})
        missing = block.index.rows - counts.total()
        if missing:
            counts[(MISSING,)] += missing
        return counts

    def _count_by_scan(self, request: Request, block: Block) -> Counter[GroupKey]:
        tests = [*build_scope(request, block), build_filter(request.query.filter, block)]
        frame = block.scan().filter(tests)
        parts = [part for key in self._keys for part in list_parts(key, block)]
        if not parts:
            total = frame.select(pl.len()).collect().item()
            return Counter({(MISSING,) * len(self._keys): total} if total else {})
        named = [part.alias(str(number)) for number, part in enumerate(parts)]
        grouped = frame.select(named).group_by(pl.all()).len(name="count").collect()
        counts: Counter[GroupKey] = Counter()
        widths = [len(list_parts(key, block)) for key in self._keys]
        for *values, count in grouped.iter_rows():
            counts[self._join(values, widths, block)] += count
        return counts

    def _join(self, values: list[Scalar | None], widths: list[int], block: Block) -> GroupKey:
        """One value per key from the columns it may be in."""
        key: list[KeyPart] = []
        start = 0
        for name, width in zip(self._keys, widths, strict=True):
            parts = values[start : start + width]
            start += width
            if block.has_overflow and fold_name(name) not in CORE_FIELDS:
                *parts, rest = parts
                parts.append(None if rest is None else read_overflow(str(rest), name))
            key.append(make_part(next((part for part in parts if part is not None), None)))
        return tuple(key)

    def merge(self, partials: list[Groups]) -> Counter[GroupKey]:
        merged: Counter[GroupKey] = Counter()
        for partial in partials:
            merged.update(partial.counts)
        return merged

    def aggregate(self, rows: list[dict[str, Any]]) -> list[dict[str, object]]:
        """The same over the rows of a table that an earlier pipe made."""
        keys = [fold_name(key) for key in self._keys]
        tables = ({fold_name(name): value for name, value in row.items()} for row in rows)
        return self.finish(
            Counter(tuple(make_part(row.get(key)) for key in keys) for row in tables)
        )

    def finish(self, counts: Counter[GroupKey]) -> list[dict[str, object]]:
        """Rows, the largest groups first."""
        if not self._keys and not counts:
            counts[()] = 0
        ordered = sorted(counts.items(), key=lambda group: (-group[1], order_key(group[0])))
        return [self._make_row(key, count) for key, count in ordered]

    def _make_row(self, key: GroupKey, count: int) -> dict[str, object]:
        values = [part.value for part in key] + [count] * len(self._names)
        return dict(zip(self.columns, values, strict=True))


def list_parts(key: str, block: Block) -> list[pl.Expr]:
    """The columns a key may be found in; of a multi-valued one the first value counts."""
    if fold_name(key) in CORE_FIELDS:
        return [pl.col(CORE_FIELDS[fold_name(key)])]
    parts = [
        pl.col(column.name).list.first() if column.kind.is_list else pl.col(column.name)
        for column in block.find_columns(key)
    ]
    return [*parts, pl.col(REST)] if block.has_overflow else parts


def read_overflow(text: str, key: str) -> Scalar | None:
    value = msgspec.json.decode(text).get(fold_name(key))
    first: Scalar | None = (value or [None])[0] if isinstance(value, list) else value
    return first


def order_key(key: GroupKey) -> tuple[tuple[str, str], ...]:
    return tuple((type(part.value).__name__, str(part.value)) for part in key)

"""Functions of values that are many."""

import polars as pl

from logboom.engine.expressions.arguments import Arguments, Builder
from logboom.engine.values import Value
from logboom.model.columns import Kind


def as_lists(value: Value) -> dict[Kind, pl.Expr]:
    """Every value as a list, one value as a list of one."""
    lists: dict[Kind, pl.Expr] = {}
    for kind, part in value.parts.items():
        listed = part if kind.is_list else pl.when(part.is_not_null()).then(pl.concat_list(part))
        known = lists.get(kind.listed)
        lists[kind.listed] = listed if known is None else pl.coalesce(known, listed)
    return lists


def index(arguments: Arguments) -> Value:
    """Places count from 0, or back from -1; with two of them the values from the one to the other."""
    lists = as_lists(arguments.values[0])
    start = arguments.whole(1)
    if len(arguments) == 2:
        return Value(
            {k.element: part.list.get(start, null_on_oob=True) for k, part in lists.items()}
        )
    return Value({kind: cut(part, start, arguments.whole(2)) for kind, part in lists.items()})


def cut(part: pl.Expr, start: pl.Expr, end: pl.Expr) -> pl.Expr:
    """Both ends included; null where nothing is between them."""
    size = part.list.len().cast(pl.Int64)
    first, last = (pl.when(each < 0).then(size + each).otherwise(each) for each in (start, end))
    first = pl.max_horizontal(first, 0)
    length = pl.min_horizontal(last, size - 1) - first + 1
    return pl.when(length > 0).then(part.list.slice(first, length))


def count(arguments: Arguments) -> Value:
    value = arguments.values[0]
    counts = [
        part.list.len().cast(pl.Int64) if kind.is_list else pl.when(part.is_not_null()).then(1)
        for kind, part in value.parts.items()
    ]
    return Value({Kind.INT: pl.coalesce(counts)} if counts else {})


def take_first(arguments: Arguments) -> Value:
    return arguments.values[0].first()


def take_last(arguments: Arguments) -> Value:
    parts: dict[Kind, pl.Expr] = {}
    for kind, part in arguments.values[0].parts.items():
        last = part.list.last() if kind.is_list else part
        known = parts.get(kind.element)
        parts[kind.element] = last if known is None else pl.coalesce(known, last)
    return Value(parts)


LISTS: dict[str, Builder] = {
    "mvindex": index,
    "mvcount": count,
    "first": take_first,
    "last": take_last,
}

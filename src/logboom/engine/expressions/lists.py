"""Functions of multi-valued fields."""

import polars as pl

from logboom.engine.expressions.arguments import Arguments, Builder
from logboom.engine.expressions.patterns import read_expression
from logboom.engine.rows.values import Value, as_text
from logboom.model.columns import DTYPES, Kind

SEPARATOR = "\0"


def as_lists(value: Value) -> dict[Kind, pl.Expr]:
    """Return every value as a list, one value as a list of one."""
    lists: dict[Kind, pl.Expr] = {}
    for kind, part in value.parts.items():
        listed = part if kind.is_list else pl.when(part.is_not_null()).then(pl.concat_list(part))
        known = lists.get(kind.listed)
        lists[kind.listed] = listed if known is None else pl.coalesce(known, listed)
    return lists


def index(arguments: Arguments) -> Value:
    """Return the value at a position, or the values between two; they count from 0, or from -1 at the end."""
    lists = as_lists(arguments.values[0])
    start = arguments.whole(1)
    if len(arguments) == 2:
        return Value(
            {k.element: part.list.get(start, null_on_oob=True) for k, part in lists.items()}
        )
    return Value({kind: cut(part, start, arguments.whole(2)) for kind, part in lists.items()})


def cut(part: pl.Expr, start: pl.Expr, end: pl.Expr) -> pl.Expr:
    """Return the elements between two positions, both included; null if there are none."""
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


def as_one_list(value: Value) -> tuple[Kind, pl.Expr] | None:
    """Return all values as one list of one kind: their own if they have only one, else texts."""
    lists = as_lists(value)
    if not lists:
        return None
    if len(lists) == 1:
        return next(iter(lists.items()))
    texts = [part.list.eval(as_text(pl.element(), kind.element)) for kind, part in lists.items()]
    return Kind.STRS, pl.coalesce(texts)


def keep_filled(kind: Kind, part: pl.Expr) -> Value:
    """Return the lists, with null for empty ones: an empty list counts as no value."""
    return Value({kind: pl.when(part.list.len() > 0).then(part)})


def deduplicate(arguments: Arguments) -> Value:
    lists = as_lists(arguments.values[0])
    return Value({kind: part.list.unique(maintain_order=True) for kind, part in lists.items()})


def sort_values(arguments: Arguments) -> Value:
    """Sort numbers by value, and texts by their folded form."""
    lists = as_lists(arguments.values[0])
    text = pl.element()
    folded = text.sort_by(text.str.to_lowercase(), text)
    return Value(
        {
            kind: part.list.eval(folded) if kind is Kind.STRS else part.list.sort()
            for kind, part in lists.items()
        }
    )


def append(arguments: Arguments) -> Value:
    """Return all values in one list: values of one type keep it, mixed ones become texts; missing ones are left out."""
    found = [as_one_list(value) for value in arguments.values]
    known = [each for each in found if each is not None]
    if not known:
        return Value()
    kinds = {kind for kind, _ in known}
    kind = next(iter(kinds)) if len(kinds) == 1 else Kind.STRS
    parts = [
        part if own is kind else part.list.eval(as_text(pl.element(), own.element))
        for own, part in known
    ]
    filled = [part.fill_null(pl.lit([], DTYPES[kind])) for part in parts]
    return keep_filled(kind, pl.concat_list(filled))


def find_match(arguments: Arguments) -> Value:
    """Return the position of the first value that matches, counted from 0; null if there is none."""
    expression = read_expression(arguments, 1)
    found = as_one_list(arguments.values[0])
    if found is None:
        return Value()
    kind, part = found
    matches = part.list.eval(as_text(pl.element(), kind.element).str.contains(expression))
    place = matches.list.eval(pl.element().fill_null(value=False).arg_true()).list.first()
    return Value({Kind.INT: place.cast(pl.Int64)})


def zip_values(arguments: Arguments) -> Value:
    """Return as many pairs as the shorter list has values, joined by a comma or the third argument."""
    joint = str(arguments.constant(2, "a separator")) if len(arguments) > 2 else ","
    texts = [as_texts(value) for value in arguments.values[:2]]
    if texts[0] is None or texts[1] is None:
        return Value()
    # Lists cannot be keys of a table of distinct values, so each becomes one text.
    sides = [part.list.join(SEPARATOR, ignore_nulls=True) for part in texts if part is not None]

    def join_pairs(left: str, right: str) -> list[str]:
        pairs = zip(left.split(SEPARATOR), right.split(SEPARATOR), strict=False)
        return [f"{one}{joint}{other}" for one, other in pairs]

    return arguments.map(join_pairs, *sides, kind=Kind.STRS)


def as_texts(value: Value) -> pl.Expr | None:
    found = as_one_list(value)
    if found is None:
        return None
    kind, part = found
    return part.list.eval(as_text(pl.element(), kind.element))


LISTS: dict[str, Builder] = {
    "mvdedup": deduplicate,
    "mvsort": sort_values,
    "mvappend": append,
    "mvfind": find_match,
    "mvzip": zip_values,
    "mvindex": index,
    "mvcount": count,
    "first": take_first,
    "last": take_last,
}

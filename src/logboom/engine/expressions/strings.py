"""Functions of texts; comparisons ignore case."""

from collections.abc import Callable

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.expressions.arguments import Arguments, Builder
from logboom.engine.rows.values import Value, as_text
from logboom.model.columns import Kind

MAX_PADDED = 10_000


def changes(change: Callable[[pl.Expr], pl.Expr]) -> Builder:
    """Return the builder of a function from text to text."""
    return lambda arguments: Value({Kind.STR: change(arguments.text(0))})


def measure(arguments: Arguments) -> Value:
    return Value({Kind.INT: arguments.text(0).str.len_chars()})


def measure_bytes(arguments: Arguments) -> Value:
    return Value({Kind.INT: arguments.text(0).str.len_bytes()})


def strips(strip: Callable[[pl.Expr, pl.Expr | None], pl.Expr]) -> Builder:
    """Return a builder that removes whitespace, or the characters of the second argument."""

    def build(arguments: Arguments) -> Value:
        characters = arguments.text(1) if len(arguments) > 1 else None
        return Value({Kind.STR: strip(arguments.text(0), characters)})

    return build


def cut(arguments: Arguments) -> Value:
    """Return a part of a text, from a position counted from 1, or back from the end; without a length up to the end."""
    text, start = arguments.text(0), arguments.whole(1)
    size = text.str.len_chars().cast(pl.Int64)
    from_end = pl.max_horizontal(size + start, 0)
    offset = pl.when(start < 0).then(from_end).otherwise(pl.max_horizontal(start - 1, 0))
    length = pl.max_horizontal(arguments.whole(2), 0) if len(arguments) > 2 else size
    is_known = start.is_not_null() & length.is_not_null()
    if len(arguments) > 2:
        is_known &= arguments.whole(2).is_not_null()
    return Value({Kind.STR: pl.when(is_known).then(text.str.slice(offset, length))})


def split(arguments: Arguments) -> Value:
    """Split a text; an empty separator splits it into characters."""
    return Value({Kind.STRS: split_text(arguments.text(0), arguments.text(1))})


def split_text(text: pl.Expr, separator: pl.Expr) -> pl.Expr:
    # One text for all rows would be split only once, by the first separator.
    return pl.when(separator.is_not_null()).then(text).str.split(separator)


def join(arguments: Arguments) -> Value:
    separator = arguments.text(1)
    joined = []
    for kind, part in arguments.values[0].parts.items():
        if kind.is_list:
            texts = part.list.eval(as_text(pl.element(), kind.element))
            joined.append(texts.list.join(separator, ignore_nulls=True))
        else:
            joined.append(as_text(part, kind))
    return Value({Kind.STR: pl.coalesce(joined)} if joined else {})


def concatenate(arguments: Arguments) -> Value:
    """Join all values as one text; missing values are left out."""
    texts = [arguments.text(place) for place in range(len(arguments))]
    joined = pl.concat_str(texts, ignore_nulls=True)
    is_there = pl.any_horizontal([text.is_not_null() for text in texts])
    return Value({Kind.STR: pl.when(is_there).then(joined)})


def tests(test: Callable[[pl.Expr, pl.Expr], pl.Expr]) -> Builder:
    """Return the builder of a test of a text by another, both folded."""

    def build(arguments: Arguments) -> Value:
        folded = [arguments.text(place).str.to_lowercase() for place in (0, 1)]
        return Value({Kind.BOOL: test(*folded)})

    return build


def contains(text: pl.Expr, wanted: pl.Expr) -> pl.Expr:
    return text.str.contains(wanted, literal=True)


def locate(arguments: Arguments) -> Value:
    text, wanted = (arguments.text(place).str.to_lowercase() for place in (0, 1))
    before = split_text(text, wanted).list.first().fill_null("")
    place = pl.when(wanted == "").then(1).otherwise(before.str.len_chars().cast(pl.Int64) + 1)
    is_found = contains(text, wanted)
    return Value({Kind.INT: pl.when(is_found).then(place).when(~is_found).then(0)})


def pads(pad: Callable[[pl.Expr, pl.Expr, str], pl.Expr]) -> Builder:
    """Return a builder that adds blanks, or the character of the third argument, up to a length."""

    def build(arguments: Arguments) -> Value:
        fill = arguments.constant(2, "a character") if len(arguments) > 2 else " "
        if not isinstance(fill, str) or len(fill) != 1:
            raise Invalid(f"{arguments.name}: filling {fill!r}, expected one character")
        length = arguments.whole(1).clip(0, MAX_PADDED)
        padded = pad(arguments.text(0), length, fill)
        return Value({Kind.STR: pl.when(length.is_not_null()).then(padded)})

    return build


STRINGS: dict[str, Builder] = {
    "lower": changes(lambda text: text.str.to_lowercase()),
    "upper": changes(lambda text: text.str.to_uppercase()),
    "len": measure,
    "len_bytes": measure_bytes,
    "trim": strips(lambda text, characters: text.str.strip_chars(characters)),
    "ltrim": strips(lambda text, characters: text.str.strip_chars_start(characters)),
    "rtrim": strips(lambda text, characters: text.str.strip_chars_end(characters)),
    "substr": cut,
    "split": split,
    "join": join,
    "concat": concatenate,
    "startswith": tests(lambda text, start: text.str.starts_with(start)),
    "endswith": tests(lambda text, end: text.str.ends_with(end)),
    "contains": tests(contains),
    "index_of": locate,
    "lpad": pads(lambda text, length, fill: text.str.pad_start(length, fill)),
    "rpad": pads(lambda text, length, fill: text.str.pad_end(length, fill)),
    "reverse": changes(lambda text: text.str.reverse()),
}

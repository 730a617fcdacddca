"""How large the result of a function may become: reserved before it is computed.

Most functions return at most as much as they get. Those that may return more are in GROWTH.
"""

from collections.abc import Callable

import polars as pl

from logboom.engine.expressions.arguments import Arguments, Constant
from logboom.engine.expressions.lists import as_lists
from logboom.engine.expressions.strings import MAX_PADDED
from logboom.engine.rows.computed import compute_rows
from logboom.engine.rows.memory import get_spare_bytes, reserve
from logboom.engine.rows.size import CELL_BYTES, VIEW_BYTES, measure_series
from logboom.engine.rows.values import Value

WRITTEN_BYTES = 24
"""The length of a number or a time as text."""
MAX_LETTER_BYTES = 4
MAX_DIRECTIVE_LENGTH = 35
"""More than any two characters of a time format can produce."""
ESCAPED = 6
"""How many times longer a text may become in another encoding."""

Growth = Callable[[Arguments], int]


def reserve_result(arguments: Arguments) -> None:
    """Reserve memory for the result of a function."""
    growth = GROWTH.get(arguments.name, measure_arguments)
    reserve(growth(arguments) + 2 * CELL_BYTES * arguments.frame.height)


def measure_arguments(arguments: Arguments) -> int:
    return sum(measure_argument(arguments, place) for place in range(len(arguments)))


def measure_argument(arguments: Arguments, place: int) -> int:
    """Return the size of an argument as text in all rows."""
    value = arguments.values[place]
    rows = arguments.frame.height
    if isinstance(value, Constant):
        return (VIEW_BYTES + len(str(value.value).encode())) * rows
    return measure_value(value, arguments.frame) + WRITTEN_BYTES * rows


def measure_value(value: Value, frame: pl.DataFrame) -> int:
    if value.size_bytes is not None:
        return value.size_bytes
    roots = {root for part in value.parts.values() for root in part.meta.root_names()}
    return sum(measure_series(frame[root]) for root in roots)


def measure_replaced(arguments: Arguments) -> int:
    """Return the size of a text after a replacement: each match may grow to the replacement and what it refers to."""
    expression, written = (str(arguments.constant(place, "a text")) for place in (1, 2))
    size_bytes = measure_argument(arguments, 0)
    references = written.count("$") + written.count("\\")
    added_bytes = count_matches(arguments.frame, arguments.text(0), expression, len(written) * 4)
    return size_bytes * (1 + references) + added_bytes


def count_matches(frame: pl.DataFrame, text: pl.Expr, pattern: str, bytes_each: int) -> int:
    """Return the size of the matches: a bound if that fits, else the exact size, which takes a search."""
    texts = compute_rows(frame, text)
    most = (int(texts.estimated_size()) + len(texts)) * bytes_each
    if most <= get_spare_bytes():
        return most
    return int(texts.str.count_matches(pattern).sum() or 0) * bytes_each


def measure_padded(arguments: Arguments) -> int:
    lengths = compute_rows(arguments.frame, arguments.whole(1).clip(0, MAX_PADDED))
    added_bytes = int(lengths.sum() or 0) * MAX_LETTER_BYTES
    return measure_argument(arguments, 0) + added_bytes


def measure_split(arguments: Arguments) -> int:
    """Return the size of the pieces of a split text: each takes as much as its text, plus its view."""
    size_bytes = measure_argument(arguments, 0)
    most = size_bytes * (1 + VIEW_BYTES)
    separator = arguments.values[1]
    if most <= get_spare_bytes() or not isinstance(separator, Constant) or not separator.value:
        return most
    pieces = arguments.text(0).str.count_matches(str(separator.value), literal=True)
    count = int(compute_rows(arguments.frame, pieces).sum() or 0)
    return size_bytes + VIEW_BYTES * (count + arguments.frame.height)


def measure_joined(arguments: Arguments) -> int:
    """Return the size of joined values, with the separator between them."""
    length = arguments.text(1).str.len_bytes().cast(pl.Int64)
    added_bytes = sum(
        int(compute_rows(arguments.frame, part.list.len() * length).sum() or 0)
        for part in as_lists(arguments.values[0]).values()
    )
    return measure_argument(arguments, 0) + WRITTEN_BYTES * arguments.frame.height + added_bytes


def measure_zipped(arguments: Arguments) -> int:
    """Return the size of a pair for each value, with a separator of one character or the third argument."""
    joint = arguments.constant(2, "a separator") if len(arguments) > 2 else ","
    values = measure_argument(arguments, 0) + measure_argument(arguments, 1)
    return values * (2 + len(str(joint)))


def measure_written_time(arguments: Arguments) -> int:
    length = len(str(arguments.constant(1, "a format written in the query")))
    return length * MAX_DIRECTIVE_LENGTH // 2 * arguments.frame.height


def measure_encoded(arguments: Arguments) -> int:
    return ESCAPED * measure_argument(arguments, 0)


GROWTH: dict[str, Growth] = {
    "replace": measure_replaced,
    "lpad": measure_padded,
    "rpad": measure_padded,
    "split": measure_split,
    "index_of": measure_split,
    "join": measure_joined,
    "mvzip": measure_zipped,
    "strftime": measure_written_time,
    "urlencode": measure_encoded,
    "json_quote": measure_encoded,
    "json_get": measure_encoded,
}

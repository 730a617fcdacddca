"""Where text can be cut without splitting an event. Each format has its rule in CUTS.

A cut is a number of bytes from the start of some data: what is before it is read and marked as read, what is after it
is read again together with what follows. So only the position has to be remembered.
"""

from collections.abc import Callable
from itertools import accumulate, islice

from logboom.formats.auto.envelopes import Unwrap
from logboom.formats.csv import DELIMITERS, read_rows, sniff_dialect
from logboom.formats.patterns import compile_search
from logboom.formats.reader import Options, split_lines
from logboom.model.values import BRACE

MAX_LINES_WAITED = 1_000
"""A part is not waited for when this many lines came after it."""

Cut = Callable[[bytes], int]
"""The position after the last event that is certainly complete; 0 if there is none."""


def cut_lines(data: bytes) -> int:
    return data.rfind(b"\n") + 1


def cut_json(data: bytes) -> int:
    """Return the position after the last top-level object."""
    depth = end = at = 0
    while brace := BRACE.match(data, at):
        at = brace.end()
        depth += 1 if brace[1] == b"{" else -1
        if depth <= 0:
            depth, end = 0, at
    return end


def cut_rows(data: bytes, header: bytes, format: str) -> int:
    """Return the position after the last row: a quoted cell may contain line feeds."""
    end = cut_lines(data)
    if not data.count(b'"', 0, end) % 2:
        return end
    lines = split_lines(data[:end])
    first = next(iter(split_lines(header)), "") or next(filter(str.strip, lines), "")
    _, rest = read_rows(lines, sniff_dialect(first, DELIMITERS[format]), is_last=False)
    return find_line_end(data, len(lines) - len(rest))


def cut_folds(data: bytes, options: Options, unwrap: Unwrap | None = None) -> int:
    """Return the position before the last line that starts an event, because more lines may belong to that.

    Lines that come in parts are not divided.
    """
    begins = compile_search(options.multiline, options.multiline)
    end = start = cut_lines(data)
    places = find_places(data[:end], unwrap) if unwrap else None
    while start:
        stop = start - 1
        start = data.rfind(b"\n", 0, stop) + 1
        is_place = places is None or start in places
        if is_place and begins(data[start:stop].removesuffix(b"\r")):
            break
    # An event with too many lines ends at the limit.
    whole = data.count(b"\n", start, end) // options.max_lines * options.max_lines
    return start + find_line_end(data[start:end], whole)


def cut_parts(data: bytes, unwrap: Unwrap) -> int:
    """Return the position after the last line before which no line in parts lacks its rest."""
    return max(find_places(data[: cut_lines(data)], unwrap))


def find_places(data: bytes, unwrap: Unwrap) -> set[int]:
    """Return the positions between whole lines at which no line in parts is incomplete.

    Outputs write the parts of a line one after the other, so the rest of one that is long ago will never come.
    """
    lines = split_lines(data)
    ends = unwrap(lines).find_ends()
    sizes = accumulate(len(line) + 1 for line in data.split(b"\n"))
    places = [place for place, is_end in zip(sizes, ends, strict=False) if is_end]
    last = places[-1] if places else 0
    missing = data[last:].count(b"\n")
    if missing > MAX_LINES_WAITED:
        places.append(last + find_line_end(data[last:], missing - MAX_LINES_WAITED))
    return {0, *places}


def find_line_end(data: bytes, count: int) -> int:
    """Return the position after the first `count` lines."""
    if not count:
        return 0
    lines = islice(data.split(b"\n", count), count)
    return sum(map(len, lines)) + count


def choose_cut(
    format: str,
    options: Options,
    header: bytes,
    unwrap: Unwrap | None = None,
) -> Cut:
    """Return the rule for a format; `unwrap` finds the parts of lines, if it may split them."""
    if options.multiline:
        return lambda data: cut_folds(data, options, unwrap)
    if unwrap:
        return lambda data: cut_parts(data, unwrap)
    if format in DELIMITERS:
        return lambda data: cut_rows(data, header, format)
    return CUTS.get(format, cut_lines)


CUTS: dict[str, Cut] = {"json": cut_json}
"""Rules of formats that are not line-based; rows and multi-line events need more than the data."""

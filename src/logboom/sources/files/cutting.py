"""Where text can be cut without splitting an event. Each format has its rule in CUTS.

A cut is a number of bytes from the start of some data: what is before it is read and marked as read, what is after it
is read again together with what follows. So only the position has to be remembered.
"""

from collections.abc import Callable
from itertools import islice

from logboom.formats.csv import DELIMITERS, read_rows, sniff_dialect
from logboom.formats.patterns import compile_search
from logboom.formats.reader import Options, split_lines
from logboom.model.values import BRACE

Cut = Callable[[bytes], int]
"""The position after the last event that is certainly complete; 0 if there is none."""


def cut_lines(data: bytes) -> int:
    return data.rfind(b"\n") + 1


def cut_json(data: bytes) -> int:
    """After the last top-level object."""
    depth = end = at = 0
    while brace := BRACE.match(data, at):
        at = brace.end()
        depth += 1 if brace[1] == b"{" else -1
        if depth <= 0:
            depth, end = 0, at
    return end


def cut_rows(data: bytes, header: bytes, format: str) -> int:
    """After the last row: a quoted cell may contain line feeds."""
    end = cut_lines(data)
    if not data.count(b'"', 0, end) % 2:
        return end
    lines = split_lines(data[:end])
    first = next(iter(split_lines(header)), "") or next(filter(str.strip, lines), "")
    _, rest = read_rows(lines, sniff_dialect(first, DELIMITERS[format]), is_last=False)
    return find_line_end(data, len(lines) - len(rest))


def cut_folds(data: bytes, options: Options) -> int:
    """Before the last line that starts an event: more lines may belong to it."""
    begins = compile_search(options.multiline, options.multiline)
    end = start = cut_lines(data)
    while start:
        stop = start - 1
        start = data.rfind(b"\n", 0, stop) + 1
        if begins(data[start:stop].removesuffix(b"\r")):
            break
    # An event with too many lines ends at the limit.
    whole = data.count(b"\n", start, end) // options.max_lines * options.max_lines
    return start + find_line_end(data[start:end], whole)


def cut_partial(data: bytes, is_partial: Callable[[str], bool]) -> int:
    """After the last complete line."""
    end = len(data)
    while end:
        start = data.rfind(b"\n", 0, end - 1) + 1
        line = data[start:end].decode(errors="backslashreplace").rstrip("\r\n")
        if not is_partial(line):
            break
        end = start
    return end


def find_line_end(data: bytes, count: int) -> int:
    """After the first `count` lines."""
    if not count:
        return 0
    lines = islice(data.split(b"\n", count), count)
    return sum(map(len, lines)) + count


def choose_cut(
    format: str,
    options: Options,
    header: bytes,
    is_partial: Callable[[str], bool] | None = None,
) -> Cut:
    """The rule for a format; `is_partial` tells whether a line continues on the next one."""
    if options.multiline:
        return lambda data: cut_folds(data, options)
    if is_partial:
        return lambda data: cut_partial(data[: cut_lines(data)], is_partial)
    if format in DELIMITERS:
        return lambda data: cut_rows(data, header, format)
    return CUTS.get(format, cut_lines)


CUTS: dict[str, Cut] = {"json": cut_json}
"""Rules of formats that are not line-based; rows and multi-line events need more than the data."""

"""The intervals of `date_histogram`: fixed, or following the calendar of a time zone."""

from datetime import tzinfo

from logboom.base.patterns import compile_later
from logboom.base.structs import InternalStruct
from logboom.lang import ast
from logboom.lang.times import add_units, snap
from logboom.readers.search_engine.dsl.context import unsupported
from logboom.readers.search_engine.dsl.members import show
from logboom.readers.search_engine.hits.moments import NS_PER_MS
from logboom.search.answers import begin_span, next_span

FIXED = compile_later(r"(?P<number>\d{1,12})(?P<unit>ms|s|m|h|d|w)")
OFFSET = compile_later(r"(?P<sign>[+-]?)(?P<number>\d{1,12})(?P<unit>ms|s|m|h|d|w)?")
CALENDAR = {
    "second": "s", "1s": "s", "minute": "m", "1m": "m", "hour": "h", "1h": "h", "day": "d", "1d": "d", "week": "w", "1w": "w",
    "month": "mon", "1M": "mon", "M": "mon", "quarter": "q", "1q": "q", "q": "q", "year": "y", "1y": "y", "y": "y",
}  # fmt: skip
LONG = ("mon", "q", "y")


class Interval(InternalStruct, frozen=True):
    """A span of fixed length, or a `unit` of the calendar; `offset_ns` moves where each begins."""

    span: ast.Quantity | None
    unit: str
    zone: tzinfo
    offset_ns: int = 0

    def begin(self, time_ns: int) -> int:
        """Return the start of the interval that contains a time."""
        moved_ns = time_ns - self.offset_ns
        if self.span is None:
            return snap(moved_ns, "/", self.unit, self.zone) + self.offset_ns
        return begin_span(moved_ns, self.span, self.zone) + self.offset_ns

    def next(self, start_ns: int) -> int:
        """Return the start of the next interval."""
        moved_ns = start_ns - self.offset_ns
        if self.span is None:
            return add_units(moved_ns, 1, self.unit, self.zone) + self.offset_ns
        return next_span(moved_ns, self.span, self.zone) + self.offset_ns

    def bucket(self, time: ast.Expression) -> ast.Expression:
        """Return an expression for the start of the interval that contains a time."""
        moved = move(time, -self.offset_ns)
        if self.span is None:
            rounded = ast.Call("relative_time", (moved, ast.Literal(f"/{self.unit}")))
        else:
            written = f"{self.span.number}{self.span.unit}"
            rounded = ast.Call("bucket", (moved, ast.Literal(written)))
        return move(rounded, self.offset_ns)


def move(time: ast.Expression, by_ns: int) -> ast.Expression:
    if not by_ns:
        return time
    seconds, rest_ms = divmod(abs(by_ns) // NS_PER_MS, 1000)
    sign = "+" if by_ns > 0 else "-"
    steps = (f"{sign}{seconds}s" if seconds else "") + (f"{sign}{rest_ms}ms" if rest_ms else "")
    return ast.Call("relative_time", (time, ast.Literal(steps)))


def read_interval(
    fixed: object, calendar: object, either: object, zone: tzinfo, offset: object
) -> Interval:
    """Return the interval of one of three options, of which the last, older one may be of either kind."""
    offset_ns = read_offset(offset)
    if calendar is not None or (
        isinstance(either, str) and CALENDAR.get(either, "s") in (*LONG, "w", "d")
    ):
        unit = CALENDAR.get(str(calendar if calendar is not None else either))
        if unit is None:
            raise unsupported(
                f"The supplied interval {show(calendar)} could not be parsed as a calendar interval."
            )
        if unit in LONG:
            return Interval(None, unit, zone, offset_ns)
        return Interval(ast.Quantity(1, unit), unit, zone, offset_ns)
    written = fixed if fixed is not None else either
    text = f"{written}ms" if isinstance(written, int) else str(written)
    text = f"1{CALENDAR[text]}" if text in CALENDAR else text
    match = FIXED.fullmatch(text)
    if match is None or not int(match["number"]):
        raise unsupported(
            f"failed to parse interval {show(written)}, expected a number and ms, s, m, h or d"
        )
    span = ast.Quantity(int(match["number"]), match["unit"])
    return Interval(span, match["unit"], zone, offset_ns)


def read_offset(offset: object) -> int:
    if offset is None:
        return 0
    match = OFFSET.fullmatch(str(offset))
    if match is None:
        raise unsupported(f"[offset] is {show(offset)}, expected a number and a unit, such as +6h")
    size = int(ast.Quantity(int(match["number"]), match["unit"] or "ms").scaled)
    return -size if match["sign"] == "-" else size

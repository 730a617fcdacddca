"""VPC flow logs: cells between blanks, named by a header, or in the default order."""

from typing import Any

from logboom.base.patterns import compile_later
from logboom.formats.auto.kinds.shares import ENOUGH, share_of
from logboom.formats.auto.reading import NO_EVENT, Reading, parse_each
from logboom.formats.reader import read_cell

DEFAULT_NAMES = (
    *("version", "account-id", "interface-id", "srcaddr", "dstaddr", "srcport", "dstport"),
    *("protocol", "packets", "bytes", "start", "end", "action", "log-status"),
)
NUMBERS = frozenset(
    [
        *("version", "srcport", "dstport", "protocol", "packets", "bytes", "start", "end"),
        *("tcp-flags", "traffic-path", "packets-lost-no-route", "packets-lost-blackhole"),
        *("packets-lost-mtu-exceeded", "packets-lost-ttl-expired"),
    ]
)
DEFAULT_LINE = compile_later(
    r"\d{1,2} (?:\d{12}|unknown|-) (?:eni-[0-9a-f]+|-)(?: \S+){10} (?:OK|NODATA|SKIPDATA)\s*"
)
HEADER = compile_later(r"[a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)+\s*")
SIGNS = frozenset(("srcaddr", "dstaddr", "interface-id", "account-id", "log-status", "action"))
FEWEST_SIGNS = 2
TIME = "start"
ABSENT = "-"


def try_flow_logs(lines: list[str], _now_ns: int) -> Reading | None:
    if is_header(lines[0]):
        header = lines[0]
        share = share_of(FlowTable(header).fits, lines)
    else:
        header = " ".join(DEFAULT_NAMES)
        share = share_of(DEFAULT_LINE.fullmatch, lines)
    return (
        Reading("vpc_flow", share, parse_each(FlowTable(header).parse)) if share >= ENOUGH else None
    )


def is_header(line: str) -> bool:
    return (
        HEADER.fullmatch(line) is not None and len(SIGNS.intersection(line.split())) >= FEWEST_SIGNS
    )


class FlowTable:
    """Names the cells of lines as the header says."""

    def __init__(self, header: str) -> None:
        self._names = header.split()

    def fits(self, line: str) -> bool:
        """Return whether it is a header, or a row as wide as that with a number where the time is."""
        fields = self.parse(line)
        return fields is not None and (fields is NO_EVENT or TIME not in fields)

    def parse(self, line: str) -> dict[str, Any] | None:
        cells = line.split()
        if cells == self._names or is_header(line):
            self._names = cells
            return NO_EVENT
        if len(cells) != len(self._names):
            return None
        fields = {
            name: read_cell(cell) if name in NUMBERS else cell
            for name, cell in zip(self._names, cells, strict=True)
            if cell != ABSENT
        }
        return (
            {"timestamp": fields.pop(TIME), **fields} if type(fields.get(TIME)) is int else fields
        )

"""The packet filter's log of pfSense and OPNsense: lines of syslog whose message is a row of cells."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from logboom.base.patterns import compile_later
from logboom.formats.auto.kinds.shares import ENOUGH, share_with
from logboom.formats.auto.reading import Reading, parse_each
from logboom.formats.reader import read_cell
from logboom.formats.syslog import parse_event

SIGN = compile_later(
    r"[^\n]{0,200}\bfilterlog(?:\[\d+\])?(?: \d+ \S+ \S+|:) ?\d*,[^,]*,[^,]*,[^,]*,[^,]*,\w*,\w*,\w*,[46],"
)
COMMON = (
    "rule",
    "sub_rule",
    "anchor",
    "tracker",
    "interface",
    "reason",
    "action",
    "direction",
    "ip_version",
)
IP = {
    "4": (
        "tos",
        "ecn",
        "ttl",
        "id",
        "offset",
        "ip_flags",
        "protocol_id",
        "protocol",
        "length",
        "src_ip",
        "dst_ip",
    ),
    "6": (
        "class",
        "flow_label",
        "hop_limit",
        "protocol",
        "protocol_id",
        "length",
        "src_ip",
        "dst_ip",
    ),
}
PORTS = ("src_port", "dst_port", "data_length")
PROTOCOLS = {
    "tcp": (*PORTS, "tcp_flags", "sequence", "ack", "window", "urgent", "options"),
    "udp": PORTS,
}
PLACE_OF_VERSION = COMMON.index("ip_version")
TEXTS = frozenset(("tracker", "anchor", "sequence", "ack", "class", "tos", "flow_label"))


def try_filterlog(lines: list[str], now_ns: int) -> Reading | None:
    share = share_with("filterlog", SIGN.match, lines)
    parse_all = parse_each(partial(parse, now_ns=now_ns))
    return Reading("filterlog", share, parse_all) if share >= ENOUGH else None


def parse(text: str, now_ns: int) -> dict[str, Any] | None:
    """Return the cells of a line by their names; other lines of syslog as they are. The row stays the message."""
    fields = parse_event(text, now_ns)
    if fields is None or fields.get("app_name") != "filterlog":
        return fields
    cells = str(fields.get("message", "")).split(",")
    for name, cell in zip(list_names(cells), cells, strict=False):
        if cell:
            fields[name] = cell if name in TEXTS else read_cell(cell)
    return fields


def list_names(cells: list[str]) -> Iterator[str]:
    """Yield the names of the cells, which depend on the protocols."""
    yield from COMMON
    names = IP.get(cells[PLACE_OF_VERSION], ()) if len(cells) > PLACE_OF_VERSION else ()
    yield from names
    if names:
        place = len(COMMON) + names.index("protocol")
        yield from PROTOCOLS.get(cells[place].lower() if place < len(cells) else "", ())

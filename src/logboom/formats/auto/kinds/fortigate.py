"""Logs of FortiGate firewalls: pairs that start with the date and the time, with or without a syslog header."""

import re
from functools import partial
from typing import Any

from logboom.base.patterns import compile_later
from logboom.formats.auto.kinds.shares import ENOUGH, share_with
from logboom.formats.auto.reading import Reading, parse_each
from logboom.formats.cef import read_prefix
from logboom.formats.logfmt import find_pairs, parse_pairs
from logboom.formats.reader import read_cell

START = compile_later(
    r"(?:^|(?<=[\s>]))date=(?=\d{4}-\d\d-\d\d time=\d\d:\d\d:\d\d (?:[^\n]{0,200} )?(?:devid|logid|log_id|devname)=)"
)
SEARCHED_CHARACTERS = 400
EPOCH = compile_later(r"\d{10}|\d{13}|\d{16}|\d{19}")
LEFT_AS_TEXT = frozenset(("logid", "log_id", "tz", "eventtime", "date", "time"))


def try_fortigate(lines: list[str], now_ns: int) -> Reading | None:
    share = share_with("date=", find_start, lines)
    parse_all = parse_each(partial(parse, now_ns=now_ns))
    return Reading("fortigate", share, parse_all) if share >= ENOUGH else None


def find_start(line: str) -> re.Match[str] | None:
    return START.search(line, 0, SEARCHED_CHARACTERS)


def parse(text: str, now_ns: int) -> dict[str, Any] | None:
    """Return the pairs of a line, and its time with the zone of the firewall; `msg` or `logdesc` is the message."""
    start = find_start(text)
    if start is None:
        return None
    written = text[start.start() :]
    pairs = find_pairs(written, str)
    said: dict[str, Any] = dict(pairs) if pairs is not None else parse_pairs(written) or {}
    stamp = read_stamp(said)
    fields = {
        name: value if name in LEFT_AS_TEXT or type(value) is not str else read_cell(value)
        for name, value in said.items()
    }
    message = fields.pop("msg", None) or fields.get("logdesc")
    before = read_prefix(text[: start.start()], now_ns)
    for name in ("date", "time"):
        fields.pop(name, None)
    return before | {"timestamp": stamp} | ({"message": message} if message else {}) | fields


def read_stamp(said: dict[str, Any]) -> str | int:
    event_time = said.get("eventtime", "")
    if EPOCH.fullmatch(event_time):
        return int(event_time)
    return f"{said.get('date')}T{said.get('time')}{said.get('tz', '')}"

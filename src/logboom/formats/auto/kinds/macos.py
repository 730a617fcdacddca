"""The unified log of macOS, as `log show` prints it: in its default style, and in the compact one."""

from typing import Any

from logboom.base.patterns import compile_later
from logboom.formats.auto.kinds.shares import ENOUGH, fold_events, share_of
from logboom.formats.auto.reading import NO_EVENT, Reading, parse_each

STAMP = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}"
BEGINS = (
    rf"{STAMP}(?:\d{{3}}[+-]\d{{4}} +0x[0-9a-f]+ +[A-Z]| +[A-Z][a-z]? +[^\[]*\[\d+:[0-9a-f]+\] )"
)
IS_FIRST = compile_later(BEGINS)
SAID = r"(?:\((?P<library>[^()\n]{1,200})\) )?(?:\[(?P<logger>[^\[\]\n]{0,200})\] )?(?P<message>.*)"
DEFAULT = compile_later(
    rf"(?s)(?P<timestamp>{STAMP}\d{{3}}[+-]\d{{4}}) +(?P<thread>0x[0-9a-f]+) +(?P<level>[A-Z][A-Za-z]+(?: [A-Z][a-z]+)?) +"
    rf"(?P<activity>0x[0-9a-f]+) +(?P<pid>\d+) +(?P<ttl>\d+) +(?P<program>[^:\n]{{1,200}}): {SAID}"
)
COMPACT = compile_later(
    rf"(?s)(?P<timestamp>{STAMP}) +(?P<level>[A-Z][a-z]?) +(?P<program>[^\[\n]{{1,200}})\[(?P<pid>\d+):(?P<thread>[0-9a-f]+)\] {SAID}"
)
LEVELS = {
    "Df": "Default",
    "I": "Info",
    "Db": "Debug",
    "E": "Error",
    "F": "Fault",
    "A": "Activity",
    "S": "Signpost",
}
HEADER = compile_later(r"Timestamp +(?:Thread +Type +Activity +PID +TTL|Ty +Process\[PID:TID\])\s*")
NUMBERS = ("pid", "ttl")


def try_macos(lines: list[str], _now_ns: int) -> Reading | None:
    if not any(map(IS_FIRST.match, lines)):
        return None
    share = share_of(lambda event: parse(event) is not None, fold_events(BEGINS, lines))
    return Reading("macos", share, parse_each(parse), BEGINS) if share >= ENOUGH else None


def parse(text: str) -> dict[str, Any] | None:
    """Return the fields of an event; none for the header of the table."""
    found = DEFAULT.fullmatch(text) or COMPACT.fullmatch(text)
    if found is None:
        return NO_EVENT if HEADER.fullmatch(text) else None
    fields: dict[str, Any] = {name: value for name, value in found.groupdict().items() if value}
    fields["level"] = LEVELS.get(fields["level"], fields["level"])
    return fields | {name: int(fields[name]) for name in NUMBERS if name in fields}

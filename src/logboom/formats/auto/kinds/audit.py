"""Records of the Linux audit log: a type, a time with a serial number, and names with values."""

from typing import Any

from logboom.base.patterns import compile_later
from logboom.formats.auto.kinds.shares import ENOUGH, share_of
from logboom.formats.auto.reading import Reading, parse_each
from logboom.formats.reader import read_cell

HEADING = r"(?:node=\S+ )?type=\S+ msg=audit\(\d+\.\d+:\d+\):"
HEAD = compile_later(
    r"(?:node=(?P<node>\S+) )?type=(?P<type>\S+) msg=audit\((?P<timestamp>\d+\.\d+):(?P<serial>\d+)\): ?"
)
PAIR = compile_later(r"([\w-]++)=(?:\"([^\"]*+)\"|'([^']*+)'|([^\s,\x1d]*+))")
TRANSLATED = "\x1d"
"""Before the values that the daemon has translated, under their names in capitals."""
ARGUMENT = compile_later(r"a\d+(?:\[\d+\])?")
"""Arguments of a call, in hexadecimal digits, which may look like a decimal number."""


def try_audit(lines: list[str], _now_ns: int) -> Reading | None:
    """Return the reading of lines most of which are records."""
    share = share_of(HEAD.match, lines)
    return Reading("auditd", share, parse_each(parse)) if share >= ENOUGH else None


def parse(text: str) -> dict[str, Any] | None:
    """Return the heading and the pairs of a record; everything after the heading is the message."""
    head = HEAD.match(text)
    if head is None:
        return None
    fields: dict[str, Any] = {name: value for name, value in head.groupdict().items() if value}
    fields["serial"] = int(fields["serial"])
    own, _, translated = text[head.end() :].partition(TRANSLATED)
    fields["message"] = f"{own} {translated}".strip()
    add_pairs(own, fields)
    for name, *values in PAIR.findall(translated):
        fields.setdefault(f"{name.lower()}_name", "".join(values))
    return fields


def add_pairs(text: str, fields: dict[str, Any]) -> None:
    """Add the pairs of a text, and those within the quotes of `msg='…'`; of equal names the first counts."""
    for name, quoted, said, plain in PAIR.findall(text):
        if said:
            add_pairs(said, fields)
        elif plain and not ARGUMENT.fullmatch(name):
            fields.setdefault(name, read_cell(plain))
        else:
            fields.setdefault(name, quoted or plain)

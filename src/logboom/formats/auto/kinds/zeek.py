"""Logs of Zeek: cells between tabs, described by directives at the beginning."""

from typing import Any

from logboom.base.patterns import compile_later
from logboom.formats.auto.kinds.shares import ENOUGH, share_of
from logboom.formats.auto.reading import NO_EVENT, Reading, parse_each
from logboom.formats.reader import MAX_NAME_LENGTH

DIRECTIVE = compile_later(
    r"#(separator|set_separator|empty_field|unset_field|path|open|close|fields|types)\b"
)
SIGNS = ("#separator \\x", "#fields\t")
ESCAPED = compile_later(r"\\x([0-9a-fA-F]{2})")
INTEGERS = ("count", "int", "port")
FLOATS = ("interval", "double", "time")
LISTS = ("set[", "vector[")
TRUTHS = {"T": True, "F": False}
TIME = "ts"


def try_zeek(lines: list[str], _now_ns: int) -> Reading | None:
    if not DIRECTIVE.match(lines[0]) or not any(line.startswith(SIGNS) for line in lines):
        return None
    share = share_of(ZeekLog().fits, lines)
    return Reading("zeek", share, parse_each(open_log(lines).parse)) if share >= ENOUGH else None


def open_log(lines: list[str]) -> "ZeekLog":
    """Return a log that knows the directives before the first event."""
    log = ZeekLog()
    for line in lines:
        if not line.startswith("#"):
            break
        log.parse(line)
    return log


class ZeekLog:
    """Follows the directives, and names and types cells accordingly."""

    def __init__(self) -> None:
        self._said = {
            "separator": "\t",
            "set_separator": ",",
            "empty_field": "(empty)",
            "unset_field": "-",
        }
        self._names: list[str] = []
        self._types: list[str] = []

    def fits(self, line: str) -> bool:
        return self.parse(line) is not None

    def parse(self, line: str) -> dict[str, Any] | None:
        """Return the fields of an event, or None for a line that does not fit the directives."""
        directive = DIRECTIVE.match(line)
        if directive:
            self._follow(directive[1], line[directive.end() :])
            return NO_EVENT
        cells = line.split(self._said["separator"])
        if len(cells) != len(self._names):
            return None
        fields: dict[str, Any] = {"_path": self._said["path"]} if "path" in self._said else {}
        types = self._types if len(self._types) == len(cells) else ["string"] * len(cells)
        for name, type_name, cell in zip(self._names, types, cells, strict=True):
            if cell not in (self._said["unset_field"], self._said["empty_field"], ""):
                fields[name] = cell if name == TIME else self._read(type_name, cell)
        return {"timestamp": fields.pop(TIME), **fields} if TIME in fields else fields

    def _follow(self, name: str, rest: str) -> None:
        if name == "separator":
            self._said[name] = unescape(rest.strip(" ")) or "\t"
            return
        values = rest.removeprefix(self._said["separator"]).split(self._said["separator"])
        if name == "fields":
            self._names = [value[:MAX_NAME_LENGTH] for value in values]
        elif name == "types":
            self._types = values
        elif values[0]:
            self._said[name] = values[0]

    def _read(self, type_name: str, cell: str) -> Any:
        """Return the value of a cell; its text if it is not of the type."""
        if type_name.startswith(LISTS):
            inner = type_name.partition("[")[2].removesuffix("]")
            return [self._read(inner, item) for item in cell.split(self._said["set_separator"])]
        if type_name == "bool":
            return TRUTHS.get(cell, cell)
        try:
            if type_name in INTEGERS:
                return int(cell)
            if type_name in FLOATS:
                return float(cell)
        except ValueError:
            return cell
        return unescape(cell)


def unescape(text: str) -> str:
    return ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "\\x" in text else text

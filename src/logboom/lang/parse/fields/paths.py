"""Paths into objects as other languages write them: `labels["app"]="web"`, `.status == 500`, `a[0].b:x`."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.tokens import NAME

SUBSCRIPT = r"\[(?:[0-9]++|\*|\"[^\"\]]++\"|'[^'\]]++')\]"
SUBSCRIPTED = compile_later(
    rf"(?P<name>{NAME.pattern}(?:{SUBSCRIPT}(?:\.{NAME.pattern})?+)++)"
    r"(?=\s*+(?:==|!=|[<>]=?)\s*+[\w\"']|[:=][\w\"*])"
)
PLAIN_SUBSCRIPT = compile_later(rf"{NAME.pattern}(?:\[[0-9]++\])++")
"""An element of a list, or a process in a log line: `sshd[123]:x`."""
ROOTED = compile_later(rf"\.{NAME.pattern}(?=\s*+(?:==|!=|[<>]=?)\s*+[\w\"'])")
FROM_ROOT = compile_later(rf"\$\.(?P<name>{NAME.pattern})(?=\s*+(?:==|!=|[<>]=?)|[:=])")
POSITION = compile_later(r"\[(?:[0-9]++|\*)\]")
MEMBER = compile_later(r"\[[\"']([^\"']++)[\"']\]")


def check_no_path(cursor: Cursor) -> None:
    """Raise InvalidQuery for a test of such a path, which would be searched as words; `$.status` may be a name."""
    start = cursor.position
    if cursor.next == "$" and (root := FROM_ROOT.match(cursor.text, start)):
        name = root["name"]
        message = f"{show(root[0])} is the name of a field, write {name} for the path"
        other = cursor.replace(start, start + len("$."), "")
        cursor.notice("read_as_text", message, alt=other)
    found = find_path(cursor)
    if found is None:
        return
    meant = MEMBER.sub(r".\1", POSITION.sub("", found)).removeprefix(".")
    end = start + len(found)
    message = f"{show(found)} is not the name of a field, write {meant}; in quotes it is a text"
    raise cursor.error(
        message, start, end, ["a field name"], cursor.replace(start, end, quote_odd(meant))
    )


def find_path(cursor: Cursor) -> str | None:
    if cursor.next == ".":
        rooted = ROOTED.match(cursor.text, cursor.position)
        return rooted and rooted[0]
    found = SUBSCRIPTED.match(cursor.text, cursor.position) if "[" in cursor.text else None
    is_path = found is not None and PLAIN_SUBSCRIPT.fullmatch(found["name"]) is None
    return found["name"] if found and is_path else None


def quote_odd(name: str) -> str:
    """Return a name that needs quotes, in them."""
    return name if re.fullmatch(NAME.pattern, name) else f'"{name}"'

"""Expands grok patterns: `%{NAME:field:type}` is replaced by the library's definition of NAME.

Every named group becomes an unnamed one that is identified by its number, so that a field may be captured in several
places and have any name; unnamed groups no longer capture.
"""

import difflib
import re
from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.formats.grok.library import PATTERNS
from logboom.formats.grok.types import TYPES
from logboom.formats.patterns import MAX_PATTERN_LENGTH, make_fault
from logboom.model.columns import MAX_PATH_LENGTH

MAX_CAPTURES = 128
TOKEN = compile_later(
    r"%\{(?P<reference>[^{}]*+)\}"
    r"|(?P<literal>\\Q(?:[^\\]++|\\(?!E))*+(?:\\E)?|\\.)"
    r"|(?P<members>\[\^?\]?(?:\[:\^?\w++:\]|\\.|[^\]\\])*+\])"
    r"|\(\?P?<(?P<name>[^=!>][^>]*+)>"
    r"|(?P<special>\(\?)"
    r"|(?P<open>\()"
    r"|(?P<close>\))"
    r"|(?P<unclosed>\[)",
    re.DOTALL,
)
NESTED = compile_later(r"\[([^\[\]]+)\]")


class Capture(NamedTuple):
    """A group of the expression: its field, the type of its value, and the library name of its pattern."""

    field: str
    type: str
    pattern: str


class Expanded(NamedTuple):
    """An expression whose groups are the captures, in their order."""

    expression: str
    captures: list[Capture]


def expand(written: str) -> Expanded:
    """Return the expression of a pattern; raise Invalid, with the position, for a mistake."""
    if len(written) > MAX_PATTERN_LENGTH:
        reason = f"{len(written)} characters, expected at most {MAX_PATTERN_LENGTH}"
        raise make_fault(written, MAX_PATTERN_LENGTH, reason)
    captures: list[Capture] = []
    expression = Expansion(written, captures).expand(written, None)
    if not captures:
        raise make_fault(written, 0, "it captures no field, expected %{NAME:field} or (?<field>…)")
    if len(captures) > MAX_CAPTURES:
        raise make_fault(written, 0, f"{len(captures)} fields, expected at most {MAX_CAPTURES}")
    return Expanded(expression, captures)


class Expansion:
    """Expands the references of one pattern, and of the definitions that they use."""

    def __init__(self, written: str, captures: list[Capture]) -> None:
        self._written = written
        self._captures = captures

    def expand(self, text: str, outer: int | None) -> str:
        """Expand a pattern; `outer` is the position of the reference that led here, None for the pattern itself."""
        pieces: list[str] = []
        opened: list[int] = []
        end = 0
        for token in TOKEN.finditer(text):
            pieces.append(text[end : token.start()])
            end = token.end()
            place = token.start() if outer is None else outer
            self._check_groups(token, opened, place)
            pieces.append(self._replace(token, place))
        if opened:
            raise make_fault(self._written, opened[-1], "missing closing )")
        return "".join(pieces) + text[end:]

    def _check_groups(self, token: re.Match[str], opened: list[int], place: int) -> None:
        if token["name"] or token["special"] or token["open"]:
            opened.append(place)
        elif token["close"]:
            if not opened:
                raise make_fault(self._written, place, "unexpected )")
            opened.pop()
        elif token["unclosed"]:
            raise make_fault(self._written, place, "missing closing ]")

    def _replace(self, token: re.Match[str], place: int) -> str:
        if token["reference"] is not None:
            return self._refer(token["reference"], place)
        if token["name"]:
            self._capture(token["name"], "", place)
            return "("
        return "(?:" if token["open"] else token[0]

    def _refer(self, reference: str, place: int) -> str:
        name, _, capture = reference.partition(":")
        if name not in PATTERNS:
            raise make_fault(self._written, place, explain_unknown(name))
        if capture:
            self._capture(capture, name, place)
        return f"{'(' if capture else '(?:'}{self.expand(PATTERNS[name], place)})"

    def _capture(self, text: str, pattern: str, place: int) -> None:
        """Record a group; its text is `field` or `field:type`."""
        field, colon, type_name = text.partition(":")
        if NESTED.match(field):
            field = ".".join(NESTED.findall(field))
        if not field or len(field) > MAX_PATH_LENGTH:
            raise make_fault(self._written, place, f"{field[:40]!r} is not a field name")
        if colon and type_name not in TYPES:
            reason = f"unknown type {type_name!r}, expected one of {', '.join(TYPES)}"
            raise make_fault(self._written, place, reason)
        self._captures.append(Capture(field, type_name or "string", pattern))


def explain_unknown(name: str) -> str:
    near = difflib.get_close_matches(name.upper(), PATTERNS, n=1)
    return f"unknown pattern {name!r}" + (f", did you mean {near[0]!r}" if near else "")

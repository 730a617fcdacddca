"""The lexical rules of Kusto, and a position in a query with its variables and functions."""

import re
from collections.abc import Callable
from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.lang.ast import Query
from logboom.lang.dialects.scanner import Scanner
from logboom.lang.dialects.tree import Node

UNITS = (
    r"(?:microseconds?|milliseconds?|seconds?|minutes?|hours?|days?|ticks?|hrs?|min|sec|ms|[dhms])"
)
CASES = r"(?:_cs)?"
TEXT_WORDS = rf"(?:has_any|has_all|has{CASES}|hasprefix{CASES}|hassuffix{CASES}|contains{CASES}|startswith{CASES}|endswith{CASES})"
TOKENS = compile_later(
    r"(?P<blank>\s++|//[^\n]*+)"
    r'|(?P<text>[hH]?@"(?:[^"]|"")*+"|[hH]?@\'(?:[^\']|\'\')*+\'|[hH]?"(?:[^"\\\n]++|\\.)*+"'
    r"|[hH]?'(?:[^'\\\n]++|\\.)*+'|```.*?```|~~~.*?~~~)"
    rf"|(?P<test>!(?:in~?|{TEXT_WORDS}|between|matches)(?!\w)|in~)"
    rf"|(?P<span>[0-9]++(?:\.[0-9]++)?{UNITS}\b)"
    r"|(?P<number>0[xX][0-9a-fA-F]++|(?:[0-9]++(?:\.(?!\.)[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?)"
    r"|(?P<name>[A-Za-z_$][\w$]*+)"
    r"|(?P<sign>==|!=|=~|!~|<=|>=|<>|\.\.|=>|[-+*/%<>=:,;()\[\]{}|.?])",
    re.DOTALL | re.ASCII,
)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "0": "\0"}
ESCAPE = compile_later(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<character>.))", re.DOTALL)


def decode_text(written: str) -> str:
    written = written.lstrip("hH")
    if written.startswith(("```", "~~~")):
        return written[3:-3]
    if written.startswith("@"):
        mark = written[1]
        return written[2:-1].replace(mark * 2, mark)
    return ESCAPE.sub(decode_escape, written[1:-1])


def decode_escape(found: re.Match[str]) -> str:
    if found["code"]:
        return chr(int(found["code"], 16))
    return ESCAPES.get(found["character"], found["character"])


class Parameter(NamedTuple):
    name: str
    default: "Node | None"


class Function(NamedTuple):
    """A function of `let`, whose body begins behind its brace at `start`."""

    parameters: tuple[Parameter, ...]
    start: int


class KustoScanner(Scanner):
    """A position in a Kusto query.

    `variables` and `functions` are those of `let`; `read_query` parses a query in parentheses, such as one after `in`.
    """

    def __init__(self, text: str, read_query: "Callable[[KustoScanner], Query]") -> None:
        super().__init__(text, TOKENS, "Kusto")
        self.variables: dict[str, Node] = {}
        self.functions: dict[str, Function] = {}
        self.calls = 0
        self.read_query = read_query
        self.is_in_array = False

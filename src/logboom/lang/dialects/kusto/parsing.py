"""Kusto's `parse`: texts and the columns between them, as a regular expression."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.ast import Call, Eval, Exists, Field, Rex
from logboom.lang.dialects.kusto.reader import Reader
from logboom.lang.dialects.kusto.scanner import decode_text
from logboom.lang.dialects.scanner import show
from logboom.lang.dialects.textual import escape

KIND = compile_later(r"kind\s*=\s*(?P<kind>\w+)\s*")
FLAGS = compile_later(r"flags\s*=\s*\w+\s*")
TYPES = {
    **dict.fromkeys(("int", "long"), r"[+-]?\d+"),
    **dict.fromkeys(("real", "double", "decimal"), r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"),
    "bool": "true|false",
}
GROUP_NAME = compile_later(r"[A-Za-z_]\w*", re.ASCII)
COLUMN = compile_later(r"\(\?<(\w+)>")
NUMBER_COLUMN = compile_later(r"\(\?<(\w+)>\[\+-\]")
SHORTEST, LONGEST = ".*?", ".*"


def read_parse_where(reader: Reader) -> None:
    """Read `parse-where`: `parse` for only those rows that contain the texts."""
    expression = read_parse(reader)
    first = COLUMN.search(expression)
    assert first is not None, "there are columns"
    reader.pipeline.narrow([Exists(first[1])])


def read_parse(reader: Reader) -> str:
    """`parse [kind=simple] column with * "text" name:type "text" …`; returns the equivalent expression."""
    start = reader.scanner.peek().start
    kind = reader.scanner.take_match(KIND)
    if kind and kind["kind"] != "simple":
        raise reader.refuse(f"parse kind={kind['kind']} is not supported, use rex", start)
    reader.scanner.take_match(FLAGS)
    field = reader.read_column()
    reader.scanner.expect_word("with")
    expression = "".join(read_pieces(reader))
    if "(?<" not in expression:
        raise reader.refuse("parse without a column, expected a name between the texts", start)
    reader.pipeline.add(Rex(f"(?s)^{expression}$", field))
    if numbers := NUMBER_COLUMN.findall(expression):
        converted = tuple((name, Call("tonumber", (Field(name),))) for name in numbers)
        reader.pipeline.add(Eval(converted))
    return expression


def read_pieces(reader: Reader) -> list[str]:
    """Return the texts and columns as pieces of a regular expression; the last column takes the rest."""
    pieces: list[str] = []
    while True:
        token = reader.scanner.peek()
        if token.kind == "text":
            pieces.append(escape(decode_text(reader.scanner.take().text)))
        elif reader.scanner.take_sign("*"):
            pieces.append(SHORTEST)
        elif token.kind == "name" or reader.scanner.sees_sign("["):
            pieces.append(read_column(reader))
        else:
            break
    if pieces and pieces[-1].endswith(SHORTEST):
        pieces[-1] = LONGEST
    elif pieces and pieces[-1].endswith(f"{SHORTEST})"):
        pieces[-1] = pieces[-1].replace(SHORTEST, LONGEST)
    return pieces


def read_column(reader: Reader) -> str:
    start = reader.scanner.peek().start
    name = reader.read_name()
    if not GROUP_NAME.fullmatch(name):
        raise reader.refuse(f"{show(name)} cannot be a column of parse, rename it later", start)
    kind = reader.read_name() if reader.scanner.take_sign(":") else "string"
    reader.lowering.own.add(name.lower())
    return f"(?<{name}>{TYPES.get(kind, SHORTEST)})"

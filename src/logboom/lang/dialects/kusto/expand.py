"""`mv-expand`: a row for each value of a list. Members of objects in lists are separate lists here."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.ast import Eval, Expression, Field, MvExpand
from logboom.lang.dialects.kusto.reader import Reader
from logboom.lang.dialects.kusto.tokens import JSON_FUNCTIONS
from logboom.lang.dialects.scanner import show
from logboom.lang.dialects.tree import Invocation, Name, Node

OPTION = compile_later(r"(?:bagexpansion|kind|with_itemindex)\s*=\s*\w+", re.IGNORECASE)
TYPE = compile_later(r"to\s+typeof\s*\(\s*\w+\s*\)", re.IGNORECASE)


def read_mv_expand(reader: Reader) -> None:
    """`mv-expand [name =] column [to typeof(type)] [limit n]`."""
    start = reader.scanner.peek().start
    if option := reader.scanner.take_match(OPTION):
        raise reader.refuse(f"mv-expand with {option[0]} is not supported", start)
    alias = reader.read_assigned()
    value = find_list(reader, alias, reader.read_node())
    reader.scanner.take_match(TYPE)
    if reader.scanner.sees_sign(","):
        raise reader.refuse("mv-expand of several columns is not supported, expand one", start)
    limit = reader.read_count() if reader.scanner.take_word("limit") else None
    column = alias or (value.name if isinstance(value, Field) else "")
    check_no_members(reader, start, column)
    if alias:
        reader.pipeline.add(Eval(((alias, value),)))
        reader.lowering.own.add(alias.lower())
    reader.pipeline.add(MvExpand(column, limit))


def find_list(reader: Reader, alias: str | None, node: Node) -> Expression:
    """Return the column to expand, or the list with a name; JSON texts would have to be parsed."""
    match node:
        case Name(text=text) if text.lower() not in reader.lowering.json:
            return Field(reader.lowering.resolve(text))
        case Invocation(name="split") if alias:
            return reader.lowering.express(node)
        case Invocation(name=name) if name not in JSON_FUNCTIONS:
            raise reader.lowering.refuse("mv-expand needs a column, use extend before it", node)
        case _:
            raise reader.lowering.refuse("mv-expand of a JSON text is not supported", node)


def check_no_members(reader: Reader, start: int, column: str) -> None:
    """Raise InvalidQuery if objects are expanded, judging by what follows."""
    rest = reader.scanner.text[reader.scanner.position :]
    if re.search(rf"\b{re.escape(column)}\s*(?:\.\s*\w|\[)", rest):
        message = f"mv-expand of objects is not supported, members of {show(column)} are lists here"
        raise reader.refuse(message, start)

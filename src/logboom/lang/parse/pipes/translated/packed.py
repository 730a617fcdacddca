"""`pack_json` and `pack_logfmt` of LogsQL: some fields as one text, translated to `eval`."""

import json
from collections.abc import Iterable

from logboom.lang.ast import MESSAGE, Call, Eval, Expression, Field, Literal
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.parts import parse_name, parse_names

BARE_VALUE = r'^[^\s"=]+$'


def parse_pack_json(cursor: Cursor) -> Eval:
    """`pack_json fields (a, b) [as c]`; values are texts, missing fields are omitted."""
    fields, name = parse_packed(cursor)
    members = join_present(
        (field, f",{json.dumps(field, ensure_ascii=False)}:", Call("json_quote", (Field(field),)))
        for field in fields
    )
    return Eval(((name, Call("concat", (Literal("{"), members, Literal("}")))),))


def parse_pack_logfmt(cursor: Cursor) -> Eval:
    """`pack_logfmt fields (a, b) [as c]`; values are in quotes where they need them."""
    fields, name = parse_packed(cursor)
    members = join_present((field, f" {field}=", quote_value(Field(field))) for field in fields)
    return Eval(((name, members),))


def parse_packed(cursor: Cursor) -> tuple[tuple[str, ...], str]:
    """Parse the fields, and the name of the text."""
    if not cursor.take(tokens.FIELDS):
        message = "packing all fields is not supported, expected their names: fields (a, b)"
        raise cursor.error(message, cursor.position, cursor.position, ["fields"])
    fields = parse_names(cursor)
    return fields, parse_name(cursor) if cursor.take(tokens.AS) else MESSAGE


def join_present(members: Iterable[tuple[str, str, Expression]]) -> Expression:
    """Return an expression of each value that the row has after its own text, without the first character."""
    parts = [
        Call(
            "if",
            (
                Call("isnotnull", (Field(field),)),
                Call("concat", (Literal(before), value)),
                Literal(""),
            ),
        )
        for field, before, value in members
    ]
    return Call("substr", (Call("concat", tuple(parts)), Literal(2)))


def quote_value(field: Field) -> Expression:
    is_bare = Call("match", (field, Literal(BARE_VALUE)))
    return Call("if", (is_bare, field, Call("json_quote", (field,))))

"""Stages of a pipeline after a bar: parsers, formats, and keeping or dropping labels. All are in STAGES."""

from collections.abc import Callable
from itertools import pairwise

from logboom.base.patterns import compile_later
from logboom.lang.ast import (
    MESSAGE,
    Call,
    Drop,
    Eval,
    Expression,
    Extract,
    Field,
    Fields,
    Inverse,
    Literal,
    Rename,
    Rex,
    Unpack,
)
from logboom.lang.dialects.logql import regexes
from logboom.lang.dialects.logql.errors import DETAILS, ERROR, note_json_error
from logboom.lang.dialects.logql.labels import read_label_filter
from logboom.lang.dialects.logql.lines import SIGNS, read_line_filter
from logboom.lang.dialects.logql.paths import read_path
from logboom.lang.dialects.logql.pipeline import Pipeline
from logboom.lang.dialects.logql.templates.templates import read_template
from logboom.lang.dialects.logql.tokens import Token, TokenReader, decode_string, show

NAMED_GROUP = compile_later(r"\(\?P?<(?P<name>[A-Za-z_]\w*)>")
PLACEHOLDER = compile_later(r"<(?P<name>[^<>\s]++)>")
SKIPPED = "_"
TIME = "_time"
COLOURS = r"\x1b\[[0-9;]*m"
ENTRY = "_entry"
CONVERSIONS = {"duration": "duration", "duration_seconds": "duration", "bytes": "bytes"}
"""The conversions of `unwrap`, and our functions for them."""

Stage = Callable[[TokenReader, Pipeline], None]


def read_stages(reader: TokenReader, pipeline: Pipeline) -> None:
    """Read all following stages, up to a range, a parenthesis or the end."""
    while True:
        if reader.sees(*SIGNS):
            pipeline.add_line_filter(read_line_filter(reader))
        elif reader.take_sign("|"):
            read_stage(reader, pipeline)
        else:
            return


def read_stage(reader: TokenReader, pipeline: Pipeline) -> None:
    stage = STAGES.get(reader.next.text)
    if stage is not None and not reader.sees_after(
        "=", "!=", "=~", "!~", ">", "<", ">=", "<=", "=="
    ):
        reader.take()
        stage(reader, pipeline)
    elif reader.sees_kind("name") or reader.sees("("):
        name, has_errors = pipeline.name_tested, pipeline.has_errors
        pipeline.add_filter(read_label_filter(reader, name, has_errors=has_errors))
    else:
        raise reader.unexpected(["a parser", "a label filter"])


def read_json(reader: TokenReader, pipeline: Pipeline) -> None:
    """`json`, or `json a="b.c"` for some members only."""
    note_json_error(reader, pipeline)
    if not reader.sees_kind("name"):
        pipeline.add(Unpack("json"))
        pipeline.expect_nested()
        return
    members = read_members(reader)
    pairs = [(label, read_path(reader, path, token)) for label, path, token in members]
    pipeline.add(Eval(tuple(pairs)), *(label for label, _ in pairs))


def read_members(reader: TokenReader) -> list[tuple[str, str, Token]]:
    """`a, b="c"`: each label, its path, and the token that names it."""
    members: list[tuple[str, str, Token]] = []
    while not members or reader.take_sign(","):
        token = reader.expect_kind("name", "a label")
        label = token.text
        path = label
        if reader.take_sign("="):
            token = reader.expect_kind("string", "a path in quotes")
            path = decode_string(token.text)
        members.append((label, path, token))
    return members


def read_logfmt(reader: TokenReader, pipeline: Pipeline) -> None:
    """`logfmt`; the flags `--strict` and `--keep-empty` only affect malformed lines."""
    while reader.sees_kind("flag"):
        reader.take()
    pipeline.add(Unpack("logfmt"))
    if reader.sees_kind("name"):
        members = read_members(reader)
        renamed = [(label, Field(key)) for label, key, _ in members if label != key]
        if renamed:
            pipeline.add(Eval(tuple(renamed)), *(label for label, _ in renamed))


def read_regexp(reader: TokenReader, pipeline: Pipeline) -> None:
    token = reader.expect_kind("string", "a regular expression in quotes")
    expression = regexes.convert(reader, decode_string(token.text), token)
    names = NAMED_GROUP.findall(expression)
    if not names:
        message = f"{show(expression)} names no group, expected one such as (?P<user>\\w+)"
        raise reader.refuse(message, token)
    pipeline.add(Rex(expression), *names)


def read_pattern(reader: TokenReader, pipeline: Pipeline) -> None:
    token = reader.expect_kind("string", "a pattern in quotes")
    template = decode_string(token.text)
    places = list(PLACEHOLDER.finditer(template))
    names = [place["name"] for place in places if place["name"] != SKIPPED]
    if not names:
        message = f"{show(template)} names no field, expected one such as <user>"
        raise reader.refuse(message, token)
    if any(left.end() == right.start() for left, right in pairwise(places)):
        message = f"{show(template)} has two fields side by side, expected text between them"
        raise reader.refuse(message, token)
    pipeline.add(Extract(template), *names)


def read_unpack(reader: TokenReader, pipeline: Pipeline) -> None:
    """Read `unpack`, for the output of Promtail's `pack`: labels, and the line as the member `_entry`."""
    note_json_error(reader, pipeline)
    pipeline.add(Unpack("json"))
    pipeline.add(Eval(((MESSAGE, Call("coalesce", (Field(ENTRY), Field(MESSAGE)))),)))


def read_decolorize(_reader: TokenReader, pipeline: Pipeline) -> None:
    bare = Call("replace", (Field(MESSAGE), Literal(COLOURS), Literal("")))
    pipeline.add(Eval(((MESSAGE, bare),)))


def read_line_format(reader: TokenReader, pipeline: Pipeline) -> None:
    token = reader.expect_kind("string", "a template in quotes")
    line = read_template(reader, decode_string(token.text), token, pipeline.name)
    pipeline.add(Eval(((MESSAGE, line),)))


def read_label_format(reader: TokenReader, pipeline: Pipeline) -> None:
    """`new=old` renames a label, `new="template"` makes one."""
    while True:
        label = reader.take_name()
        reader.expect("=")
        if reader.sees_kind("string"):
            token = reader.take()
            value = read_template(reader, decode_string(token.text), token, pipeline.name)
            pipeline.add(Eval(((label, value),)), label)
        else:
            pipeline.add(Rename(((pipeline.name(reader.take_name()), label),)), label)
        if not reader.take_sign(","):
            return


def read_drop(reader: TokenReader, pipeline: Pipeline) -> None:
    """`drop a, b="text"`: a label, or a label if it has that value."""
    plain, tested = read_named(reader, has_errors=pipeline.has_errors)
    if plain:
        pipeline.add(Drop(tuple(name for label in plain for name in pipeline.list_names(label))))
    if tested:
        pairs = [
            (pipeline.name(label), Call("if", (test, Literal(None), Field(label))))
            for label, test in tested
        ]
        pipeline.add(Eval(tuple(pairs)))


def read_keep(reader: TokenReader, pipeline: Pipeline) -> None:
    """Read `keep`: only these labels stay, with the time and the line."""
    plain, tested = read_named(reader, has_errors=pipeline.has_errors)
    for label in (*plain, *(label for label, _ in tested)):
        pipeline.name(label)
    if tested:
        pairs = [(label, Call("if", (test, Field(label), Literal(None)))) for label, test in tested]
        pipeline.add(Eval(tuple(pairs)))
    kept = dict.fromkeys((TIME, MESSAGE, *plain, *(label for label, _ in tested)))
    pipeline.add(Fields(tuple(kept)))


def read_named(
    reader: TokenReader, *, has_errors: bool
) -> tuple[list[str], list[tuple[str, Expression]]]:
    """Read labels; return those without and those with a test of their value."""
    plain: list[str] = []
    tested: list[tuple[str, Expression]] = []
    while True:
        label = reader.take_name()
        test: Expression | None = None
        if reader.sees("=", "!=", "=~", "!~"):
            operator = reader.take().text
            token = reader.expect_kind("string", "a text in quotes")
            test = make_value_test(reader, label, operator, decode_string(token.text), token)
        if label == DETAILS or (label == ERROR and not has_errors):
            pass
        elif test is None:
            plain.append(label)
        else:
            tested.append((label, test))
        if not reader.take_sign(","):
            return plain, tested


def make_value_test(
    reader: TokenReader, label: str, operator: str, text: str, token: Token
) -> Expression:
    """Return the test of a label as an expression."""
    pattern = text if operator.endswith("~") else regexes.escape(text)
    expression = regexes.convert(reader, f"^(?:{pattern})$", token)
    found = Call("match", (Call("coalesce", (Field(label), Literal(""))), Literal(expression)))
    return Inverse(found) if operator.startswith("!") else found


def read_unwrap(reader: TokenReader, pipeline: Pipeline) -> None:
    """`unwrap label`, or `unwrap duration(label)`."""
    token = reader.next
    label = reader.take_name()
    conversion = CONVERSIONS.get(label) if reader.sees("(") else None
    if conversion is not None:
        reader.take()
        field = Field(pipeline.name(reader.take_name()))
        reader.expect(")")
        pipeline.value = Call(conversion, (field,))
    elif reader.sees("("):
        known = ", ".join(CONVERSIONS)
        raise reader.refuse(f"unknown conversion {show(label)}, expected one of {known}", token)
    else:
        pipeline.value = Field(pipeline.name(label))


STAGES: dict[str, Stage] = {
    "json": read_json,
    "logfmt": read_logfmt,
    "regexp": read_regexp,
    "pattern": read_pattern,
    "unpack": read_unpack,
    "decolorize": read_decolorize,
    "line_format": read_line_format,
    "label_format": read_label_format,
    "drop": read_drop,
    "keep": read_keep,
    "unwrap": read_unwrap,
}

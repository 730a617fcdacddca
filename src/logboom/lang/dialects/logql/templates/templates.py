"""Go templates of `line_format` and `label_format` as expressions: texts, labels, pipelines, conditions."""

import re
from collections.abc import Callable
from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.lang.ast import MESSAGE, Binary, Call, Expression, Field, Literal
from logboom.lang.dialects.logql.regexes import convert
from logboom.lang.dialects.logql.templates.functions import FUNCTIONS, BadArgumentsError
from logboom.lang.dialects.logql.tokens import STRING, Token, TokenReader, decode_string, show
from logboom.lang.errors import InvalidQuery
from logboom.lang.format.conditions import is_condition
from logboom.lang.functions import REGEX_ARGUMENTS
from logboom.lang.tokens import decode_number

ACTION = compile_later(
    r"(?P<before>\s*)\{\{(?P<trims>- )?(?P<body>.*?)(?P<trims_after> -)?\}\}(?P<after>\s*)",
    re.DOTALL,
)
COMMENT = compile_later(r"/\*.*\*/", re.DOTALL)
PART = compile_later(
    rf"\s*+(?:(?P<string>{STRING})|(?P<number>-?[0-9]++(?:\.[0-9]++)?)|\$?\.(?P<field>[A-Za-z_][\w.]*+)"
    r"|(?P<name>[A-Za-z_]\w*+)|(?P<sign>[|()])|(?P<other>\S[^\s|()]*+))",
    re.DOTALL,
)
LOGICAL = ("and", "or", "not")
BLOCKS = ("range", "with", "define", "template", "block", "break", "continue")
VALUES: dict[str, Expression] = {
    "__line__": Field(MESSAGE),
    "__timestamp__": Field("_time"),
    "true": Literal(True),
    "false": Literal(False),
}
EMPTY = Literal("")

Name = Callable[[str], str]
Piece = tuple[str, str]


class Part(NamedTuple):
    kind: str
    text: str


def read_template(reader: TokenReader, template: str, token: Token, name: Name) -> Expression:
    """Return the text that the template makes of an event; `name` maps a label to its field."""
    return Template(reader, template, token, name).read()


def split_template(template: str) -> list[Piece]:
    """Return the texts and actions in order; a dash inside the braces trims adjacent whitespace."""
    pieces: list[Piece] = []
    place = 0
    for action in ACTION.finditer(template):
        text = template[place : action.start()] + ("" if action["trims"] else action["before"])
        pieces += [("text", text)] if text else []
        if not COMMENT.fullmatch(action["body"].strip()):
            pieces.append(("action", action["body"].strip()))
        if action["after"] and not action["trims_after"]:
            pieces.append(("text", action["after"]))
        place = action.end()
    rest = template[place:]
    return [*pieces, ("text", rest)] if rest else pieces


def join(parts: list[Expression]) -> Expression:
    """Return all parts concatenated; adjacent texts are merged."""
    joined: list[Expression] = []
    for part in parts:
        match part, joined[-1] if joined else None:
            case Literal(str(text)), Literal(str(before)):
                joined[-1] = Literal(before + text)
            case _:
                joined.append(part)
    if len(joined) < 2:
        return joined[0] if joined else EMPTY
    return Call("concat", tuple(joined))


def is_true(value: Expression) -> Expression:
    """Return the condition under which a template treats a value as true: a text is true unless it is empty."""
    if is_condition(value):
        return value
    return Binary("!=", Call("coalesce", (value, EMPTY)), EMPTY)


class Template:
    def __init__(self, reader: TokenReader, template: str, token: Token, name: Name) -> None:
        self._reader = reader
        self._token = token
        self._name = name
        self._pieces = split_template(template)
        self._place = 0
        self._parts: list[Part] = []
        self._part = 0

    def read(self) -> Expression:
        value = self._read_text()
        if self._place < len(self._pieces):
            raise self._refuse(f"unexpected {show(self._pieces[self._place][1])} in the template")
        return value

    def _refuse(self, message: str) -> InvalidQuery:
        return self._reader.refuse(message, self._token)

    def _check_text(self, text: str) -> None:
        if "{{" in text:
            raise self._refuse('the template has "{{" without "}}"')

    def _read_text(self) -> Expression:
        """Read everything up to `else` or `end`, which are not consumed."""
        parts: list[Expression] = []
        while self._place < len(self._pieces):
            kind, text = self._pieces[self._place]
            keyword = text.split(maxsplit=1)[0] if kind == "action" and text else ""
            if keyword in ("else", "end"):
                break
            self._place += 1
            if kind == "text":
                self._check_text(text)
                parts.append(Literal(text))
            elif keyword == "if":
                parts.append(self._read_condition(text.removeprefix("if")))
            else:
                parts.append(self._read_action(text))
        return join(parts)

    def _read_condition(self, test: str) -> Expression:
        with self._reader.nested():
            condition = is_true(self._read_action(test))
            found = self._read_text()
            other = self._read_else()
        return Call("if", (condition, found, other))

    def _read_else(self) -> Expression:
        if self._place == len(self._pieces):
            raise self._refuse("an if of the template has no {{end}}")
        text = self._pieces[self._place][1]
        self._place += 1
        if text == "end":
            return EMPTY
        rest = text.removeprefix("else").strip()
        if rest.startswith("if "):
            return self._read_condition(rest.removeprefix("if"))
        other = self._read_text()
        if self._place == len(self._pieces) or self._pieces[self._place][1] != "end":
            raise self._refuse("an else of the template has no {{end}}")
        self._place += 1
        return other

    def _read_action(self, text: str) -> Expression:
        self._parts = [
            Part(match.lastgroup or "", match[match.lastgroup or 0])
            for match in PART.finditer(text)
        ]
        self._part = 0
        value = self._read_pipeline()
        if self._part < len(self._parts):
            raise self._refuse(f"unexpected {show(self._parts[self._part].text)} in {show(text)}")
        return value

    def _sees(self, sign: str) -> bool:
        return self._part < len(self._parts) and self._parts[self._part] == Part("sign", sign)

    def _read_pipeline(self) -> Expression:
        """Read calls joined by bars; each takes the previous result as its last argument."""
        value = self._read_call(())
        while self._sees("|"):
            self._part += 1
            value = self._read_call((value,))
        return value

    def _read_call(self, piped: tuple[Expression, ...]) -> Expression:
        if self._part == len(self._parts):
            raise self._refuse("an action of the template is empty")
        first = self._parts[self._part]
        if first.kind != "name" or first.text in VALUES:
            return self._read_operand()
        self._part += 1
        arguments: list[Expression] = []
        while self._part < len(self._parts) and not self._sees("|") and not self._sees(")"):
            arguments.append(self._read_operand())
        return self._call(first.text, (*arguments, *piped))

    def _call(self, function: str, arguments: tuple[Expression, ...]) -> Expression:
        self._reader.count_operation(self._token)
        build = FUNCTIONS.get(function)
        if build is None:
            what = "the block" if function in BLOCKS else "the template function"
            raise self._refuse(f"{what} {show(function)} cannot be translated")
        try:
            built = build(*(map(is_true, arguments) if function in LOGICAL else arguments))
        except (TypeError, BadArgumentsError) as error:
            raise self._refuse(f"the arguments of {show(function)} cannot be translated") from error
        return self._check(built)

    def _check(self, built: Expression) -> Expression:
        """Return a call, with its regular expression converted for the engine."""
        match built:
            case Call(function, (text, Literal(str(expression)), *others)) if (
                function in REGEX_ARGUMENTS
            ):
                converted = convert(self._reader, expression, self._token)
                return Call(function, (text, Literal(converted), *others))
            case _:
                return built

    def _read_operand(self) -> Expression:
        part = self._parts[self._part]
        self._part += 1
        if part.kind == "field":
            if part.text in VALUES:
                return VALUES[part.text]
            return Field(self._name(part.text))
        if part.kind == "string":
            return Literal(decode_string(part.text))
        if part.kind == "number":
            return Literal(decode_number(part.text))
        if part.kind == "name":
            return VALUES[part.text] if part.text in VALUES else self._call(part.text, ())
        if part == Part("sign", "("):
            with self._reader.nested():
                inside = self._read_pipeline()
            if not self._sees(")"):
                raise self._refuse('a parenthesis of the template is never closed, expected ")"')
            self._part += 1
            return inside
        raise self._refuse(f"{show(part.text)} of the template cannot be translated")

"""`__error__`: the label of lines that a parser cannot read."""

from logboom.lang.ast import MESSAGE, Call, Eval, Expression, Field, Literal
from logboom.lang.dialects.logql.pipeline import Pipeline
from logboom.lang.dialects.logql.tokens import TokenReader
from logboom.model.event_text import STAND_INS

ERROR, DETAILS = ERRORS = ("__error__", "__error_details__")
JSON_ERROR = "JSONParserErr"
OBJECT = r"^\s*\{"
WHOLE = "$"


def note_json_error(reader: TokenReader, pipeline: Pipeline) -> None:
    """Compute the label for a parser of JSON, if the query asks for it.

    Lines that were JSON were parsed when they were received, and have only their message left: so a line is wrong only
    if it begins like an object and is none.
    """
    is_asked = any(token.kind == "name" and token.text in ERRORS for token in reader.tokens)
    if not is_asked or not pipeline.as_streams:
        return
    line = Call("coalesce", tuple(map(Field, (MESSAGE, *STAND_INS))))
    before = Field(ERROR) if pipeline.has_errors else Literal(None)
    value = Call("json_get", (line, Literal(WHOLE)))
    parsed = choose(Call("isnull", (value,)), Literal(JSON_ERROR), before)
    error = choose(Call("match", (line, Literal(OBJECT))), parsed, before)
    pipeline.add(Eval(((ERROR, error),)), ERROR)
    pipeline.has_errors = True


def choose(test: Expression, yes: Expression, no: Expression) -> Expression:
    return Call("if", (test, yes, no))

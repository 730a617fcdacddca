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

    Events without a line of text were parsed when they were received.
    """
    is_asked = any(token.kind == "name" and token.text in ERRORS for token in reader.tokens)
    if not is_asked or not pipeline.as_streams:
        return
    line = Call("coalesce", tuple(map(Field, (MESSAGE, *STAND_INS))))
    value = Call("json_get", (line, Literal(WHOLE)))
    parsed = choose(Call("match", (line, Literal(OBJECT))), value, Literal(None))
    before = Field(ERROR) if pipeline.has_errors else Literal(None)
    is_wrong = choose(Call("isnull", (parsed,)), Literal(JSON_ERROR), before)
    error = choose(Call("isnull", (line,)), before, is_wrong)
    pipeline.add(Eval(((ERROR, error),)), ERROR)
    pipeline.has_errors = True


def choose(test: Expression, yes: Expression, no: Expression) -> Expression:
    return Call("if", (test, yes, no))

"""Paths into JSON: `json first="servers[0].name"`."""

from logboom.base.patterns import compile_later
from logboom.lang.ast import MESSAGE, Call, Expression, Field, Literal
from logboom.lang.dialects.logql.tokens import Token, TokenReader, show

STEP = compile_later(
    r"\.?(?P<name>[A-Za-z_@][\w@-]*+)|\[(?P<index>[0-9]++)\]|\.?\[\"(?P<quoted>[^\"]++)\"\]"
)


def read_path(reader: TokenReader, path: str, token: Token) -> Expression:
    """Return the member at a path of the line, or of the event if the line was parsed on ingest."""
    steps: list[str] = []
    names: list[str] = []
    index: int | None = None
    place = 0
    while place < len(path):
        step = STEP.match(path, place)
        if step is None:
            raise reader.refuse(f"{show(path)} is not a path such as a.b or a[0].b", token)
        if step["index"] is None:
            names.append(step["name"] or step["quoted"])
            steps.append(names[-1])
        else:
            index = int(step["index"])
            steps.append(step["index"])
        place = step.end()
    if not names:
        raise reader.refuse(f"{show(path)} names no member, expected a path such as a.b", token)
    own: Expression = Field(".".join(names))
    if index is not None:
        own = Call("mvindex", (own, Literal(index)))
    inside = Call("json_get", (Field(MESSAGE), Literal(".".join(steps))))
    return Call("coalesce", (inside, own))

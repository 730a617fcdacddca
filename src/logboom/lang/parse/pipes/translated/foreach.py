"""`foreach`: the same `eval` for each of some fields, expanded."""

from logboom.base.patterns import compile_later
from logboom.lang.ast import Eval, Expression, Pipe
from logboom.lang.errors import InvalidQuery
from logboom.lang.parse.brackets import find_bracket
from logboom.lang.parse.cursor import Cursor
from logboom.lang.parse.pipes import tokens
from logboom.lang.parse.pipes.compute import parse_eval
from logboom.lang.parse.pipes.options import take_options
from logboom.lang.parse.pipes.parts import ends_pipe, goes_on, parse_wild_name

PLACE = "<<FIELD>>"
PLACES = compile_later(r"<<(?:FIELD|MATCHSTR|ITEM)>>")
TEMPLATE = tokens.keyword("eval")


def parse_foreach(cursor: Cursor) -> Pipe:
    """`foreach a b [eval <<FIELD>> = round('<<FIELD>>', 2)]`; the fields must be named."""
    start = cursor.position
    options = take_options(cursor, ("mode", "fieldstr", "matchstr", "itemstr"))
    if options.get("mode", "multifield") != "multifield":
        message = "foreach goes over fields only, expected their names"
        raise cursor.error(message, start, cursor.position, ["a field name"])
    names = [parse_wild_name(cursor)]
    while goes_on(cursor):
        names.append(parse_wild_name(cursor))
    if any("*" in name for name in names):
        message = "the fields that a star stands for are not known here, expected their names"
        raise cursor.error(message, start, cursor.position, ["a field name"])
    if not cursor.sees_any("["):
        raise cursor.unexpected(["["])
    end = find_bracket(cursor)
    template = cursor.text[cursor.position + 1 : end]
    opening, cursor.position = cursor.position, end + 1
    assignments: list[tuple[str, Expression]] = []
    for name in names:
        assignments += expand(cursor, opening, template, name).assignments
    return Eval(tuple(assignments))


def expand(cursor: Cursor, start: int, template: str, name: str) -> Eval:
    """Return the template for one field; an error in it is reported for the whole template."""
    inside = cursor.continue_with(PLACES.sub(lambda _: name, template))
    inside.skip_blanks()
    if not inside.take(TEMPLATE):
        message = "foreach repeats an eval only, expected [eval …]"
        raise cursor.error(message, start, cursor.position, ["[eval"])
    try:
        evaluated = parse_eval(inside)
        if not ends_pipe(inside) or not inside.at_end:
            raise inside.unexpected(["|", "]"])
    except InvalidQuery as error:
        reason = error.message.partition(": ")[2]
        message = f"the eval of foreach with {name}: {reason}"
        raise cursor.error(message, start, cursor.position) from error
    return evaluated

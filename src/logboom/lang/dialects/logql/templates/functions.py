"""Functions of templates, each as the equivalent expression; all are in FUNCTIONS.

A piped value is the last argument. Functions with a capital letter take the text first.
"""

import re
from collections.abc import Callable

from logboom.base.patterns import compile_later
from logboom.lang.ast import Binary, Call, Expression, Inverse, Literal
from logboom.lang.dialects.logql.regexes import escape

Build = Callable[..., Expression]
VERB = compile_later(
    r"%(?P<fill>[-0])?(?P<width>[1-9][0-9]{0,2})?(?:\.(?P<digits>[0-9]{1,3}))?(?P<verb>[sdvf%])|%"
)
# Go's notation for the parts of a time, and ours.
LAYOUT: dict[str, str] = {
    "2006": "%Y", "January": "%B", "Jan": "%b", "Monday": "%A", "Mon": "%a", "-0700": "%z",
    "Z07:00": "%:z", "MST": "%Z", "01": "%m", "02": "%d", "15": "%H", "03": "%I", "04": "%M",
    "05": "%S", "06": "%y", "PM": "%p",
}  # fmt: skip
LAYOUT_PART = compile_later("|".join(map(re.escape, LAYOUT)) + r"|%|(?<=05)\.0+")


MOST_REPEATED = 100
ISO_DATE = "2006-01-02"


class BadArgumentsError(Exception):
    """Arguments that cannot be translated."""


def read_text(argument: Expression) -> str:
    """Return the text of an argument that must be constant."""
    match argument:
        case Literal(str(text)):
            return text
        case _:
            raise BadArgumentsError


def read_whole(argument: Expression) -> int:
    match argument:
        case Literal(int(number)):
            return number
        case _:
            raise BadArgumentsError


def call(function: str) -> Build:
    """Return a builder for our function with the same single argument."""
    return lambda text: Call(function, (text,))


def compute(operator: str) -> Build:
    """Return a builder for an operator between any number of arguments."""

    def build(first: Expression, *others: Expression) -> Expression:
        for other in others:
            first = Binary(operator, first, other)
        return first

    return build


def divide_whole(left: Expression, right: Expression) -> Expression:
    return Call("toint", (Binary("/", left, right),))


def choose(function: str) -> Build:
    return lambda first, *others: Call(function, (first, *others))


def replace_text(old: Expression, new: Expression, text: Expression) -> Expression:
    found = escape(read_text(old))
    return Call("replace", (text, Literal(found), Literal(read_text(new).replace("$", "$$"))))


def replace_times(
    text: Expression, old: Expression, new: Expression, times: Expression
) -> Expression:
    """`Replace .a "x" "y" -1`; a limited number of replacements is not supported."""
    if read_whole(times) >= 0:
        raise BadArgumentsError
    return replace_text(old, new, text)


def replace_matches(expression: Expression, text: Expression, new: Expression) -> Expression:
    return Call("replace", (text, Literal(read_text(expression)), Literal(read_text(new))))


def replace_matches_plainly(
    expression: Expression, text: Expression, new: Expression
) -> Expression:
    plain = Literal(read_text(new).replace("$", "$$"))
    return replace_matches(expression, text, plain)


def remove(expression: str, text: Expression) -> Expression:
    return Call("replace", (text, Literal(expression), Literal("")))


def remove_start(start: Expression, text: Expression) -> Expression:
    return remove(f"^{escape(read_text(start))}", text)


def remove_end(end: Expression, text: Expression) -> Expression:
    return remove(f"{escape(read_text(end))}$", text)


def cut(start: Expression, end: Expression, text: Expression) -> Expression:
    first, last = read_whole(start), read_whole(end)
    if first < 0 or last < first:
        raise BadArgumentsError
    return Call("substr", (text, Literal(first + 1), Literal(last - first)))


def truncate(length: Expression, text: Expression) -> Expression:
    """Return the first characters, or the last ones if the length is negative."""
    count = read_whole(length)
    places = (Literal(count),) if count < 0 else (Literal(1), Literal(count))
    return Call("substr", (text, *places))


def align(pad: str) -> Build:
    """Return a builder for a text that is cut or padded to a length."""

    def build(length: Expression, text: Expression) -> Expression:
        count = read_whole(length)
        kept = Call("substr", (text, Literal(1), Literal(count)))
        return Call(pad, (kept, Literal(count)))

    return build


def make_test(function: str, before: str, after: str) -> Build:
    """Return a builder for the test of a text by another; case matters if that is a constant."""

    def build(wanted: Expression, text: Expression) -> Expression:
        if isinstance(wanted, Literal):
            expression = f"{before}{escape(read_text(wanted))}{after}"
            return Call("match", (text, Literal(expression)))
        return Call(function, (text, wanted))

    return build


def use_default(default: Expression, text: Expression) -> Expression:
    return Call("coalesce", (Call("nullif", (text, Literal(""))), default))


def print_values(template: Expression, *values: Expression) -> Expression:
    """`printf "%s: %d" .a .b`; other verbs are not supported."""
    parts: list[Expression] = []
    left = list(values)
    text = read_text(template)
    place = 0
    for verb in VERB.finditer(text):
        parts.append(Literal(text[place : verb.start()]))
        place = verb.end()
        if verb["verb"] is None or (verb["verb"] != "%" and not left):
            raise BadArgumentsError
        parts.append(Literal("%") if verb["verb"] == "%" else print_value(verb, left.pop(0)))
    parts.append(Literal(text[place:]))
    printed = tuple(part for part in parts if part != Literal(""))
    return printed[0] if len(printed) == 1 else Call("concat", printed or (Literal(""),))


def print_value(verb: re.Match[str], value: Expression) -> Expression:
    """`%-20.20s`: cut to a length, padded to another; `%.2f`: rounded."""
    if verb["verb"] == "f":
        value = Call("round", (value, Literal(int(verb["digits"] or 6))))
    elif verb["digits"]:
        value = Call("substr", (value, Literal(1), Literal(int(verb["digits"]))))
    if verb["width"]:
        zeros = (Literal("0"),) if verb["fill"] == "0" else ()
        pad = "rpad" if verb["fill"] == "-" else "lpad"
        value = Call(pad, (value, Literal(int(verb["width"])), *zeros))
    return value


def write_date(layout: Expression, moment: Expression) -> Expression:
    """`date "2006-01-02"`: Go describes a time format by an example."""
    text = LAYOUT_PART.sub(write_date_part, read_text(layout))
    return Call("strftime", (moment, Literal(text)))


def write_date_part(part: re.Match[str]) -> str:
    if part[0].startswith(".0"):
        return f"%.{len(part[0]) - 1}f"
    return LAYOUT.get(part[0], "%%")


def count_seconds(moment: Expression) -> Expression:
    return Call("toint", (Call("tonumber", (moment,)),))


def count_milliseconds(moment: Expression) -> Expression:
    """Return the milliseconds since 1970, rounded because of the error of the product."""
    seconds = Call("tonumber", (moment,))
    return Call("toint", (Call("round", (Binary("*", seconds, Literal(1000)),)),))


def read_date(layout: Expression, text: Expression) -> Expression:
    """Return a time that is written with the date first, as in ISO 8601."""
    if not read_text(layout).startswith(ISO_DATE):
        raise BadArgumentsError
    return Call("time", (text,))


def read_date_in_zone(layout: Expression, zone: Expression, text: Expression) -> Expression:
    if read_text(zone) != "UTC":
        raise BadArgumentsError
    return read_date(layout, text)


def count_text(expression: Expression, text: Expression) -> Expression:
    """Return how often a text occurs; regular expressions are not supported."""
    wanted = read_text(expression)
    if not wanted or escape(wanted) != wanted:
        raise BadArgumentsError
    return Binary("-", Call("mvcount", (Call("split", (text, expression)),)), Literal(1))


def repeat(times: Expression, text: Expression) -> Expression:
    count = read_whole(times)
    if not 0 < count <= MOST_REPEATED:
        raise BadArgumentsError
    return Call("concat", (text,) * count)


def indent(count: Expression, text: Expression) -> Expression:
    """Return a text with blanks before each of its lines."""
    return Call("replace", (text, Literal("(?m)^"), Literal(" " * read_whole(count))))


FUNCTIONS: dict[str, Build] = {
    "lower": call("lower"),
    "ToLower": call("lower"),
    "upper": call("upper"),
    "ToUpper": call("upper"),
    "trim": call("trim"),
    "TrimSpace": call("trim"),
    "trimAll": lambda characters, text: Call("trim", (text, characters)),
    "Trim": lambda text, characters: Call("trim", (text, characters)),
    "TrimLeft": lambda text, characters: Call("ltrim", (text, characters)),
    "TrimRight": lambda text, characters: Call("rtrim", (text, characters)),
    "trimPrefix": remove_start,
    "TrimPrefix": lambda text, start: remove_start(start, text),
    "trimSuffix": remove_end,
    "TrimSuffix": lambda text, end: remove_end(end, text),
    "replace": replace_text,
    "Replace": replace_times,
    "regexReplaceAll": replace_matches,
    "regexReplaceAllLiteral": replace_matches_plainly,
    "substr": cut,
    "trunc": truncate,
    "alignLeft": align("rpad"),
    "alignRight": align("lpad"),
    "default": use_default,
    "printf": print_values,
    "print": lambda *values: Call("concat", values),
    "len": call("len"),
    "urlencode": call("urlencode"),
    "urldecode": call("urldecode"),
    "b64enc": call("base64encode"),
    "b64dec": call("base64decode"),
    "int": call("toint"),
    "float64": call("tonumber"),
    "toString": call("tostring"),
    "bytes": call("bytes"),
    "duration": call("duration"),
    "duration_seconds": call("duration"),
    "date": write_date,
    "now": lambda: Call("now", ()),
    "unixEpoch": count_seconds,
    "unixEpochMillis": count_milliseconds,
    "unixToTime": call("time"),
    "toDate": read_date,
    "toDateInZone": read_date_in_zone,
    "repeat": repeat,
    "count": count_text,
    "indent": indent,
    "nindent": lambda count, text: Call("concat", (Literal("\n"), indent(count, text))),
    "add": compute("+"),
    "addf": compute("+"),
    "sub": compute("-"),
    "subf": compute("-"),
    "mul": compute("*"),
    "mulf": compute("*"),
    "div": divide_whole,
    "divf": compute("/"),
    "mod": compute("%"),
    "max": choose("greatest"),
    "maxf": choose("greatest"),
    "min": choose("least"),
    "minf": choose("least"),
    "ceil": call("ceil"),
    "floor": call("floor"),
    "round": lambda number, *digits: Call("round", (number, *digits)),
    "contains": make_test("contains", "", ""),
    "hasPrefix": make_test("startswith", "^", ""),
    "hasSuffix": make_test("endswith", "", "$"),
    "eq": compute("=="),
    "ne": compute("!="),
    "lt": compute("<"),
    "le": compute("<="),
    "gt": compute(">"),
    "ge": compute(">="),
    "and": compute("AND"),
    "or": compute("OR"),
    "not": Inverse,
}

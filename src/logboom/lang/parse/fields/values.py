"""Single values: texts with wildcards, regular expressions, networks, numbers with units."""

from ipaddress import IPv6Address, ip_network

from logboom.base.patterns import compile_later
from logboom.lang import tokens
from logboom.lang.ast import LONE_STAR, Filter, Network, Pattern, Quantity, Range, Wildcard
from logboom.lang.parse import lucene
from logboom.lang.parse.cursor import Cursor, show
from logboom.lang.parse.fields.subject import Subject
from logboom.lang.parse.quantities import QUANTITY, parse_quantity
from logboom.lang.regex import escape_braces, find_fault
from logboom.lang.tokens import IN_FILTER, Site

LISTED = compile_later(r"[A-Za-z_][\w-]*+(?:,[A-Za-z_][\w-]*+)++")
MAX_PATTERN_LENGTH = 1024
MAX_EXPRESSIONS = 50

Parts = tuple[str | Wildcard, ...]


def parse_value(
    cursor: Cursor, subject: Subject, site: Site = IN_FILTER, has_equals: bool = False
) -> Filter:
    """Parse the test for a value: a pattern, a regular expression or a network.

    `has_equals` says that it follows `=` or IN, as in Splunk, where stars in quotes are wildcards.
    """
    start = cursor.position
    if has_equals and "$" in cursor.text and (starred := take_placeholder(cursor, site)):
        return subject.match(make_pattern(cursor, start, tokens.split_stars(starred)))
    return parse_written(cursor, subject, site, has_equals)


def parse_written(cursor: Cursor, subject: Subject, site: Site, has_equals: bool) -> Filter:
    """Return a value without placeholders."""
    start = cursor.position
    quoted = take_quoted_pattern(cursor)
    if quoted is not None:
        lucene.leave_out_distance(cursor)
        check_end(cursor, site)
        return match_quoted(cursor, subject, start, quoted, has_equals)
    expression = take_slashed(cursor, site)
    if expression is not None:
        return make_regex(cursor, subject, start, *expression)
    raw = take_run(cursor, site)
    if subject.name is not None and not subject.is_wild:
        if raw[0] == "$" and tokens.VARIABLE_VALUE.fullmatch(raw):
            cursor.read_as_meant(start, "*")
            return subject.match(Pattern(LONE_STAR))
        network = read_network(cursor, start, raw)
        if network is not None:
            return Network(subject.name, network)
        span = read_status_span(cursor, subject, start, raw)
        if span is not None:
            return span
        raw = read_status(cursor, subject, start, raw)
        add_list_notice(cursor, start, raw)
    lucene.check_word(cursor, start, raw)
    return subject.match(make_pattern(cursor, start, tokens.decode_run(raw, "*?")))


def take_placeholder(cursor: Cursor, site: Site) -> str | None:
    """Return a value with stars in place of `$name$`, which is the placeholder of a Splunk dashboard."""
    mark = cursor.mark()
    if cursor.sees_any("'`"):
        return None
    quoted = cursor.take_quoted()
    written = cursor.take(site.run) if quoted is None else quoted
    if not written or not tokens.SPLUNK_TOKEN.search(written):
        cursor.rewind(mark)
        return None
    starred = tokens.SPLUNK_TOKEN.sub("*", written)
    cursor.read_as_meant(mark.position, starred)
    return starred


def add_list_notice(cursor: Cursor, start: int, raw: str) -> None:
    """`level:error,warn` is one value with a comma."""
    if "," in raw and LISTED.fullmatch(raw):
        message = f"{show(raw)} is read as one value, write ({raw}) for one of several"
        alternative = cursor.replace(start, cursor.position, f"({raw})")
        cursor.notice("read_as_text", message, alt=alternative)


def match_quoted(
    cursor: Cursor, subject: Subject, start: int, quoted: Pattern, has_equals: bool
) -> Filter:
    """Return a text in the quotes that opened at `start`, in which stars may be wildcards."""
    text = quoted.text
    is_starred = has_equals and text is not None and "*" in text and cursor.text[start] == '"'
    if text is None or not is_starred or not read_stars(cursor, start, text):
        return subject.match(quoted)
    return subject.match(make_pattern(cursor, start, tokens.split_stars(text)))


def read_stars(cursor: Cursor, start: int, quoted: str) -> bool:
    """Return whether the stars in the quotes that opened at `start` are wildcards, with a notice."""
    written = show(quoted)
    if not cursor.stars_in_quotes:
        message = f"the star in {written} stands for itself after where, write search before the test for a wildcard"
        cursor.notice("read_as_text", message)
        return False
    before = cursor.text[:start].rstrip()
    data = {}
    if before.endswith("=") and not before.endswith("!="):
        data["alt"] = f"{before[:-1].rstrip()}:{cursor.text[start:]}"
    message = f"the star in {written} stands for any text, write a colon before the quotes for the star itself"
    cursor.notice("read_as_meant", message, **data)
    return True


def take_quoted_pattern(cursor: Cursor) -> Pattern | None:
    """Return a quoted text; a star that touches the quotes is a wildcard: `"prefix"*`, `*"part"*`."""
    parts: list[str | Wildcard] = []
    if cursor.take(tokens.STAR_BEFORE_QUOTE):
        parts.append(Wildcard.ANY)
    quoted = cursor.take_quoted()
    if quoted is None:
        return None
    tokens.append_piece(parts, quoted)
    if cursor.take(tokens.STAR_AFTER_QUOTE):
        tokens.append_piece(parts, Wildcard.ANY)
    return Pattern(tuple(parts))


def read_status(cursor: Cursor, subject: Subject, start: int, raw: str) -> str:
    """`5xx` with wildcards; a notice says that a span of numbers other than statuses is text."""
    if subject.is_message:
        return raw
    if tokens.STATUS_CLASS.fullmatch(raw):
        cursor.read_as_meant(start, meant := raw.lower().replace("x", "?"))
        return meant
    span = tokens.NUMBER_SPAN.fullmatch(raw)
    if span and len(span["low"]) == len(span["high"]) and span["low"] < span["high"]:
        meant = f"[{span['low']} TO {span['high']}]"
        message = f"{show(raw)} is read as text, write {meant} for the numbers between"
        cursor.notice("read_as_text", message, alt=cursor.replace(start, cursor.position, meant))
    return raw


def read_status_span(cursor: Cursor, subject: Subject, start: int, raw: str) -> Filter | None:
    """`status:500-599` as a range of numbers."""
    if subject.is_message or not tokens.STATUS_SPAN.fullmatch(raw):
        return None
    low, high = (Quantity(int(number), "") for number in raw.split("-"))
    if low.number >= high.number:
        return None
    meant = f"[{low.number} TO {high.number}]"
    alternative = cursor.replace(start, cursor.position, tokens.quote(raw))
    message = f"{show(raw)} is read as {show(meant)}, in quotes it is a text"
    cursor.notice("read_as_meant", message, alt=alternative)
    return Range(subject.field, low, high)


def parse_text(cursor: Cursor, site: Site = IN_FILTER) -> str:
    """Parse a text without wildcards."""
    quoted = cursor.take_quoted()
    if quoted is not None:
        check_end(cursor, site)
        return quoted
    return join_parts(tokens.decode_run(take_run(cursor, site), ""))


def join_parts(parts: Parts) -> str:
    return "".join(part for part in parts if isinstance(part, str))


def take_run(cursor: Cursor, site: Site) -> str:
    raw = None if cursor.sees_any(tokens.VALUE_STARTS_RESERVED) else cursor.take(site.run)
    if raw is None:
        raise cursor.unexpected(["a value"])
    check_end(cursor, site)
    if site is not IN_FILTER:
        return raw
    check_joint(cursor, raw)
    bare = tokens.strip_signs(raw)
    if bare and bare != raw:
        cursor.read_as_meant(cursor.position - len(raw), bare)
    return bare or raw


def check_joint(cursor: Cursor, raw: str) -> None:
    """Raise InvalidQuery for two tests joined by && without blanks, which would be one value."""
    found = tokens.JOINT_IN_VALUE.search(raw) if "&&" in raw else None
    if found:
        start = cursor.position - len(raw) + found.start()
        suggestion = cursor.replace(start, start + 2, " AND ")
        message = 'no blanks around "&&", expected AND between two tests'
        raise cursor.error(message, start, start + 2, ["AND"], suggestion)


def check_end(cursor: Cursor, site: Site) -> None:
    start = cursor.position
    if site is IN_FILTER and cursor.sees_any(",;") and cursor.take(tokens.TRAILING_SIGN):
        cursor.leave_out(start)
    if not cursor.sees(site.end):
        raise cursor.unexpected(["a blank after the value"])


def make_pattern(cursor: Cursor, start: int, parts: Parts) -> Pattern:
    """Return the pattern parsed from `start`; with wildcards its length is limited."""
    pattern = Pattern(parts)
    length = cursor.position - start
    if pattern.text is None and length > MAX_PATTERN_LENGTH:
        message = f"a pattern of {length} characters, expected at most {MAX_PATTERN_LENGTH}"
        raise cursor.error(message, start, cursor.position)
    return pattern


def read_network(cursor: Cursor, start: int, raw: str) -> str | None:
    """Return the canonical form of a network; what only looks like an IPv6 one is text."""
    match = tokens.ADDRESS_RANGE.fullmatch(raw)
    if match is None or (":" in raw and not is_address(match["address"])):
        return None
    try:
        return str(ip_network(raw, strict=False))
    except ValueError as error:
        raise cursor.error(
            f"{show(raw)} is not a network, expected an address and its number of bits such as 10.0.0.0/8",
            start,
            cursor.position,
            ["a network"],
            cursor.replace(start, cursor.position, tokens.quote(raw)),
        ) from error


def is_address(text: str) -> bool:
    try:
        IPv6Address(text)
    except ValueError:
        return False
    return True


def take_slashed(cursor: Cursor, site: Site) -> tuple[str, bool] | None:
    """Return a regular expression between slashes and whether it ignores case; a path is not consumed."""
    if not cursor.sees_any("/"):
        return None
    mark = cursor.mark()
    written = cursor.take(tokens.SLASHED)
    if written is None or not cursor.sees(site.end):
        cursor.rewind(mark)
        return None
    if tokens.PATH.fullmatch(written):
        cursor.rewind(mark)
        message = f"{show(written)} is read as text, write =~ and quotes for a regular expression"
        cursor.notice("slashes_as_text", message)
        return None
    body, _, flag = written[1:].rpartition("/")
    message = f"{show(written)} is read as a regular expression, write it in quotes for the text"
    other = cursor.replace(mark.position, cursor.position, tokens.quote(written))
    cursor.notice("slashes_as_regex", message, alt=other)
    return body, flag == "i"


def parse_regex(cursor: Cursor, subject: Subject, site: Site = IN_FILTER) -> Filter:
    """Parse what follows `=~`: anything is a regular expression; in quotes it may be followed by an `i`."""
    start = cursor.position
    slashed = cursor.take(tokens.SLASHED)
    if slashed is not None and cursor.sees(site.end):
        body, _, flag = slashed[1:].rpartition("/")
        return make_regex(cursor, subject, start, body, flag == "i")
    cursor.position = start
    expression = cursor.take_quoted()
    if expression is None:
        expression = take_expression(cursor, site)
        return make_regex(cursor, subject, start, expression, ignores_case=False)
    ignores_case = cursor.take_character("i")
    check_end(cursor, site)
    return make_regex(cursor, subject, start, expression, ignores_case)


def take_expression(cursor: Cursor, site: Site) -> str:
    expression = cursor.take(site.run)
    if expression is None:
        raise cursor.unexpected(["a regular expression in quotes"])
    if not cursor.sees(site.end):
        raise cursor.unexpected(["quotes around the regular expression"])
    return expression


def make_regex(
    cursor: Cursor, subject: Subject, start: int, written: str, ignores_case: bool
) -> Filter:
    if subject.name is None or subject.is_wild:
        message = "a regular expression needs a field, expected a field name before the colon"
        raise cursor.error(message, start, cursor.position, ["a field name"])
    expression = check_expression(cursor, start, written)
    return subject.regex(expression, ignores_case)


def check_expression(cursor: Cursor, start: int, written: str) -> str:
    """Return the expression parsed from `start` in its canonical spelling; each costs time to compile."""
    expression = escape_braces(tokens.unescape_slashes(written))
    cursor.expressions += 1
    if cursor.expressions > MAX_EXPRESSIONS:
        message = f"more than {MAX_EXPRESSIONS} regular expressions, expected alternatives in one"
        raise cursor.error(message, start, cursor.position)
    fault = find_fault(expression)
    if fault is not None:
        message = f"bad regular expression {show(expression)}: {fault}"
        raise cursor.error(message, start, cursor.position, ["a regular expression"])
    return expression


def take_quantity(cursor: Cursor, site: Site) -> Quantity | None:
    """Return a number with its unit, if that is everything up to the end of the value."""
    start = cursor.position
    sign = cursor.take(tokens.SIGN) if cursor.sees_any("-+") else None
    quantity = parse_quantity(cursor) if cursor.sees(QUANTITY) else None
    if quantity is None or not cursor.sees(site.end):
        cursor.position = start
        return None
    return Quantity(-quantity.number, quantity.unit) if sign == "-" else quantity


def parse_limit(cursor: Cursor, site: Site = IN_FILTER) -> Quantity | str:
    """Parse what a comparison compares with: a number, or a quoted text."""
    start = cursor.position
    quoted = cursor.take_quoted()
    if quoted is not None:
        check_end(cursor, site)
        return read_quoted_limit(cursor, start, quoted)
    quantity = take_quantity(cursor, site)
    if quantity is None:
        run = cursor.text[start:].split(maxsplit=1)[0] if not cursor.at_end else ""
        suggestion = cursor.replace(start, start + len(run), tokens.quote(run)) if run else None
        raise cursor.unexpected(["a number", "a text in quotes"], suggestion)
    return quantity


def read_quoted_limit(cursor: Cursor, start: int, text: str) -> Quantity | str:
    """Read a quoted limit: a number is a number, unless it is in backticks."""
    number = tokens.NUMBER.fullmatch(text.strip())
    value = tokens.decode_number(number[0]) if number else None
    if tokens.RELATIVE_MOMENT.fullmatch(text) and cursor.text[start] != "`":
        message = (
            f"{show(text)} in quotes is compared as a text, write it without quotes for a time"
        )
        alternative = cursor.replace(start, cursor.position, text)
        cursor.notice("read_as_text", message, alt=alternative)
    if value is None or cursor.text[start] == "`":
        return text
    cursor.read_as_meant(start, text.strip())
    return Quantity(value, "")

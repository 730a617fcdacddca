"""Filters that are read as words although they look like a test or a question: notices say what to write instead."""

import re
from collections.abc import Callable
from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.lang.notices import Notice
from logboom.lang.parse.cursor import show
from logboom.lang.parse.slips.habits import find_bar
from logboom.lang.tokens import NAME

FLAGS = re.IGNORECASE
LONGEST = 200
WORD = r"[\w./@-]+"
FIELD = NAME.pattern
UNITS = {"minute": "1m", "hour": "1h", "day": "1d", "week": "1w"}


class Sentence(NamedTuple):
    """A form of a whole filter, and the query that it may mean."""

    pattern: re.Pattern[str]
    write: Callable[[re.Match[str]], str]
    message: str = "{written} is read as words, perhaps {meant} was meant"


def write_test(found: re.Match[str]) -> str:
    test = {"includes": "contains", "has": "contains"}.get(found["test"].lower(), found["test"])
    return f'{found["field"]} {"not " if found["not"] else ""}{test} "{found["word"]}"'


def write_time(found: re.Match[str]) -> str:
    return f"_time:{UNITS[found['unit'].lower()]} {found['words']}"


def write_null(found: re.Match[str]) -> str:
    return f"{found['field']}:*" if found["sign"] == "!=" else f"NOT {found['field']}:*"


SENTENCES: tuple[Sentence, ...] = (
    Sentence(
        compile_later(
            rf"(?P<field>{FIELD})\s+(?P<not>not\s+)?(?P<test>contains|starts_?with|ends_?with|has|includes)\s+(?P<word>{WORD})",
            FLAGS,
        ),
        write_test,
    ),
    Sentence(
        compile_later(
            rf"count\s+(?P<words>{WORD}(?:\s+{WORD}){{0,3}}?)\s+by\s+(?P<field>{FIELD})", FLAGS
        ),
        lambda found: f"{found['words']} | stats count by {found['field']}",
    ),
    Sentence(
        compile_later(
            rf"(?P<words>{WORD}(?:\s+{WORD}){{0,3}}?)\s+in\s+the\s+(?:last|past)\s+(?P<unit>minute|hour|day|week)",
            FLAGS,
        ),
        write_time,
    ),
    Sentence(
        compile_later(rf"(?P<field>{FIELD})\s*(?P<sign>==?|!=)\s*(?:null|nil|none)", FLAGS),
        write_null,
        "{written} is compared with a text, write {meant} for events by whether they have the field",
    ),
)


def find_sentence(text: str) -> Notice | None:
    """Return a notice if the whole filter of a query has one of the forms."""
    if len(text) > LONGEST:
        return None
    bar = find_bar(text)
    head, rest = text[:bar].strip(), text[bar:]
    for sentence in SENTENCES:
        found = sentence.pattern.fullmatch(head)
        if found:
            meant = sentence.write(found)
            message = sentence.message.format(written=show(head), meant=meant)
            return Notice("read_as_text", message, {"alt": f"{meant} {rest}".strip()})
    return None

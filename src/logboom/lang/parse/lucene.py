"""Signs of Lucene that have no meaning here: `+required`, `boost^2`, `similar~1`, `"near each other"~3`."""

from logboom.base.patterns import compile_later
from logboom.lang.parse.cursor import Cursor, show

PLUS = compile_later(r"\+(?=[\"(]|[^\W\d])")
PLAIN_WORD = compile_later(r"[^\W\d]\w*+(?=[\s)|]|\Z)")
SIGNED_WORD = compile_later(r"(?P<word>[^\W\d]\w*+)(?:~(?:[0-2]|0?\.\d++)?|\^\d++(?:\.\d++)?)")
WILD_WORD = compile_later(r"\w++(?:\?\w++)++")
AFTER_QUOTES = compile_later(r"(?:~\d++|\^\d++(?:\.\d++)?)(?=[\s)|]|\Z)")


def leave_out_distance(cursor: Cursor) -> None:
    """Take the distance or boost right after a text in quotes or a group."""
    start = cursor.position
    if cursor.sees_any("~^") and cursor.take(AFTER_QUOTES):
        cursor.leave_out(start)


def check_word(cursor: Cursor, start: int, raw: str) -> None:
    """Add a notice about a word with a boost or a tilde, which is searched as it is."""
    if ("~" in raw or "^" in raw) and (signed := SIGNED_WORD.fullmatch(raw)):
        suggest_word(cursor, start, signed["word"])


def check_wildcard(cursor: Cursor, start: int, raw: str) -> None:
    """Add a notice about a word with a question mark inside, which is no wildcard there."""
    if "?" in raw and WILD_WORD.fullmatch(raw):
        meant = raw.replace("?", "*")
        message = f'{show(raw)} is searched as text: in words only "*" is a wildcard, as in {meant}'
        alternative = cursor.replace(start, cursor.position, meant)
        cursor.notice("read_as_text", message, alt=alternative)


def suggest_word(cursor: Cursor, start: int, word: str) -> None:
    written = cursor.text[start : cursor.position]
    message = f"{show(written)} is searched as text, write {word} for the word alone"
    alternative = cursor.replace(start, cursor.position, word)
    cursor.notice("read_as_text", message, alt=alternative)

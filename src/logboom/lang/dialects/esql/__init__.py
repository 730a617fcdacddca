"""ES|QL, the piped language of Elasticsearch: recognised by `FROM index` at the start, and read into our tree."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.ast import Query
from logboom.lang.dialects.esql.commands import COMMANDS, REFUSED, Reader
from logboom.lang.dialects.esql.sources import read_sources
from logboom.lang.dialects.esql.tokens import TOKENS
from logboom.lang.dialects.reading import blame, continue_with, skip_comments
from logboom.lang.dialects.scanner import Scanner, show

__all__ = ["read", "recognises"]

FIRST_LETTERS = frozenset("fFrRsStTmMeEpP/")
INDEX = r'(?:"[^"\n]+"|[\w.*:<>{}/@+-]+)'
INDEXES = rf"{INDEX}(?:\s*+,\s*+{INDEX})*+"
META = r"(?:\s++\[?\s*+METADATA\s++[\w.]+(?:\s*+,\s*+[\w.]+)*+\s*+\]?)?"
COMMENT = r"(?:\s|//[^\n]*+|/\*.*?\*/)*+"
FROM = compile_later(
    rf"FROM\s++(?:\(\s*+FROM\b|\?\w+|{INDEXES}{META}{COMMENT}(?:\|(?!\|)|\Z))",
    re.IGNORECASE | re.DOTALL,
)
ONLY_FROM = compile_later(rf"from\s++{INDEXES}\s*+\Z")
OTHERS = compile_later(
    r"ROW\s++[\w.@`]+\s*+=[^=]|SHOW\s++INFO\s*+(?:\||\Z)|TS\s++[\w.*-]+\s*+\|\s*+(?i:stats|where|eval|keep)\b"
    r"|EXPLAIN\s*+\[\s*+FROM\b|SET\s++\w+\s*+=[^;]*+;\s*+FROM\b"
)


def recognises(text: str) -> bool:
    """Whether it begins as ES|QL does. `from` in small letters needs a command behind it: `from cache` is text."""
    if text.lstrip()[:1] not in FIRST_LETTERS:
        return False
    body = skip_comments(text)
    if FROM.match(body):
        return not ONLY_FROM.fullmatch(body)
    return OTHERS.match(body) is not None


def read(text: str) -> Query:
    """Raises InvalidQuery; its suggestion has what comes before the command that could not be read."""
    reader = Reader(Scanner(text, TOKENS, "ES|QL"))
    with blame(reader.pipeline):
        read_first(reader)
        while reader.scanner.take_sign("|"):
            read_command(reader)
        if not reader.scanner.at_end:
            raise reader.scanner.unexpected('"|" or the end')
    return reader.pipeline.finish()


def read_first(reader: Reader) -> None:
    if reader.scanner.take_word("from"):
        read_sources(reader.scanner, reader.pipeline)
        return
    refuse(reader)


def read_command(reader: Reader) -> None:
    token = reader.scanner.peek()
    command = COMMANDS.get(token.text.lower())
    if command is None:
        refuse(reader)
    else:
        reader.scanner.take()
        command(reader)


def refuse(reader: Reader) -> None:
    """The name of a command that is not read; one that is unknown may be a pipe of ours."""
    token = reader.scanner.take()
    reason = REFUSED.get(token.text.lower())
    if token.kind != "name":
        reader.scanner.go_to(token.start)
        raise reader.scanner.unexpected("a command such as WHERE")
    if reason is None:
        error = reader.scanner.error(f"unknown command {show(token.text)}", token.start, token.end)
        raise continue_with(reader.pipeline, error, reader.scanner.text[token.start :])
    raise reader.scanner.error(
        f"{token.text.upper()} is not supported: {reason}", token.start, token.end
    )

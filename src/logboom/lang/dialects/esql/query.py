"""Whole queries: a source, and the commands after it."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.ast import Query
from logboom.lang.dialects.esql.commands import COMMANDS, REFUSED, Reader
from logboom.lang.dialects.esql.sources import read_sources
from logboom.lang.dialects.esql.tokens import TOKENS
from logboom.lang.dialects.reading import blame, continue_with
from logboom.lang.dialects.scanner import Scanner, show

SETTING = compile_later(
    r"SET\s++(?P<name>\w++)\s*+=\s*+(?:\"[^\"]*+\"|\{[^{}]*+\}|[^;\"{]++)\s*+;\s*+", re.IGNORECASE
)
IGNORED_SETTINGS = frozenset({"unmapped_fields", "approximation"})


def read(text: str) -> Query:
    """Raise InvalidQuery for what cannot be translated; it suggests the commands before that."""
    reader = Reader(Scanner(text, TOKENS, "ES|QL"))
    with blame(reader.pipeline):
        read_first(reader)
        while reader.scanner.take_sign("|"):
            read_command(reader)
        if not reader.scanner.at_end:
            raise reader.scanner.unexpected('"|" or the end')
    return reader.pipeline.finish()


def read_first(reader: Reader) -> None:
    skip_settings(reader.scanner)
    if reader.scanner.take_word("from"):
        read_sources(reader.scanner, reader.pipeline)
        return
    refuse(reader)


def skip_settings(scanner: Scanner) -> None:
    """`SET name = value;`, as long as the setting changes nothing here: fields need no mapping, and counts are exact."""
    while setting := scanner.take_match(SETTING):
        if setting["name"].lower() not in IGNORED_SETTINGS:
            message = f"the setting {show(setting['name'])} is not supported, leave it out"
            raise scanner.error(message, setting.start("name"), setting.end("name"))


def read_command(reader: Reader) -> None:
    token = reader.scanner.peek()
    command = COMMANDS.get(token.text.lower())
    if command is None:
        refuse(reader)
    else:
        reader.scanner.take()
        command(reader)


def refuse(reader: Reader) -> None:
    """Refuse a command that is not supported; an unknown one may be a pipe of ours."""
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

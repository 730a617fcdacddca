"""The source of an ES|QL query: index names, with wildcards and exclusions."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.ast import Filter, Not, Pattern, ScopeFilter, Wildcard
from logboom.lang.dialects.esql.tokens import refuse_parameter
from logboom.lang.dialects.matching import join_or
from logboom.lang.dialects.pipeline import Pipeline
from logboom.lang.dialects.scanner import Scanner
from logboom.lang.dialects.textual import read_wildcards

INDEX = compile_later(
    r'"""(?P<triple>.*?)"""|"(?P<quoted>[^"]*)"|`(?P<tick>[^`]*)`|(?P<bare>[^\s,|"`()]+)'
)
METADATA = compile_later(r"metadata\b", re.IGNORECASE)


def read_sources(scanner: Scanner, pipeline: Pipeline) -> None:
    """`a, b-*, -b-old [METADATA _id, …]`."""
    wanted: list[Filter] = []
    unwanted: list[Filter] = []
    takes_all = False
    for name in read_indexes(scanner):
        if name == "*":
            takes_all = True
        elif name.startswith("-"):
            unwanted.append(Not(make_scope(name[1:])))
        else:
            wanted.append(make_scope(name))
    if wanted and not takes_all:
        pipeline.head.append(join_or(wanted))
    pipeline.head.extend(unwanted)
    skip_metadata(scanner)


def make_scope(name: str) -> Filter:
    parts = tuple(part for part in read_wildcards(name, "*", "?") if part)
    return ScopeFilter("index", Pattern(parts or (Wildcard.ANY,)))


def read_indexes(scanner: Scanner) -> list[str]:
    names = [name for written in read_list(scanner) for name in written.split(",")]
    return [name.strip() for name in names if name.strip()]


def read_list(scanner: Scanner) -> list[str]:
    written = []
    while True:
        token = scanner.peek()
        if token.kind == "parameter":
            raise refuse_parameter(scanner, token)
        if scanner.sees_sign("("):
            raise scanner.error(
                "a query after FROM is not supported, expected index names", token.start, token.end
            )
        found = scanner.take_match(INDEX)
        if found is None:
            raise scanner.unexpected("the name of an index")
        name = next(filter(None, found.groups()), "")
        check_index(scanner, name, found)
        written.append(name)
        if not scanner.take_sign(","):
            return written


def check_index(scanner: Scanner, name: str, found: re.Match[str]) -> None:
    problem = None
    if ":" in name:
        problem = "remote clusters and selectors are not supported, expected an index name"
    elif "<" in name:
        problem = "date math in index names is not supported, use a name with *"
    if problem:
        raise scanner.error(problem, found.start(), found.end())


def skip_metadata(scanner: Scanner) -> None:
    """Ignore the fields of METADATA, such as `_id` and `_index`: they are always available."""
    bracket = scanner.take_sign("[")
    if scanner.take_word("metadata"):
        scanner.take()
        while scanner.take_sign(","):
            scanner.take()
    if bracket:
        scanner.expect_sign("]")

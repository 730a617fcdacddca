"""Lucene's query syntax, as in `query_string`: `level:error AND NOT host:(web-1 OR web-2) "exactly this" took:>10`.

As there, words without an operator between them are alternatives unless said otherwise, and a clause that is required
makes those that are merely possible unnecessary.
"""

import re
from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple

from logboom.base.patterns import compile_later
from logboom.lang import ast
from logboom.readers.search_engine.dsl.context import (
    EVERYTHING,
    MOST_LEVELS,
    TIME,
    Context,
    join_all,
    join_any,
    malformed,
    negate,
)
from logboom.readers.search_engine.dsl.fuzzy import match_fuzzy
from logboom.readers.search_engine.dsl.matches import match_near
from logboom.readers.search_engine.dsl.members import Members, Scalar
from logboom.readers.search_engine.dsl.ranges import match_limit, match_times
from logboom.readers.search_engine.dsl.terms import match_regex
from logboom.readers.search_engine.dsl.values import (
    match_pattern,
    match_value,
    read_wildcards,
)

LONGEST_QUERY = 32 * 1024
EXISTS = "_exists_"

BLANKS = compile_later(r"[\s\u3000]*+")
CONJUNCTION = compile_later(r"(?:(?P<all>AND\b|&&)|(?P<any>OR\b|\|\|))(?=[\s(\"+!-]|\Z)")
MODIFIER = compile_later(r"(?P<needed>\+)|(?P<not>[-!]|NOT(?=[\s(]))\s*+")
FIELD = compile_later(
    r"(?P<name>(?:[^\s+\-!():^\[\]\"{}~/\\<>=]|\\.|(?<=.)[-+/])++)\s*+:\s*+", re.DOTALL
)
PHRASE = compile_later(r"\"(?P<text>(?:[^\"\\]|\\.)*+)\"", re.DOTALL)
REGEX = compile_later(r"/(?P<text>(?:[^/\\]|\\.)++)/(?=[\s)^]|\Z)", re.DOTALL)
RANGE = compile_later(
    r"(?P<open>[\[{])\s*+(?P<low>\"[^\"]*+\"|[^\s\]}]++)\s++TO\s++(?P<high>\"[^\"]*+\"|[^\s\]}]++)\s*+(?P<close>[\]}])"
)
LIMIT = compile_later(r"(?P<operator>[<>]=?)\s*+(?P<value>\"[^\"]*+\"|[^\s()]++)")
TERM = compile_later(r"(?:[^\s()\"\[\]{}\\~^]|\\.)++", re.DOTALL)
SUFFIX = compile_later(r"(?:~\d*+(?:\.\d++)?|\^\d++(?:\.\d++)?)++")
TILDE = compile_later(r"~(?P<number>\d*)")
NEAR = {"slop": "0", "fuzziness": "2"}
"""What `~` without a number stands for."""
ESCAPED = compile_later(r"\\(.)", re.DOTALL)
WILD = compile_later(r"(?:[^\\*?]|\\.)*+[*?]", re.DOTALL)
OPERATORS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}


class Occurrence(Enum):
    """Whether a clause must, may or must not match."""

    NEEDED = auto()
    POSSIBLE = auto()
    EXCLUDED = auto()


class Clause(NamedTuple):
    """A filter inside a query, and whether it has to match."""

    filter: ast.Filter
    occurrence: Occurrence


def parse_lucene(text: str, context: Context, *, needs_all: bool = False) -> ast.Filter:
    """Return the filter of a query; with `needs_all` clauses without an operator between them all have to match."""
    if len(text) > LONGEST_QUERY:
        raise malformed(f"query of {len(text)} characters, expected at most {LONGEST_QUERY}")
    parser = LuceneParser(text, context, needs_all=needs_all)
    return parser.parse()


class LuceneParser:
    """Reads one query from left to right."""

    def __init__(self, text: str, context: Context, *, needs_all: bool) -> None:
        self._text = text
        self._context = context
        self._needs_all = needs_all
        self._at = 0
        self._level = 0

    def parse(self) -> ast.Filter:
        found = self._parse_clauses(self._context.default_fields)
        if self._at < len(self._text):
            raise self._refuse()
        return found

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self._text, self._at)
        if match:
            self._at = match.end()
        return match

    def _refuse(self) -> Exception:
        rest = self._text[self._at :][:40]
        found = f"unexpected {rest!r}" if rest else "unexpected end"
        return malformed(f"Failed to parse query [{self._text[:200]}]: {found}")

    def _sees_end(self) -> bool:
        self._take(BLANKS)
        return self._at >= len(self._text) or self._text[self._at] == ")"

    def _parse_clauses(self, fields: tuple[str, ...]) -> ast.Filter:
        clauses: list[Clause] = []
        while not self._sees_end():
            conjunction = self._take(CONJUNCTION) if clauses else None
            self._take(BLANKS)
            modifier = self._take(MODIFIER)
            filter_ = self._parse_clause(fields)
            self._add(clauses, filter_, conjunction, modifier)
        return join_clauses(clauses)

    def _add(
        self,
        clauses: list[Clause],
        filter_: ast.Filter,
        conjunction: re.Match[str] | None,
        modifier: re.Match[str] | None,
    ) -> None:
        """Add a clause; an operator before it also concerns the clause before that."""
        is_all = self._needs_all if conjunction is None else bool(conjunction["all"])
        if conjunction and clauses and clauses[-1].occurrence is not Occurrence.EXCLUDED:
            before = Occurrence.NEEDED if is_all else Occurrence.POSSIBLE
            if is_all or self._needs_all:
                clauses[-1] = clauses[-1]._replace(occurrence=before)
        if modifier and modifier["not"]:
            occurrence = Occurrence.EXCLUDED
        elif is_all or modifier:
            occurrence = Occurrence.NEEDED
        else:
            occurrence = Occurrence.POSSIBLE
        clauses.append(Clause(filter_, occurrence))

    def _parse_clause(self, fields: tuple[str, ...]) -> ast.Filter:
        field = self._take(FIELD)
        if field:
            name = ESCAPED.sub(r"\1", field["name"])
            if name == EXISTS:
                return self._parse_exists()
            fields = (name if name == "*" else self._context.names.find(name),)
        found = self._parse_group(fields)
        if found is None:
            return self._parse_value(fields, is_named=bool(field))
        self._take(SUFFIX)
        return found

    def _parse_exists(self) -> ast.Filter:
        name = self._take(PHRASE) or self._take(TERM)
        if name is None:
            raise self._refuse()
        written = name.groupdict().get("text", name[0])
        return ast.Exists(self._context.names.find(ESCAPED.sub(r"\1", written)))

    def _parse_group(self, fields: tuple[str, ...]) -> ast.Filter | None:
        if not self._text.startswith("(", self._at):
            return None
        self._at += 1
        self._level += 1
        if self._level > MOST_LEVELS:
            raise malformed(f"query nested deeper than {MOST_LEVELS} levels")
        found = self._parse_clauses(fields)
        self._level -= 1
        if not self._text.startswith(")", self._at):
            raise self._refuse()
        self._at += 1
        return found

    def _parse_value(self, fields: tuple[str, ...], *, is_named: bool) -> ast.Filter:
        self._context.allowance.spend(len(fields))
        match = self._take(PHRASE)
        if match:
            return self._test(fields, match_near, ESCAPED.sub(r"\1", match["text"]), "slop")
        found = self._parse_special(fields, is_named=is_named)
        if found is not None:
            self._take(SUFFIX)
            return found
        match = self._take(TERM)
        if match is None:
            raise self._refuse()
        return self._test(fields, match_term, ESCAPED.sub(r"\1", match[0]), "fuzziness")

    def _parse_special(self, fields: tuple[str, ...], *, is_named: bool) -> ast.Filter | None:
        """Return a range, a limit, a regular expression or a word with wildcards."""
        if match := self._take(RANGE):
            return self._test_range(fields, match)
        if is_named and (match := self._take(LIMIT)):
            limits = {OPERATORS[match["operator"]]: unquote(match["value"])}
            return join_any([self._test_limits(field, limits) for field in fields])
        if match := self._take(REGEX):
            expression = match["text"].replace("\\/", "/")
            return join_any([match_regex(field, expression) for field in fields])
        if WILD.match(self._text, self._at) and (match := self._take(TERM)):
            if WILD.match(match[0]):
                pattern = read_wildcards(match[0])
                return join_any([match_pattern(field, pattern) for field in fields])
            self._at = match.start()
        return None

    def _test(
        self,
        fields: tuple[str, ...],
        test: Callable[[str, Scalar, Members, Context], ast.Filter],
        text: str,
        option: str,
    ) -> ast.Filter:
        """Match a text; the number after `~`, if any, is an option of the test."""
        suffix = self._take(SUFFIX)
        number = TILDE.search(suffix[0]) if suffix else None
        options = {option: number["number"] or NEAR[option]} if number else {}
        return join_any([test(field, text, options, self._context) for field in fields])

    def _test_range(self, fields: tuple[str, ...], match: re.Match[str]) -> ast.Filter:
        limits = {}
        if match["low"] != "*":
            limits["gte" if match["open"] == "[" else "gt"] = unquote(match["low"])
        if match["high"] != "*":
            limits["lte" if match["close"] == "]" else "lt"] = unquote(match["high"])
        return join_any([self._test_limits(field, limits) for field in fields])

    def _test_limits(self, field: str, limits: dict[str, str]) -> ast.Filter:
        if field == TIME:
            return match_times(dict(limits), {}, self._context)
        if "*" in field:
            raise malformed("a range without a field, expected field:[low TO high]")
        return join_all(
            [match_limit(field, *limit) for limit in limits.items()] or [ast.Exists(field)]
        )


def match_term(field: str, value: Scalar, options: Members, context: Context) -> ast.Filter:
    return (
        match_fuzzy(field, value, options, context)
        if options
        else match_value(field, value, context)
    )


def join_clauses(clauses: list[Clause]) -> ast.Filter:
    """Return what matches all needed clauses and no excluded one; without needed ones, some possible one."""

    def choose(occurrence: Occurrence) -> list[ast.Filter]:
        return [each.filter for each in clauses if each.occurrence is occurrence]

    needed, possible = choose(Occurrence.NEEDED), choose(Occurrence.POSSIBLE)
    found = needed or ([join_any(possible)] if possible else [EVERYTHING])
    return join_all(found + [negate(each) for each in choose(Occurrence.EXCLUDED)])


def unquote(text: str) -> str:
    return text[1:-1] if text[:1] == '"' else ESCAPED.sub(r"\1", text)

"""Highlighting: the texts of a hit that a query looked for, between tags."""

from collections.abc import Iterator
from typing import Any

import re2
from msgspec import field

from logboom.base.structs import InternalStruct, MutableStruct
from logboom.lang import ast
from logboom.readers.search_engine.dsl.context import ANY_FIELD, KEYWORD, is_message, unsupported
from logboom.readers.search_engine.dsl.members import (
    Members,
    read_list,
    read_object,
    read_whole,
    show,
)
from logboom.readers.search_engine.hits.patterns import Patterns, read_patterns
from logboom.readers.search_engine.hits.sources import OWN
from logboom.web.search_engine.filter_path import matches

MOST_TEXTS = 200
FRAGMENTS, FRAGMENT_LENGTH = 5, 100
WHOLE = 2**31 - 1
LONGEST_SOUGHT = 1000
"""Longer texts are not marked."""
LONGEST_TAG = 200
LONGEST_MARKED = 100_000
"""Characters of a text that are searched; what follows them is not marked."""
MOST_MADE = 16_000_000
"""Characters of all marked texts of an answer; further hits have none."""
OPTIONS = re2.Options()
OPTIONS.case_sensitive = False
OPTIONS.log_errors = False


class Sought(InternalStruct, frozen=True):
    """A text that a query looks for in the fields that a pattern matches."""

    field: str
    text: str


class Highlighter(MutableStruct):
    """Marks what was searched for.

    `patterns` are the fields that are highlighted; up to `fragments` parts of each, or its whole text if 0.
    """

    sought: tuple[Sought, ...]
    patterns: Patterns
    before: str
    after: str
    fragments: int
    length: int
    known: dict[str, Any] = field(default_factory=dict)
    """The expression, if any, for what is looked for in each field so far."""
    left: int = MOST_MADE

    def mark(self, row: Members) -> dict[str, list[str]]:
        """Return the fields of a hit in which something was found."""
        marked = {}
        for name, value in row.items():
            folded = name.lower()
            if self.left <= 0 or name in OWN or not self.patterns.match(folded):
                continue
            texts = [each for each in read_list(value) if isinstance(each, str)]
            expression = self._find_expression(folded) if texts else None
            parts = [part for text in texts for part in self._mark_text(text, expression)]
            if parts:
                marked[name] = parts[: self.fragments or None]
                self.left -= sum(map(len, parts))
        return marked

    def _find_expression(self, folded: str) -> Any:
        """Return an expression for the texts sought in a field, the longest first."""
        if folded not in self.known:
            texts = {each.text for each in self.sought if matches(each.field, folded)}
            longest_first = sorted(texts, key=lambda text: (-len(text), text))
            written = "|".join(map(re2.escape, longest_first))
            self.known[folded] = re2.compile(written, OPTIONS) if written else None
        return self.known[folded]

    def _mark_text(self, whole: str, expression: Any) -> Iterator[str]:
        """Yield the parts of a text in which something was found, from left to right."""
        if expression is None:
            return
        text = whole[:LONGEST_MARKED]
        if not self.fragments or self.length >= len(whole):
            marked, count = expression.subn(self._mark_match, text)
            if count:
                yield marked + whole[LONGEST_MARKED:]
            return
        end = 0
        for match in expression.finditer(text):
            if match.start() < end:
                continue
            start = max(end, match.start() - max(0, self.length - len(match[0])) // 2)
            end = max(match.end(), start + self.length)
            yield expression.sub(self._mark_match, text[start:end])

    def _mark_match(self, match: Any) -> str:
        return f"{self.before}{match[0]}{self.after}"


def make_highlighter(options: Members, filter_: ast.Filter) -> Highlighter:
    """Return the highlighter of a request for what its filter looks for."""
    written = options.get("fields", {})
    listed = written if isinstance(written, list) else [written]
    names = [name for each in listed for name in read_object(each, "highlight")]
    patterns = [name.lower().removesuffix(KEYWORD) for name in names]
    sought = list(dict.fromkeys(list_sought(filter_)))
    if options.get("require_field_match") is False:
        sought = [Sought(ANY_FIELD, each.text) for each in sought]
    return Highlighter(
        sought=tuple(each for each in sought if len(each.text) <= LONGEST_SOUGHT)[:MOST_TEXTS],
        patterns=Patterns(read_patterns(patterns, "highlight")),
        before=read_tag(options, "pre_tags", "<em>"),
        after=read_tag(options, "post_tags", "</em>"),
        fragments=read_whole(
            options.get("number_of_fragments", FRAGMENTS), "number_of_fragments", 0, WHOLE
        ),
        length=read_whole(options.get("fragment_size", FRAGMENT_LENGTH), "fragment_size", 0, WHOLE),
    )


def read_tag(options: Members, name: str, default: str) -> str:
    tags: list[Any] = read_list(options.get(name, default))
    if not tags or not isinstance(tags[0], str) or len(tags[0]) > LONGEST_TAG:
        raise unsupported(
            f"[{name}] is {show(tags)}, expected a list of texts of at most {LONGEST_TAG} characters"
        )
    return tags[0]


def list_sought(filter_: ast.Filter) -> Iterator[Sought]:
    """Yield the texts that a filter looks for, without those that must not be there."""
    match filter_:
        case ast.And(terms=terms) | ast.Or(terms=terms):
            for term in terms:
                yield from list_sought(term)
        case ast.Match(field=field, pattern=pattern) | ast.SomeField(names=field, pattern=pattern):
            yield from list_pieces(field, pattern)
        case ast.AnyField(pattern=pattern):
            yield from list_pieces(ANY_FIELD, pattern)
        case ast.Exact(field=field, text=text) if text:
            yield Sought(field.lower(), text)
        case ast.OneOf(field=field, patterns=patterns):
            for each in patterns:
                yield from list_pieces(field, each)
        case _:
            return


def list_pieces(field: str, pattern: ast.Pattern) -> Iterator[Sought]:
    """Yield the pieces of a pattern between its wildcards; single characters would be everywhere."""
    pieces = [part for part in pattern.parts if isinstance(part, str)]
    for piece in pieces:
        if len(piece) > 1 or len(pattern.parts) == 1 or is_message(field):
            yield Sought(field.lower(), piece)

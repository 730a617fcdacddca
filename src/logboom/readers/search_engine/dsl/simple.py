"""The syntax of `simple_query_string`, in which nothing is an error: `+` and, `|` or, `-` not, `"…"`, `(…)`, `word*`."""

import re

from logboom.base.patterns import compile_later
from logboom.lang import ast
from logboom.readers.search_engine.dsl.context import (
    EVERYTHING,
    MOST_LEVELS,
    Context,
    join_all,
    join_any,
    malformed,
    negate,
)
from logboom.readers.search_engine.dsl.values import match_phrase, match_prefix, match_value

TOKEN = compile_later(
    r"\"(?P<phrase>(?:[^\"\\]|\\.)*+)\"(?:~\d++)?|(?P<sign>[()+|])|(?P<minus>-)(?=\S)|-(?!\S)"
    r"|(?P<word>(?:[^\s()+|\"\\]|\\.)++)|\S",
    re.DOTALL,
)
ESCAPED = compile_later(r"\\(.)", re.DOTALL)
FUZZY = compile_later(r"~\d*+\Z")


class Group:
    """A parenthesis while it is read: what was found so far, and how the next is joined with it."""

    def __init__(self, *, needs_all: bool) -> None:
        self._needs_all = needs_all
        self._found: list[ast.Filter] = []
        self._are_all_needed = needs_all
        """How those found are joined."""
        self._turns = 0
        self._joins_all = needs_all
        self.is_negated = False

    def join(self, sign: str) -> None:
        self._joins_all = sign == "+"

    def add(self, filter_: ast.Filter) -> None:
        if len(self._found) > 1 and self._joins_all != self._are_all_needed:
            self._turn()
        self._are_all_needed = self._joins_all
        self._found.append(negate(filter_) if self.is_negated else filter_)
        self._joins_all, self.is_negated = self._needs_all, False

    def _turn(self) -> None:
        """Begin another operator; signs are read from left to right, so each change makes the filter deeper."""
        self._turns += 1
        if self._turns > MOST_LEVELS:
            raise malformed(
                f"more than {MOST_LEVELS} changes between + and |, expected parentheses"
            )
        found = self.finish()
        self._found = [] if found is None else [found]

    def finish(self) -> ast.Filter | None:
        join = join_all if self._are_all_needed else join_any
        return join(self._found) if self._found else None


def parse_simple(text: str, context: Context, *, needs_all: bool) -> ast.Filter:
    """Return the filter of a query; an empty one matches everything."""
    groups = [Group(needs_all=needs_all)]
    for token in TOKEN.finditer(text):
        if token["minus"]:
            groups[-1].is_negated = True
        elif token["sign"] == "(" and len(groups) < MOST_LEVELS:
            groups.append(Group(needs_all=needs_all))
        elif token["sign"] == ")" and len(groups) > 1:
            close(groups)
        elif token["sign"] in ("+", "|"):
            groups[-1].join(token["sign"])
        elif token["phrase"] or token["word"]:
            groups[-1].add(match_token(token, context))
    while len(groups) > 1:
        close(groups)
    return groups[0].finish() or EVERYTHING


def close(groups: list[Group]) -> None:
    found = groups.pop().finish()
    if found is not None:
        groups[-1].add(found)


def match_token(token: re.Match[str], context: Context) -> ast.Filter:
    word = token["word"]
    if word is None:
        match, text = match_phrase, token["phrase"]
    elif word.endswith("*") and not word.endswith("\\*") and len(word) > 1:
        match, text = match_prefix, word[:-1]
    else:
        match, text = match_value, FUZZY.sub("", word) or word
    plain = ESCAPED.sub(r"\1", text)
    context.allowance.spend(len(context.default_fields))
    return join_any([match(field, plain, context) for field in context.default_fields])

"""What the readers of other languages have in common: comments before the query, and suggestions in errors."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import get_args

from logboom.base.patterns import compile_later
from logboom.lang.ast import Pipe
from logboom.lang.dialects.pipeline import Pipeline
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query

OUR_PIPES = frozenset(pipe.__name__.lower() for pipe in get_args(Pipe))
COMMENTS = compile_later(r"(?:\s++|//[^\n]*+(?:\n|\Z)|/\*.*?\*/)*+", re.DOTALL)


def skip_comments(text: str) -> str:
    """The text from its first word on."""
    if text[:1].isalnum():
        return text
    found = COMMENTS.match(text)
    return text[found.end() :] if found else text


@contextmanager
def blame(pipeline: Pipeline) -> Iterator[None]:
    """Give an error the translation of what was read before it."""
    try:
        yield
    except InvalidQuery as error:
        if error.suggestion is None and not pipeline.is_empty:
            error.replace_suggestion(format_query(pipeline.finish()))
        raise


def continue_with(pipeline: Pipeline, error: InvalidQuery, rest: str) -> InvalidQuery:
    """Suggest the query so far, with the rest as it stands where that begins with a pipe of ours."""
    if rest.split(maxsplit=1)[0].lower() not in OUR_PIPES:
        return error
    error.replace_suggestion(f"{format_query(pipeline.finish())} | {rest.strip()}")
    return error

"""What the parsers of other languages share: suggestions in errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import get_args

from logboom.lang.ast import Pipe
from logboom.lang.dialects.pipeline import Pipeline
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query

OUR_PIPES = frozenset(pipe.__name__.lower() for pipe in get_args(Pipe))


@contextmanager
def blame(pipeline: Pipeline) -> Iterator[None]:
    """Add the translation of what was parsed so far to an error."""
    try:
        yield
    except InvalidQuery as error:
        if error.suggestion is None and not pipeline.is_empty:
            error.replace_suggestion(format_query(pipeline.finish()))
        raise


def continue_with(pipeline: Pipeline, error: InvalidQuery, rest: str) -> InvalidQuery:
    """Suggest the query so far, followed by the rest if that starts with a pipe of ours."""
    if rest.split(maxsplit=1)[0].lower() not in OUR_PIPES:
        return error
    error.replace_suggestion(f"{format_query(pipeline.finish())} | {rest.strip()}")
    return error
